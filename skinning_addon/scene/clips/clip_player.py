"""Plays clips of a scene as a file made with an exporter's options holds them, or as Blender itself plays them.

What a clip doesn't key is the difference. Blender leaves it as it is in the scene. So does FBX; the glTF
exporter puts bones at rest when it switches from one action to another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto

import bpy

from ...core.profiles.export_options import AnimationMode, ExportOptions, FbxOptions, GltfOptions
from ...core.text.identity import Identity
from ..identification import identity, object_of
from .armature_state import ArmatureState, reset_pose
from .clips import ClipPart, SceneClip
from .exported_actions import WrittenAction, active_action, gltf_actions, keeps_scene_pose
from .playback import Playback, play_part, stop_animation


class Motion(Enum):
    """What moves an armature while something plays."""

    CLIP = auto()
    """Its part of the clip."""
    ACTION = auto()
    """The action that is assigned in the scene, without the NLA stack."""
    TRACKS = auto()
    """The NLA stack, without the assigned action."""
    SCENE = auto()
    """Whatever moves it in the scene."""
    STILL = auto()
    """Nothing but its constraints and drivers."""


@dataclass(frozen=True)
class ArmaturePlan:
    """at_rest: whether bones without keys are at rest; else they are posed as in the scene. over_nla: whether
    the clip plays on top of the NLA stack.
    """

    motion: Motion
    part: ClipPart | None = None
    at_rest: bool = False
    over_nla: bool = False


class ClipPlayer:
    """Plays clips and the scene's own animation in any order, each from the state that the armatures had when
    this was made.

    Changes the scene: only for files opened to be measured and for isolated scenes.
    """

    def __init__(
        self,
        scene: bpy.types.Scene,
        source: bpy.types.Scene | None = None,
        originals: Mapping[str, str] | None = None,
    ) -> None:
        """source, originals: the scene that this one's objects are copies of, and their originals' identities
        by their own; that is what exporters find.
        """
        self._scene, self._source = scene, source or scene
        self._originals = originals or {}
        self._states = {identity(one): ArmatureState.of(one) for one in armatures_of(scene)}
        render = scene.render
        self._remapping = (render.frame_map_old, render.frame_map_new)

    def play(self, playback: Playback, options: ExportOptions | None = None) -> None:
        """Prepare the scene for the frames of `playback`. options: of the exporter; None for Blender's own."""
        self.restore()
        plans = self.plans(playback, options)
        for name, plan in plans.items():
            _apply(object_of(name), plan)
        if isinstance(playback, SceneClip):
            # Time remapping would change the clip's speed.
            self._scene.render.frame_map_old = self._scene.render.frame_map_new = 100

    def restore(self) -> None:
        """Bring all armatures back to how they were."""
        render = self._scene.render
        render.frame_map_old, render.frame_map_new = self._remapping
        for name, state in self._states.items():
            state.restore(object_of(name))

    def plans(self, playback: Playback, options: ExportOptions | None) -> dict[Identity, ArmaturePlan]:
        """Return what each armature of the scene does. Call it while all are as they were."""
        parts = {one.armature: one for one in playback.parts} if isinstance(playback, SceneClip) else None
        alone = len(armatures_of(self._source)) == 1
        followed = self._followed(parts) if parts is not None and isinstance(options, GltfOptions) else set()
        plans: dict[Identity, ArmaturePlan] = {}
        for name in self._states:
            original = object_of(self._originals.get(name, name))
            if parts is None:
                plans[name] = plan_of_scene(original, options, alone=alone)
            elif name in parts:
                plans[name] = plan_of_part(original, parts[name], options, alone=alone)
            elif name in followed:
                plans[name] = ArmaturePlan(Motion.SCENE)
            else:
                plans[name] = ArmaturePlan(Motion.STILL, at_rest=isinstance(options, GltfOptions))
        return plans

    def groups(
        self, playback: Playback, options: Iterable[ExportOptions | None]
    ) -> list[tuple[ExportOptions | None, set[ExportOptions | None]]]:
        """Group exporters' options by what the armatures do under them: one to play with, and all it serves."""
        self.restore()
        plans: list[dict[Identity, ArmaturePlan]] = []
        groups: list[tuple[ExportOptions | None, set[ExportOptions | None]]] = []
        for one in options:
            plan = self.plans(playback, one)
            if plan not in plans:
                plans.append(plan)
                groups.append((one, set()))
            groups[plans.index(plan)][1].add(one)
        return groups

    def _followed(self, parts: Mapping[str, ClipPart]) -> set[Identity]:
        """Name the other armatures that those of a clip depend on: the exporter samples the clip while these
        play what the scene plays.
        """
        found: set[Identity] = set()
        waiting = [object_of(name) for name in parts]
        while waiting:
            for one in _dependencies(waiting.pop()):
                name = identity(one)
                if name in self._states and name not in parts and name not in found:
                    found.add(name)
                    waiting.append(one)
        return found


def armatures_of(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """List a scene's armature objects."""
    return [one for one in scene.objects if one.type == "ARMATURE"]


def plan_of_part(
    armature: bpy.types.Object, part: ClipPart, options: ExportOptions | None, *, alone: bool
) -> ArmaturePlan:
    """Return how an armature plays its part of a clip. alone: whether it is the only one in the file."""
    match options:
        case GltfOptions():
            return ArmaturePlan(
                Motion.CLIP, part, at_rest=not _keeps_pose(armature, part, options, alone=alone)
            )
        case FbxOptions():
            return ArmaturePlan(Motion.CLIP, part, over_nla=part.action is not None)
        case None:
            return ArmaturePlan(Motion.CLIP, part)


def _keeps_pose(armature: bpy.types.Object, part: ClipPart, options: GltfOptions, *, alone: bool) -> bool:
    if not options.reset_pose_bones or options.mode is AnimationMode.SCENE:
        return True
    if options.mode is AnimationMode.NLA_TRACKS or part.action is None:
        return False
    written = gltf_actions(armature, options, alone=alone)
    return keeps_scene_pose(armature, WrittenAction(Identity.of(part.action), part.slot), written)


def plan_of_scene(armature: bpy.types.Object, options: ExportOptions | None, *, alone: bool) -> ArmaturePlan:
    """Return how an armature plays when the scene's own animation does."""
    if not isinstance(options, GltfOptions) or options.mode is AnimationMode.SCENE:
        return ArmaturePlan(Motion.SCENE)
    data = armature.animation_data
    resets = options.reset_pose_bones
    if options.mode is AnimationMode.NLA_TRACKS:
        tracks = data is not None and len(data.nla_tracks) > 0
        return ArmaturePlan(Motion.TRACKS, at_rest=resets) if tracks else ArmaturePlan(Motion.SCENE)
    written, active = gltf_actions(armature, options, alone=alone), active_action(armature)
    if active is not None and active in written:
        keeps = not resets or keeps_scene_pose(armature, active, written)
        return ArmaturePlan(Motion.ACTION, at_rest=not keeps)
    # Without an action in the file, bones are shown as the scene has them; a finding says that they aren't
    # in it.
    return ArmaturePlan(Motion.SCENE, at_rest=resets and bool(written))


def _apply(armature: bpy.types.Object, plan: ArmaturePlan) -> None:
    """Have an armature, as the scene has it, do what is planned."""
    data = armature.animation_data
    uses_nla = data is not None and data.use_nla
    if plan.motion in {Motion.CLIP, Motion.STILL}:
        stop_animation(armature)
    elif data is not None and plan.motion is Motion.ACTION:
        data.use_nla = False
    elif data is not None and plan.motion is Motion.TRACKS:
        data.use_tweak_mode = False
        data.action = None
        data.use_nla = True
    if plan.at_rest:
        reset_pose(armature)
    if plan.part is not None:
        play_part(armature, plan.part)
    if plan.over_nla and data is not None:
        data.use_nla = uses_nla


def _dependencies(armature: bpy.types.Object) -> Iterator[bpy.types.Object]:
    """List the objects that an armature's bones follow, by constraints, drivers or as its parent."""
    if armature.parent is not None:
        yield armature.parent
    owners = (armature, *(armature.pose.bones if armature.pose else ()))
    for constraint in (one for owner in owners for one in owner.constraints):
        targets = getattr(constraint, "targets", None) or (constraint,)
        for target in targets:
            followed = getattr(target, "target", None)
            if followed is not None:
                yield followed
    data = armature.animation_data
    for curve in data.drivers if data is not None else ():
        for variable in curve.driver.variables:
            yield from (one.id for one in variable.targets if isinstance(one.id, bpy.types.Object))
