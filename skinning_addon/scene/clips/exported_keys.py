"""The keys that an armature has in an animation of a .glb, and which of its channels keep them.

Read in Blender's io_scene_gltf2 (exp/animation/sampled/armature, exp/animation/fcurves/channels.py), 4.2 and
5.2; `tests/engines/random_exports.py` compares the files.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import bpy

from ...core.profiles.export_options import AnimationMode, GltfOptions
from ...core.profiles.gltf_curves import LOCATION, ROTATION, SCALE, BoneChannels
from ...core.profiles.gltf_keys import OBJECT, GltfKeys
from ...core.text.identity import Identity
from ..identification import action_of
from .actions import POSE_BONE_PATH, fcurves
from .clips import ArmatureClip
from .exported_actions import (
    WrittenAction,
    action_in_file,
    as_action,
    gltf_actions,
    keeps_scene_pose,
    track_of_part,
)
from .exported_curves import ChannelCurves, curves_in_gltf
from .exported_ranges import is_alone, range_of_action, range_of_scene, range_of_tracks
from .pose_left import GLTF_FRAME

_CHANNELS = {
    "location": LOCATION,
    "rotation_quaternion": ROTATION,
    "rotation_euler": ROTATION,
    "rotation_axis_angle": ROTATION,
    "scale": SCALE,
}
"""Channels of a node by a bone's properties."""


def keys_in_gltf(
    armature: bpy.types.Object, part: ArmatureClip | None, options: GltfOptions, scene: bpy.types.Scene
) -> GltfKeys | None:
    """Return the keys of an armature's animation; None if it has none. part: of a clip, None for what the scene
    plays.
    """
    if options.mode is AnimationMode.SCENE:
        return GltfKeys(*range_of_scene(options, scene))
    if options.mode is AnimationMode.NLA_TRACKS:
        frames = range_of_tracks(armature, part, options, scene)
        if frames is None or frames[0] > frames[1]:
            return None
        curves = _of_namesake(armature, part) if part is not None else {}
        return GltfKeys(*frames, frozenset(curves), _constant(armature, curves))
    written = gltf_actions(armature, options, alone=is_alone(scene))
    played = action_in_file(armature, options, written) if part is None else as_action(armature, part)
    if played is not None and played.action is not None:
        action = action_of(played.action)
        first, last = range_of_action(action, options, scene)
        slot = cast("Any", action).slots[played.slot] if played.slot is not None else None
        curves = _by_channel(armature, action, slot)
        if first > last:
            return None
        keys = GltfKeys(first, last, frozenset(curves), _constant(armature, curves))
        if options.samples_actions:
            return keys
        one = WrittenAction(Identity.of(played.action), played.slot)
        keeps = not options.reset_pose_bones or keeps_scene_pose(armature, one, written)
        at = scene.frame_current_final if options.current_frame else GLTF_FRAME
        of_curves = curves_in_gltf(armature, action, curves, options, kept_at=at if keeps else None)
        return replace(keys, curves=of_curves)
    if options.bake_animation and not written:
        return GltfKeys(*range_of_scene(options, scene))
    return None


def _of_namesake(armature: bpy.types.Object, part: ArmatureClip) -> ChannelCurves:
    """Return the bones' curves of the action that has the name of a part's NLA track: before Blender 4.4, the
    exporter takes how keys are interpolated from there, whatever the track plays.
    """
    track = track_of_part(armature, part)
    if hasattr(bpy.types, "ActionSlot") or track is None or track.name not in bpy.data.actions:
        return {}
    curves = _by_channel(armature, bpy.data.actions[track.name], None)
    return {one: each for one, each in curves.items() if one[0] != OBJECT}


def _by_channel(
    armature: bpy.types.Object, action: bpy.types.Action, slot: bpy.types.ActionSlot | None
) -> ChannelCurves:
    """Return the curves of the channels that have any, also of the object itself."""
    curves: defaultdict[tuple[str, str], list[bpy.types.FCurve]] = defaultdict(list)
    for curve in fcurves(action, slot):
        own = curve.data_path.removeprefix("delta_")
        if own in _CHANNELS and len(curve.keyframe_points) and _is_in_use(armature, own):
            curves[OBJECT, _CHANNELS[own]].append(curve)
            continue
        match = POSE_BONE_PATH.match(curve.data_path)
        owner, _, channel = curve.data_path.rpartition(".")
        if not match or match[0] != owner or channel not in _CHANNELS or not len(curve.keyframe_points):
            continue
        bone = armature.pose.bones.get(bpy.utils.unescape_identifier(match[1]))
        if bone is not None and _is_in_use(bone, channel):
            curves[bone.name, _CHANNELS[channel]].append(curve)
    return dict(curves)


def _constant(armature: bpy.types.Object, curves: ChannelCurves) -> BoneChannels:
    """Return the channels that keep each key up to the next."""
    constrained = {one.name for one in armature.pose.bones if len(one.constraints)}
    return frozenset(one for one, each in curves.items() if one[0] not in constrained and _keep_keys(each))


def _is_in_use(bone: bpy.types.PoseBone | bpy.types.Object, channel: str) -> bool:
    modes = {"rotation_quaternion": "QUATERNION", "rotation_axis_angle": "AXIS_ANGLE"}
    if _CHANNELS[channel] != ROTATION:
        return True
    in_use = bone.rotation_mode if bone.rotation_mode in modes.values() else None
    return modes.get(channel) == in_use


def _keep_keys(curves: Sequence[bpy.types.FCurve]) -> bool:
    """Whether a channel's curves all keep their keys, which are at the same frames; it is sampled otherwise."""
    places = {tuple(key.co.x for key in one.keyframe_points) for one in curves}
    constant = all(key.interpolation == "CONSTANT" for one in curves for key in one.keyframe_points)
    return constant and len(places) == 1 and len(places.pop()) > 1
