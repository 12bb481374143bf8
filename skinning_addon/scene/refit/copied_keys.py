"""The shape keys of copies that leave their file: keyed at every frame, on a track for each clip.

In the file a copy's shape keys are driven and keyed as the original's are. An exported file has neither drivers
nor what these follow, and Blender's glTF exporter takes what tracks of one name hold as one clip: so a clip's
values lie on a track of the clip's name, as its bones do. The FBX exporter leaves tracks of shape keys out; it
plays their action beside every clip, frame by frame.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ..clips.action_curves import OwnAction
from ..object_data import mesh_of
from ..objects.animated_settings import animated_paths


@dataclass(frozen=True, eq=False)
class KeyValues:
    """The values of shape keys in a clip. frames: (F,). values: by name, (F,)."""

    clip: str
    frames: NDArray[np.float64]
    values: Mapping[str, NDArray[np.float64]]


def moving_keys(mesh_object: bpy.types.Object) -> tuple[str, ...]:
    """Name the shape keys of a mesh whose values are animated or driven."""
    keys = mesh_of(mesh_object).shape_keys
    if keys is None:
        return ()
    paths = animated_paths(keys)
    return tuple(one.name for one in keys.key_blocks if one.path_from_id("value") in paths)


def lay_keys_on_tracks(copy: bpy.types.Object, clips: Sequence[KeyValues], tracks: Mapping[str, str]) -> None:
    """Replace the drivers and the keys of a mesh's moving shape keys by what they come to in each clip.

    tracks: names of the armature's tracks, by clip. For files that are exported and never saved.
    """
    keys = mesh_of(copy).shape_keys
    assert keys is not None  # noqa: S101 - for the type checker
    keys.animation_data_clear()
    data = keys.animation_data_create()
    for clip in clips:
        own = _keyed(keys, clip)
        track = data.nla_tracks.new()
        track.name = tracks[clip.clip]
        strip = track.strips.new(clip.clip, int(clip.frames[0]), own.action)
        if own.slot is not None:
            strip.action_slot = own.slot
        strip.frame_start, strip.frame_end = clip.frames[0], max(clip.frames[-1], clip.frames[0] + 1)
        track.mute = True
    beside = _keyed(keys, _in_one(clips))
    data.action = beside.action
    if beside.slot is not None:
        data.action_slot = beside.slot


def _keyed(keys: bpy.types.Key, clip: KeyValues) -> OwnAction:
    own = OwnAction.new(keys.name, "KEY")
    for name, values in clip.values.items():
        own.key_number(keys.key_blocks[name].path_from_id("value"), clip.frames, values)
    return own


def _in_one(clips: Sequence[KeyValues]) -> KeyValues:
    """Return what can be played beside all clips: where they have frames in common, it is the first that
    counts.
    """
    frames, first = np.unique(np.concatenate([one.frames for one in clips]), return_index=True)
    names = clips[0].values
    return KeyValues(
        "", frames, {name: np.concatenate([one.values[name] for one in clips])[first] for name in names}
    )
