"""Blender's actions -> clips with exactly the keys that an artist set, at their own times; nothing is played.

Only curves are read; bones that are also posed by other means, such as constraints, are reported. Between keys,
a clip interpolates linearly, which an artist's curves seldom do: where that matters is reported, and can be
sampled. For clips as Blender plays them, see `clip_baking`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

import bpy
import numpy as np
from mathutils import Euler, Quaternion
from numpy.typing import NDArray

from ...animation.clip import BoneKeys, Clip, sparse_clip
from ...animation.local_pose import rest_pose
from ...animation.rotations import RotationBlend, multiply, normalised
from ...core.text.errors import ClipError
from ..armatures.armature_reader import read_armature
from ..clips.action_keys import curves_of, key_frames, markers_of
from ..clips.actions import POSE_BONE_PATH
from ..clips.armature_state import REST_CHANNELS
from ..clips.clips import ArmatureClip, SceneClip
from ..identification import identity

_KEYED = ("location", "rotation_quaternion", "rotation_euler", "rotation_axis_angle", "scale")
"""Pose bone properties whose keys make up a clip; components without keys stay at rest."""

_KIND_OF = {"location": "translation", "scale": "scale"}
"""Kinds of properties; all others are rotations."""

Curves = dict[int, bpy.types.FCurve]
"""Curves of one property of one bone, by component."""


@dataclass(frozen=True)
class Unheld:
    """A channel that isn't linear between its keys.

    kind: 'translation', 'rotation' or 'scale'. interpolations: Blender's names, such as 'BEZIER' and
    'CONSTANT'; 'EULER' or 'AXIS_ANGLE' if angles are interpolated, 'MODIFIERS' if modifiers change the curve.
    """

    bone: str
    kind: str
    interpolations: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class KeyedClip:
    """A clip with an artist's own keys.

    unheld: channels that the clip doesn't follow exactly between keys. unused: data paths of curves without
    effect, such as quaternions of a bone that uses Euler angles. otherwise: bones with constraints, or that
    don't inherit all of their parent's motion, so that Blender poses them differently from their keys.
    """

    clip: Clip
    unheld: tuple[Unheld, ...]
    unused: tuple[str, ...]
    otherwise: tuple[str, ...]


def read_keyed_clip(
    scene: bpy.types.Scene,
    armature: bpy.types.Object,
    clip: SceneClip,
    *,
    sampled: float | None = None,
    rotation_blend: RotationBlend = RotationBlend.NLERP,
    looping: bool = True,
) -> KeyedClip:
    """Read the keys of an action.

    sampled: spacing in frames of extra keys on channels that aren't linear; None for only the artist's keys.

    Raises:
        ClipError: the clip doesn't move this armature, is a whole NLA track, or keys none of the bones.
    """
    part = next((one for one in clip.parts if one.armature == identity(armature)), None)
    if part is None:
        raise ClipError(
            "The clip '{clip}' does not move '{armature}'; choose one that does.",
            clip=clip.name,
            armature=identity(armature),
        )
    if part.action is None:
        raise ClipError(
            "'{clip}' is an NLA track with several strips, so it has no keys of its own; bake it instead.",
            clip=clip.name,
        )
    bones, unused = _curves_by_bone(armature, part)
    channels = [
        _Channel(bone, name, curves, armature.pose.bones[bone].rotation_mode)
        for bone, properties in bones.items()
        for name, curves in properties.items()
    ]
    if not channels:
        raise ClipError(
            "The action of '{clip}' has no keys for bones of '{armature}'; choose another clip.",
            clip=clip.name,
            armature=identity(armature),
        )
    render = scene.render
    made = sparse_clip(
        clip.name,
        _tracks(armature, channels, clip, sampled),
        ticks_per_second=render.fps / render.fps_base,
        looping=looping,
        rotation_blend=rotation_blend,
        markers=tuple(markers_of(part, clip)),
    )
    unheld = (channel.unheld(clip) for channel in channels)
    otherwise = tuple(bone.name for bone in armature.pose.bones if not _follows_keys(bone))
    return KeyedClip(made, tuple(one for one in unheld if one is not None), tuple(unused), otherwise)


def _curves_by_bone(
    armature: bpy.types.Object, part: ArmatureClip
) -> tuple[Mapping[str, Mapping[str, Curves]], list[str]]:
    """Group curves by bone and property; return the data paths of those without effect separately."""
    found: defaultdict[str, defaultdict[str, Curves]] = defaultdict(lambda: defaultdict(dict))
    unused = []
    for curve in curves_of(part):
        match = POSE_BONE_PATH.match(curve.data_path)
        bone = bpy.utils.unescape_identifier(match[1]) if match else ""
        name = curve.data_path.rpartition(".")[2]
        if not match or name not in _KEYED or bone not in armature.pose.bones:
            continue
        if curve.mute or not len(curve.keyframe_points) or not _counts(armature.pose.bones[bone], name):
            unused.append(curve.data_path)
        else:
            found[bone][name][curve.array_index] = curve
    return found, list(dict.fromkeys(unused))


def _counts(bone: bpy.types.PoseBone, name: str) -> bool:
    """Tell whether a bone's property has any effect: only the active one of its three rotations does, and
    connected bones ignore locations.
    """
    if name == "location":
        return not bone.bone.use_connect
    own = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}
    return not name.startswith("rotation") or name == own.get(bone.rotation_mode, "rotation_euler")


def _follows_keys(bone: bpy.types.PoseBone) -> bool:
    settings = bone.bone
    return (
        not any(not one.mute for one in bone.constraints)
        and settings.use_inherit_rotation
        and settings.inherit_scale == "FULL"
        and settings.use_local_location
    )


class _Channel:
    """The curves of one property of one bone; their keys are combined."""

    def __init__(self, bone: str, name: str, curves: Curves, rotation_mode: str) -> None:
        self.bone, self.name = bone, name
        self.kind = _KIND_OF.get(name, "rotation")
        self._curves, self._mode = curves, rotation_mode

    def times(self, clip: SceneClip, sampled: float | None) -> NDArray[np.float64]:
        """Return the frames of its keys within the clip, plus the clip's ends if there are keys beyond them."""
        own = np.unique(np.concatenate([key_frames(curve) for curve in self._curves.values()]))
        inside = set(own[(own >= clip.frame_start) & (own <= clip.frame_end)].tolist())
        if own[0] < clip.frame_start or not inside:
            inside.add(clip.frame_start)
        if own[-1] > clip.frame_end:
            inside.add(clip.frame_end)
        if sampled is not None and self._interpolations(clip):
            first, last = min(inside), max(inside)
            inside.update(np.arange(first, last, sampled).tolist())
        return np.array(sorted(inside))

    def values(self, times: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the property at some frames, (n, D)."""
        values = np.tile(np.array(REST_CHANNELS[self.name], dtype=np.float64), (len(times), 1))
        for component, curve in self._curves.items():
            values[:, component] = [curve.evaluate(frame) for frame in times.tolist()]
        return values

    def turns(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return rotations as quaternions, (4, n)."""
        if self._mode == "QUATERNION":
            return np.asarray(normalised(values.T), dtype=np.float64)
        if self._mode == "AXIS_ANGLE":
            # Blender doesn't rotate about an axis of zero length.
            made = [
                Quaternion(axis, angle) if any(axis) else Quaternion() for angle, *axis in values.tolist()
            ]
        else:
            made = [Euler(angles, self._mode).to_quaternion() for angles in values.tolist()]
        return np.array(made, dtype=np.float64).T

    def unheld(self, clip: SceneClip) -> Unheld | None:
        """Tell how it differs from a clip's linear interpolation, if at all."""
        found = self._interpolations(clip)
        return Unheld(self.bone, self.kind, found) if found else None

    def _interpolations(self, clip: SceneClip) -> tuple[str, ...]:
        found = {name for curve in self._curves.values() for name in _bent(curve, clip)}
        moves = any(len(curve.keyframe_points) > 1 for curve in self._curves.values())
        if self.kind == "rotation" and self._mode != "QUATERNION" and moves:
            found.add("AXIS_ANGLE" if self._mode == "AXIS_ANGLE" else "EULER")
        return tuple(sorted(found))


def _bent(curve: bpy.types.FCurve, clip: SceneClip) -> Iterator[str]:
    """List how a curve deviates from linear interpolation; constant segments don't count."""
    if any(not one.mute for one in curve.modifiers):
        yield "MODIFIERS"
    points = curve.keyframe_points
    for point, following in pairwise(points):
        played = point.co.x < clip.frame_end and following.co.x > clip.frame_start
        still = point.co.y == following.co.y == point.handle_right.y == following.handle_left.y
        if played and not still and point.interpolation != "LINEAR":
            yield point.interpolation


def _tracks(
    armature: bpy.types.Object, channels: list[_Channel], clip: SceneClip, sampled: float | None
) -> dict[str, BoneKeys]:
    """Convert keys relative to rest into keys relative to the parent: to_parent = keyed @ rest_to_parent."""
    skeleton = read_armature(armature).skeleton
    rest = rest_pose(skeleton)
    to_parent, _ = skeleton.to_parent(skeleton.rest_to_root)
    tracks: defaultdict[str, dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]]] = defaultdict(dict)
    for channel in channels:
        bone = skeleton.index(channel.bone)
        times = channel.times(clip, sampled)
        values = channel.values(times)
        if channel.kind == "translation":
            values = values @ to_parent[bone, :3, :3] + to_parent[bone, 3, :3]
        elif channel.kind == "rotation":
            at_rest = np.repeat(rest.rotation[:, bone, None], len(times), axis=1)
            values = np.asarray(multiply(at_rest, channel.turns(values)).T, dtype=np.float64)
        tracks[channel.bone][channel.kind] = times, values
    return {bone: BoneKeys(**kinds) for bone, kinds in tracks.items()}
