"""What each armature does while a clip or the scene plays, in Blender or in an exported file.

They differ in what a clip doesn't key. Blender leaves it as it is in the scene, and so does the FBX exporter;
the glTF exporter puts bones at rest when it switches from one action to another.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, cast

import bpy

from ...core.profiles.export_options import AnimationMode, ExportOptions, FbxOptions, GltfOptions, UsdOptions
from ...core.text.identity import Identity
from ..identification import action_of, identity
from .actions import BROUGHT_FROM, keyed_channels
from .clips import ArmatureClip
from .exported_actions import (
    WrittenAction,
    action_in_file,
    active_action,
    as_action,
    gltf_actions,
    keeps_scene_pose,
    track_of_part,
)
from .exported_ranges import range_of_action
from .own_transform import ALL, changed_by_track, keyed_of_object
from .pose_left import (
    Earlier,
    before_in_gltf,
    first_fbx_action,
    is_fbx_strip,
    left_in_gltf,
    rested_in_fbx,
    single_strips,
)

BAKES_WITHOUT_ACTIONS = (5, 0, 0)
"""The first Blender taken to write what the scene plays to a .glb even if the file has no action; 4.2 and 4.3
don't, 5.2 does.
"""


class Motion(Enum):
    """What moves an armature while something plays."""

    CLIP = auto()
    """The clip's action or track for it."""
    ACTION = auto()
    """The action that is assigned in the scene, without the NLA stack."""
    TRACKS = auto()
    """The NLA stack, without the assigned action."""
    SCENE = auto()
    """Whatever moves it in the scene."""
    STILL = auto()
    """Nothing but its constraints and drivers."""


class Loss(Enum):
    """What a file lacks of what Blender plays."""

    CLIP = auto()
    """The clip as a whole."""
    MOTION = auto()
    """The armature's motion, and its pose: no action moves it."""
    POSE = auto()
    """The pose of bones without keys."""
    ACTION = auto()
    """What the scene plays: another action has its place."""
    MIX = auto()
    """The NLA stack under the action."""
    PLACE = auto()
    """The armature's own place while its bones were posed, which follow other objects."""


@dataclass(frozen=True)
class ArmaturePlan:
    """at_rest: whether bones without keys are at rest; else they are posed as in the scene, or as what plays
    before (`earlier`) leaves them, except for `rested`: bones, channels and components. placed: what plays
    before, for the object's own transform, of which the file animates the channels `moves`. over_nla: whether
    the clip plays on top of the NLA stack. by_matrix: whether poses without keys are put back by matrices, in
    which mirrored scales become rotations. written: whether the file has any animation for it; if not, this is
    what it would play if it were written.
    """

    motion: Motion
    part: ArmatureClip | None = None
    at_rest: bool = False
    over_nla: bool = False
    earlier: tuple[Earlier, ...] = ()
    placed: tuple[Earlier, ...] = ()
    moves: frozenset[str] = frozenset()
    rested: frozenset[tuple[str, str, int]] = frozenset()
    by_matrix: bool = False
    # Does not affect how it plays.
    written: bool = field(default=True, compare=False)


def plan_of_part(
    armature: bpy.types.Object,
    part: ArmatureClip,
    options: ExportOptions | None,
    shown: float,
    *,
    alone: bool,
) -> ArmaturePlan:
    """Return how an armature plays its part of a clip. shown: the frame that the scene shows. alone: whether
    it is the only one in the file.
    """
    match options:
        case GltfOptions():
            if options.mode not in {AnimationMode.NLA_TRACKS, AnimationMode.SCENE}:
                part = as_action(armature, part)
            keeps = _keeps_pose(armature, part, options, alone=alone)
            return ArmaturePlan(
                Motion.CLIP,
                part,
                at_rest=not keeps,
                earlier=tuple(left_in_gltf(armature, part, options, shown, alone=alone)) if keeps else (),
                placed=tuple(before_in_gltf(armature, part, options, shown, alone=alone)),
                moves=_moves_object(armature, part, options),
                written=_is_written(armature, part, options, alone=alone),
            )
        case FbxOptions():
            if options.use_all_actions and not options.use_nla_strips:
                part = as_action(armature, part)
            is_action = part.action is not None
            return ArmaturePlan(
                Motion.CLIP,
                part,
                over_nla=is_action and options.use_all_actions,
                rested=rested_in_fbx(armature, part, options),
                by_matrix=options.use_all_actions and first_fbx_action(armature) != part.action,
                written=_is_in_fbx(armature, part, options),
            )
        case UsdOptions() | None:
            # This scene's pose has nothing to do with a clip of another file.
            return ArmaturePlan(Motion.CLIP, part, at_rest=_is_brought(armature, part))


def _is_brought(armature: bpy.types.Object, part: ArmatureClip) -> bool:
    if part.action is not None:
        return BROUGHT_FROM in action_of(part.action)
    data = armature.animation_data
    track = data.nla_tracks.get(part.track) if data is not None and part.track is not None else None
    return track is not None and any(one.action and BROUGHT_FROM in one.action for one in track.strips)


def _keeps_pose(armature: bpy.types.Object, part: ArmatureClip, options: GltfOptions, *, alone: bool) -> bool:
    if not options.reset_pose_bones or options.mode is AnimationMode.SCENE:
        return True
    if options.mode is AnimationMode.NLA_TRACKS or part.action is None:
        return False
    written = gltf_actions(armature, options, alone=alone)
    return keeps_scene_pose(armature, WrittenAction(Identity.of(part.action), part.slot), written)


def _is_written(armature: bpy.types.Object, part: ArmatureClip, options: GltfOptions, *, alone: bool) -> bool:
    if options.mode is AnimationMode.SCENE:
        return True
    if options.mode is AnimationMode.NLA_TRACKS:
        tracks = armature.animation_data.nla_tracks if armature.animation_data else ()
        actions = [strip.action for track in tracks for strip in track.strips]
        return part.action is None or any(one is not None and identity(one) == part.action for one in actions)
    if part.action is None:
        return False
    written = gltf_actions(armature, options, alone=alone)
    if options.mode is AnimationMode.ACTIVE_ACTIONS:
        written = written[:1]
    # A short action may end before the first frame that is sampled.
    first, last = range_of_action(action_of(part.action), options, bpy.context.scene)
    return WrittenAction(Identity.of(part.action), part.slot) in written and first <= last


def _is_in_fbx(armature: bpy.types.Object, part: ArmatureClip, options: FbxOptions) -> bool:
    if not options.bake_anim:
        return False
    if options.use_all_actions and part.action is not None and armature.animation_data is not None:
        return True
    return options.use_nla_strips and is_fbx_strip(armature, part)


def _moves_in_fbx(armature: bpy.types.Object, options: FbxOptions) -> bool:
    """Whether the file has any animation for an armature."""
    if options.is_scene or not options.bake_anim:
        return options.bake_anim
    by_action = options.use_all_actions and first_fbx_action(armature) is not None
    return by_action or (options.use_nla_strips and bool(single_strips(armature)))


def plan_of_scene(
    armature: bpy.types.Object, options: ExportOptions | None, shown: float, *, alone: bool
) -> ArmaturePlan:
    """Return how an armature plays when the scene's own animation does. shown: the frame that it shows."""
    if isinstance(options, FbxOptions):
        return ArmaturePlan(Motion.SCENE, written=_moves_in_fbx(armature, options))
    if not isinstance(options, GltfOptions):
        return ArmaturePlan(Motion.SCENE)
    if options.mode is AnimationMode.SCENE:
        bakes = len(bpy.data.actions) > 0 or bpy.app.version >= BAKES_WITHOUT_ACTIONS
        return ArmaturePlan(Motion.SCENE, written=bakes)
    data = armature.animation_data
    resets = options.reset_pose_bones
    if options.mode is AnimationMode.NLA_TRACKS:
        tracks = data is not None and len(data.nla_tracks) > 0
        if not tracks:
            return ArmaturePlan(Motion.SCENE, written=False)
        return ArmaturePlan(Motion.TRACKS, at_rest=resets)
    written = gltf_actions(armature, options, alone=alone)
    played = action_in_file(armature, options, written)
    if played is not None:
        keeps = not resets or keeps_scene_pose(armature, played, written)
        part = _part_of(armature, played)
        earlier = left_in_gltf(armature, part, options, shown, alone=alone)
        is_active = played == active_action(armature)
        return ArmaturePlan(
            Motion.ACTION if is_active else Motion.CLIP,
            None if is_active else part,
            at_rest=not keeps,
            earlier=tuple(earlier) if keeps else (),
            placed=tuple(before_in_gltf(armature, part, options, shown, alone=alone)),
            moves=_moves_object(armature, part, options),
        )
    baked = options.bake_animation and len(bpy.data.actions) > 0
    return ArmaturePlan(Motion.SCENE, at_rest=resets and bool(written), written=bool(written) or baked)


def _moves_object(armature: bpy.types.Object, part: ArmatureClip, options: GltfOptions) -> frozenset[str]:
    """Return the channels of an armature's node that its part of a clip has in the file."""
    if options.mode is AnimationMode.NLA_TRACKS:
        track = track_of_part(armature, part)
        return ALL if track is None else changed_by_track(armature, track)
    if part.action is None:
        return ALL
    action = action_of(part.action)
    slot = cast("Any", action).slots[part.slot] if part.slot is not None else None
    return keyed_of_object(action, slot)


def _part_of(armature: bpy.types.Object, one: WrittenAction) -> ArmatureClip:
    return ArmatureClip(identity(armature), one.action, one.slot)


def keyed_under(plan: ArmaturePlan, armature: bpy.types.Object) -> set[tuple[str, str, int]]:
    """Return the bones, channels and components that an armature's actions key under a plan."""
    data = armature.animation_data
    if plan.part is not None and plan.part.action is not None:
        action = action_of(plan.part.action)
        slot = cast("Any", action).slots[plan.part.slot] if plan.part.slot is not None else None
        return keyed_channels(action, slot)
    found: set[tuple[str, str, int]] = set()
    if data is None:
        return found
    if plan.motion in {Motion.ACTION, Motion.SCENE} and data.action is not None:
        found |= keyed_channels(data.action, getattr(data, "action_slot", None))
    if plan.motion is not Motion.ACTION:
        for track in data.nla_tracks:
            plays = plan.motion is Motion.TRACKS or (data.use_nla and not track.mute)
            if (plays and plan.part is None) or (plan.part is not None and track.name == plan.part.track):
                for strip in track.strips:
                    if strip.action is not None:
                        found |= keyed_channels(strip.action, getattr(strip, "action_slot", None))
    return found


def mixes_tracks(armature: bpy.types.Object) -> bool:
    """Whether Blender plays NLA strips under the action."""
    data = armature.animation_data
    if data is None or not data.use_nla:
        return False
    return any(not track.mute and any(not one.mute for one in track.strips) for track in data.nla_tracks)
