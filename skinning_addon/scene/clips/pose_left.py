"""What Blender's exporters play before a clip, which stays in the bones that the clip doesn't key.

The glTF exporter goes to its own frame first, and if it doesn't put bones at rest in between, each action
leaves its last pose to the next. The FBX exporter lets each NLA strip play alone, with what other strips key at
rest; between actions it puts bones back where the scene has them, by their matrices.

Read in Blender's io_scene_gltf2 (exp/export.py, exp/animation/action.py, sampling_cache.py) and io_scene_fbx
(export_fbx_bin.py); `tests/engines/random_exports.py` compares the files.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import bpy

from ...core.profiles.export_options import AnimationMode, FbxOptions, GltfOptions
from ...core.text.identity import Identity
from ..identification import identity
from .actions import POSE_BONE_PATH, fcurves, keyed_channels
from .clips import ArmatureClip
from .exported_actions import WrittenAction, gltf_actions, is_of_track
from .exported_ranges import FrameRange, range_of_strips, sampled_range
from .own_transform import keyed_properties

GLTF_FRAME = 0
"""Where Blender's glTF exporter goes, wherever the scene begins."""


@dataclass(frozen=True)
class Earlier:
    """part: of a clip that plays alone, up to a frame; None for the scene as it is."""

    part: ArmatureClip | None
    frame: float


def left_in_gltf(
    armature: bpy.types.Object, part: ArmatureClip | None, options: GltfOptions, shown: float, *, alone: bool
) -> Iterator[Earlier]:
    """List what plays before an armature's part of a clip whose unkeyed bones are not put at rest. shown: the
    frame that the scene shows.
    """
    before = before_in_gltf(armature, part, options, shown, alone=alone)
    # Only the first action that is written keeps the scene's pose if bones are put at rest in between.
    return islice(before, 1) if options.reset_pose_bones else before


def before_in_gltf(
    armature: bpy.types.Object, part: ArmatureClip | None, options: GltfOptions, shown: float, *, alone: bool
) -> Iterator[Earlier]:
    """List what the exporter goes through before an armature's part of a clip; None for an armature without
    one. shown: the frame that the scene shows.
    """
    if armature.animation_data is None or options.mode is AnimationMode.SCENE:
        return
    yield Earlier(None, shown if options.current_frame else GLTF_FRAME)
    if part is None:
        return
    if options.mode is AnimationMode.NLA_TRACKS:
        yield from _earlier_tracks(armature, part, options)
        return
    if part.action is None:
        return
    # For every animation, it goes through the frames of all.
    last = _last_sample(sampled_range(options, bpy.context.scene), options.frame_step)
    for one in gltf_actions(armature, options, alone=alone):
        if one == WrittenAction(Identity.of(part.action), part.slot):
            return
        yield Earlier(ArmatureClip(part.armature, one.action, one.slot), last)


def _earlier_tracks(
    armature: bpy.types.Object, part: ArmatureClip, options: GltfOptions
) -> Iterator[Earlier]:
    for track in armature.animation_data.nla_tracks:
        if is_of_track(part, track):
            return
        if len(track.strips):
            frames = range_of_strips([*track.strips], options, bpy.context.scene)
            last = _last_sample(frames, options.frame_step)
            yield Earlier(ArmatureClip(part.armature, track=track.name), last)


def _last_sample(frames: FrameRange | None, step: int) -> float:
    """Return the last frame that is sampled between a first and a last one; the exporter's own frame without
    any.
    """
    if frames is None:
        return float(GLTF_FRAME)
    start, end = frames
    return float(start + (end - start) // step * step)


def rested_in_fbx(
    armature: bpy.types.Object, part: ArmatureClip, options: FbxOptions
) -> frozenset[tuple[str, str, int]]:
    """Return the bones, channels and components that are at rest while an armature's part of a clip, a strip,
    plays alone: Blender's NLA puts there what its silent strips key. The armature object itself has no name.
    """
    if options.use_all_actions or not options.use_nla_strips or not is_fbx_strip(armature, part):
        return frozenset()
    found: set[tuple[str, str, int]] = set()
    for strip in single_strips(armature):
        if strip.action is not None:
            slot = getattr(strip, "action_slot", None)
            found |= keyed_channels(strip.action, slot)
            found |= {("", path, index) for path, index in keyed_properties(strip.action, slot)}
    return frozenset(found)


def single_strips(armature: bpy.types.Object) -> list[bpy.types.NlaStrip]:
    """List the strips that play: the FBX exporter writes each as an animation."""
    data = armature.animation_data
    tracks = [one for one in data.nla_tracks if not one.mute] if data is not None else []
    return [strip for track in tracks for strip in track.strips if not strip.mute]


def is_fbx_strip(armature: bpy.types.Object, part: ArmatureClip) -> bool:
    """Tell whether a part of a clip is one strip that plays."""
    return any(_is_part(armature, strip, part) for strip in single_strips(armature))


def _is_part(armature: bpy.types.Object, strip: bpy.types.NlaStrip, part: ArmatureClip) -> bool:
    if part.action is not None:
        return strip.action is not None and identity(strip.action) == part.action
    tracks = [one for one in armature.animation_data.nla_tracks if one.name == part.track]
    return any(one.strips[:] == [strip] for one in tracks)


def first_fbx_action(armature: bpy.types.Object) -> str | None:
    """Return the identity of the first action that the FBX exporter writes for an armature; None if there is
    none.
    """
    if armature.animation_data is None:
        return None
    return next((identity(one) for one in bpy.data.actions if _fits(one, armature)), None)


def _fits(action: bpy.types.Action, armature: bpy.types.Object) -> bool:
    if armature.animation_data is not None and armature.animation_data.action == action:
        return True
    for curve in fcurves(action):
        try:
            armature.path_resolve(curve.data_path)
        except ValueError:
            return False
    return any(POSE_BONE_PATH.match(curve.data_path) for curve in fcurves(action))
