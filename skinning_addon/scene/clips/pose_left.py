"""What Blender's exporters play before a clip, which stays in the bones that the clip doesn't key.

The glTF exporter goes to its own frame first, and if it doesn't put bones at rest in between, each action
leaves its last pose to the next. The FBX exporter lets each NLA strip play alone, with what other strips key at
rest; between actions it puts bones back where the scene has them, by their matrices.

Read in Blender's io_scene_gltf2 (exp/export.py, exp/animation/action.py, sampling_cache.py) and io_scene_fbx
(export_fbx_bin.py); `tests/engines/random_exports.py` compares the files.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice

import bpy

from ...core.profiles.export_options import AnimationMode, FbxOptions, GltfOptions
from ...core.text.identity import Identity
from ..identification import action_of, identity
from .actions import POSE_BONE_PATH, fcurves, keyed_channels
from .clips import ArmatureClip
from .exported_actions import WrittenAction, gltf_actions
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
        yield from _earlier_tracks(armature, part, options.frame_step)
        return
    if part.action is None:
        return
    last = _last_frame(alone=alone, options=options)
    for one in gltf_actions(armature, options, alone=alone):
        if one == WrittenAction(Identity.of(part.action), part.slot):
            return
        yield Earlier(ArmatureClip(part.armature, one.action, one.slot), last)


def _earlier_tracks(armature: bpy.types.Object, part: ArmatureClip, step: int) -> Iterator[Earlier]:
    for track in armature.animation_data.nla_tracks:
        if _is_of_track(part, track):
            return
        if len(track.strips):
            ends = [(one.frame_start, one.frame_end) for one in track.strips]
            yield Earlier(ArmatureClip(part.armature, track=track.name), _last_sample(ends, step))


def track_of_part(armature: bpy.types.Object, part: ArmatureClip) -> bpy.types.NlaTrack | None:
    """Return the first NLA track that an armature's part of a clip is, or whose strips play its action."""
    data = armature.animation_data
    tracks = data.nla_tracks if data is not None else ()
    return next((one for one in tracks if _is_of_track(part, one)), None)


def _is_of_track(part: ArmatureClip, track: bpy.types.NlaTrack) -> bool:
    actions = {identity(one.action) for one in track.strips if one.action is not None}
    return track.name == part.track or part.action in actions


def _last_frame(*, alone: bool, options: GltfOptions) -> float:
    """Return the last frame that the exporter samples: that of the longest animation, for all of them."""
    ranges: list[tuple[float, float]] = []
    for one in bpy.context.scene.objects:
        data = one.animation_data
        if data is None:
            continue
        actions = {data.action, *(strip.action for track in data.nla_tracks for strip in track.strips)}
        if one.type == "ARMATURE":
            actions |= {action_of(each.action) for each in gltf_actions(one, options, alone=alone)}
        ranges += [(*action.frame_range,) for action in actions if action is not None]
    return _last_sample(ranges, options.frame_step)


def _last_sample(ranges: Collection[tuple[float, float]], step: int) -> float:
    """Return the last frame that is sampled of animations with these first and last frames; the exporter's own
    frame without any.
    """
    if not ranges:
        return float(GLTF_FRAME)
    start, end = int(min(one for one, _ in ranges)), int(max(one for _, one in ranges))
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
