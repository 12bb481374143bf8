"""The clips of a game-ready copy: one action each, keyed at every frame, on an NLA track of the clip's name.

Two actions of a file can't have the same name, so the track has the original's. Blender's glTF exporter names
clips after tracks in its animation mode *NLA Tracks* (and, up to 4.3, in *Actions* too). The tracks are muted,
as importers leave them: muted ones are exported, and don't play on top of each other.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import count
from typing import cast

import bpy
import numpy as np
from numpy.typing import NDArray

from ...animation.local_pose import LocalPose
from ...core.refit.channels import (
    Channels,
    channel_matrices,
    nearest_channels,
    to_root_of_channels,
    turning_the_short_way,
)
from ...core.skinning.skeleton import invert_affine
from ...core.text.errors import UsageError
from ..clips.action_curves import OwnAction
from ..clips.action_keys import OBJECT_MOTION
from ..clips.actions import GAME_READY
from ..clips.clips import ArmatureClip
from ..identification import action_of, identity
from .copied_armature import Keep, game_ready_name, rest_of_copy
from .plan import CopiedClip, CopyPlan


def copy_clips(plan: CopyPlan, original: bpy.types.Object, copy: bpy.types.Object, keep: Keep) -> None:
    """Add the planned clips to the copied armature; the one that the original shows is its action."""
    if not plan.clips:
        return
    rest = rest_of_copy(plan, copy)
    data = copy.animation_data_create()
    shown = _shown(original.animation_data) if original.animation_data else None
    active: OwnAction | None = None
    for clip in plan.clips:
        own = _action(plan, clip, copy)
        keep(own.action)
        channels = _against_rest(clip.channels, plan, rest)
        frames = np.asarray(clip.frames, dtype=np.float64)
        for number, planned in enumerate(plan.bones):
            own.key_bone(copy.pose.bones[planned.name], frames, _pose(channels, number), ALL, to_the_end=True)
        _lay_on_track(copy, own, clip)
        if clip.source is None or (clip.source.action and action_of(clip.source.action) == shown):
            active = own
    if active is not None:
        data.action = active.action
        if active.slot is not None:
            data.action_slot = active.slot


def _shown(data: bpy.types.AnimData) -> bpy.types.Action | None:
    """Return the action that an object shows frame by frame: its own, or that of its only strip that plays."""
    if data.action is not None:
        return data.action
    tracks = [one for one in data.nla_tracks if not one.mute] if data.use_nla else []
    solo = [one for one in tracks if one.is_solo]
    strips = [strip for track in solo or tracks for strip in track.strips if not strip.mute]
    if len(strips) != 1 or strips[0].action is None:
        return None
    strip = strips[0]
    as_keyed = strip.frame_start == strip.action_frame_start and strip.scale == strip.repeat == 1
    return strip.action if as_keyed and not strip.use_reverse else None


def tracks_of_copy(plan: CopyPlan, copy: bpy.types.Object) -> dict[str, bpy.types.NlaTrack]:
    """Return a copied armature's tracks by the planned clips' names, which may be longer than a track's."""
    if not plan.clips:
        return {}
    names = [one.name for one in plan.clips]
    return dict(zip(names, copy.animation_data.nla_tracks, strict=True))


def clips_of_copy(plan: CopyPlan, copy: bpy.types.Object) -> dict[str, ArmatureClip]:
    """Return what a copied armature plays, by the planned clips' names."""
    found: dict[str, ArmatureClip] = {}
    for name, track in tracks_of_copy(plan, copy).items():
        (strip,) = track.strips
        slot = getattr(strip, "action_slot", None)
        action = cast("bpy.types.Action", strip.action)
        found[name] = ArmatureClip(identity(copy), identity(action), slot and slot.identifier)
    return found


ALL = ("translation", "rotation", "scale")


def _action(plan: CopyPlan, clip: CopiedClip, copy: bpy.types.Object) -> OwnAction:
    """Create a clip's action: with the curves of its source that move the armature object, if it has any."""
    if clip.source is None or clip.source.action is None:
        own = OwnAction.new(copy.name)
    else:
        own = OwnAction.copy_of(action_of(clip.source.action), clip.source.slot, copy.name)
        own.remove([one for one in own.curves() if not one.data_path.startswith(OBJECT_MOTION)])
    own.action.name = game_ready_name(clip.name)
    own.action.use_fake_user = False
    own.action[GAME_READY] = plan.note
    return own


def _against_rest(channels: Channels, plan: CopyPlan, rest: NDArray[np.float64]) -> Channels:
    """Return the channels that move the mesh alike from the copy's own rest pose (B, 4, 4)."""
    planned = plan.rest_to_root
    if np.array_equal(planned, rest):
        return channels
    wanted = rest @ invert_affine(planned)[0] @ to_root_of_channels(channels, planned, plan.parents)
    matrices, lost = channel_matrices(wanted, rest, plan.parents)
    if lost.any():
        bone = plan.bones[int(np.flatnonzero(lost.any(axis=0))[0])]
        raise UsageError(
            "Bone '{bone}' hangs on one that is scaled to zero; give it another parent.", bone=bone.name
        )
    found = nearest_channels(matrices)
    return Channels(found.translations, turning_the_short_way(found.rotations), found.scales)


def _pose(channels: Channels, bone: int) -> LocalPose:
    return LocalPose(
        channels.translations[:, bone].T, channels.rotations[:, bone].T, channels.scales[:, bone].T
    )


def _lay_on_track(copy: bpy.types.Object, own: OwnAction, clip: CopiedClip) -> None:
    track = copy.animation_data.nla_tracks.new()
    _name(track, clip.name, {one.name for one in copy.animation_data.nla_tracks if one != track})
    start, end = own.action.frame_range
    strip = track.strips.new(clip.name, int(start), own.action)
    if own.slot is not None:
        strip.action_slot = own.slot
    strip.frame_end, strip.frame_start = max(end, start + 1), start
    track.mute = True


def _name(track: bpy.types.NlaTrack, name: str, taken: Collection[str]) -> None:
    """Name a track after its clip. Blender cuts long names, and names that begin alike are the same then."""
    track.name = name
    cut = track.name.encode()
    for number in count(1):
        if track.name not in taken:
            return
        ending = f".{number:03}"
        track.name = cut[: -len(ending)].decode(errors="ignore") + ending
