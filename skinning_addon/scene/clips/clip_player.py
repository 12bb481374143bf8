"""Plays clips of a scene as they are in an exported file, or as Blender itself plays them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.profiles.export_options import ExportOptions, FbxOptions, GltfOptions
from ...core.text.identity import Identity
from ..identification import identity, object_of
from ..object_data import armature_of
from .actions import keys_bones
from .armature_state import (
    REST_CHANNELS,
    ArmatureState,
    pose_channels,
    put_back_by_matrices,
    reset_pose,
)
from .clips import ArmatureClip, SceneClip
from .followed_objects import followed_by_bones, followed_objects
from .own_transform import ALL, REST, OwnTransform, in_file, keyed_of_object, own_transform, set_own_transform
from .playback import Playback, play_part, set_frame, stop_animation
from .playback_plan import (
    ArmaturePlan,
    Loss,
    Motion,
    keyed_under,
    mixes_tracks,
    plan_of_part,
    plan_of_scene,
)
from .pose_left import Earlier


class ClipPlayer:
    """Plays clips and the scene's own animation in any order, each from the state that the armatures had when
    this was made.

    This changes the scene: only for files opened to be measured, and isolated scenes.
    """

    def __init__(
        self,
        scene: bpy.types.Scene,
        source: bpy.types.Scene | None = None,
        originals: Mapping[str, str] | None = None,
    ) -> None:
        """source: the scene that exporters see, if the objects of `scene` are copies of its objects. originals:
        identities of the originals by those of the copies.
        """
        self._scene, self._source = scene, source or scene
        self._originals = originals or {}
        self._states = {identity(one): ArmatureState.of(one) for one in armatures_of(scene)}
        render = scene.render
        self._remapping = (render.frame_map_old, render.frame_map_new)
        self._shown = scene.frame_current_final

    def play(
        self, playback: Playback, options: ExportOptions | None = None, *, rest_unwritten: bool = False
    ) -> None:
        """Prepare the scene for the frames of `playback`.

        options: of the exporter; None for Blender's own. rest_unwritten: whether armatures without animation in
        the file are at rest, as an engine shows them.
        """
        self.restore()
        plans = self.plans(playback, options)
        left = {
            name: self._left_by(object_of(name), one)
            for name, one in plans.items()
            if one.earlier or one.by_matrix
        }
        own = {name: self._own_transform(object_of(name), one) for name, one in plans.items() if one.placed}
        for name, plan in plans.items():
            armature = object_of(name)
            set_own_transform(armature, own.get(name, {}))
            _apply(armature, plan, left.get(name, {}))
            if rest_unwritten and not plan.written and isinstance(options, GltfOptions):
                armature_of(armature).pose_position = "REST"
        if isinstance(playback, SceneClip):
            # Time remapping would change the clip's speed.
            self._scene.render.frame_map_old = self._scene.render.frame_map_new = 100

    def _left_by(self, armature: bpy.types.Object, plan: ArmaturePlan) -> dict[str, NDArray[np.float32]]:
        """Return the pose that an exporter leaves in an armature's bones before its plan, by channel; all
        armatures are as they were afterwards.
        """
        if plan.by_matrix:
            put_back_by_matrices(armature)
            # What the scene keys is played again.
            set_frame(self._scene, self._shown)
        for one in plan.earlier:
            self._play_earlier(armature, one)
        left = pose_channels(armature)
        self.restore()
        return left

    def _own_transform(self, armature: bpy.types.Object, plan: ArmaturePlan) -> OwnTransform:
        """Return the own properties of an armature object that a file has beside a plan's keys; all armatures
        are as they were afterwards.
        """
        node: OwnTransform | None = None
        for one in plan.placed:
            self._play_earlier(armature, one)
            node = own_transform(armature) if node is None else node
        left = own_transform(armature)
        self.restore()
        return in_file(left if node is None else node, left, plan.moves)

    def _is_posed_elsewhere(self, armature: bpy.types.Object, plan: ArmaturePlan) -> bool:
        """Whether bones that follow other objects are sampled while the armature object stands where earlier
        clips have left it, and not where the file has it.
        """
        if not plan.placed or not any(followed_by_bones(armature)):
            return False
        sampled = self._own_transform(armature, replace(plan, moves=ALL))
        return sampled != self._own_transform(armature, plan)

    def _play_earlier(self, armature: bpy.types.Object, one: Earlier) -> None:
        if one.part is not None:
            stop_animation(armature)
            play_part(armature, one.part)
        set_frame(self._scene, one.frame)

    def restore(self) -> None:
        """Bring all armatures back to how they were."""
        render = self._scene.render
        render.frame_map_old, render.frame_map_new = self._remapping
        for name, state in self._states.items():
            state.restore(object_of(name))

    def plans(self, playback: Playback, options: ExportOptions | None) -> dict[Identity, ArmaturePlan]:
        """Return what each armature of the scene does. Only for armatures in their own state (`restore`)."""
        parts = {one.armature: one for one in playback.parts} if isinstance(playback, SceneClip) else None
        alone = len(armatures_of(self._source)) == 1
        followed = self._followed(parts) if parts is not None and isinstance(options, GltfOptions) else set()
        plans: dict[Identity, ArmaturePlan] = {}
        for name in self._states:
            original = object_of(self._originals.get(name, name))
            if parts is None:
                plan = plan_of_scene(original, options, self._shown, alone=alone)
            elif name in parts:
                plan = plan_of_part(original, parts[name], options, self._shown, alone=alone)
            elif name in followed:
                plan = ArmaturePlan(Motion.SCENE)
            else:
                plan = ArmaturePlan(Motion.STILL, at_rest=isinstance(options, GltfOptions))
            plans[name] = self._simplest(plan, name, original)
        in_file = any(one.motion is Motion.CLIP and one.written for one in plans.values())
        if in_file and parts is not None:
            # The action fits these armatures, but the exporter doesn't assign it to them.
            plans |= {
                name: ArmaturePlan(Motion.STILL, at_rest=isinstance(options, GltfOptions))
                for name, one in plans.items()
                if not one.written
            }
        return plans

    def _simplest(self, plan: ArmaturePlan, name: Identity, original: bpy.types.Object) -> ArmaturePlan:
        """Return the plan without distinctions that make no difference here, so that equal ones play once."""
        if not mixes_tracks(original):
            motion = Motion.SCENE if plan.motion is Motion.ACTION else plan.motion
            plan = replace(plan, motion=motion, over_nla=False)
        posed = plan.at_rest and self._states[name].posed_bones(object_of(name), keyed_under(plan, original))
        scales = self._states[name].channels.get("scale", np.zeros(0))
        return replace(
            plan,
            at_rest=bool(posed),
            earlier=plan.earlier if _leaves_something(plan, original) else (),
            placed=plan.placed if self._objects_move and original.animation_data is not None else (),
            by_matrix=plan.by_matrix and bool((scales < 0).any()),
        )

    @cached_property
    def _objects_move(self) -> bool:
        """Whether any action that moves bones also moves an armature object as a whole."""
        fitting = [one for one in bpy.data.actions if any(keys_bones(one).values())]
        return any(keyed_of_object(one) for one in fitting)

    def frames_in_file(
        self, playback: Playback, options: ExportOptions | None, frames: Sequence[float]
    ) -> Sequence[float]:
        """Return the frames to show for the poses that a file has at some frames: without animation, an FBX
        file holds the pose that the scene shows.
        """
        self.restore()
        if not isinstance(options, FbxOptions):
            return frames
        all_written = all(one.written for one in self.plans(playback, options).values())
        return frames if all_written else [self._shown] * len(frames)

    def losses(self, playback: Playback, options: ExportOptions | None) -> dict[Identity, frozenset[Loss]]:
        """Return what a file lacks of what Blender plays, by armature, all of which are in their own state."""
        if not isinstance(options, GltfOptions | FbxOptions):
            return {}
        is_scene = not isinstance(playback, SceneClip)
        return {
            name: frozenset(self._losses_of(object_of(name), plan, options, is_scene=is_scene))
            for name, plan in self.plans(playback, options).items()
        }

    def _losses_of(
        self,
        armature: bpy.types.Object,
        plan: ArmaturePlan,
        options: GltfOptions | FbxOptions,
        *,
        is_scene: bool,
    ) -> Iterator[Loss]:
        if not plan.written:
            yield Loss.CLIP if plan.motion is Motion.CLIP else Loss.MOTION
            return
        if plan.motion is Motion.CLIP and is_scene:
            yield Loss.ACTION
        # FBX has the scene's unkeyed poses.
        if isinstance(options, GltfOptions):
            if plan.motion is Motion.ACTION:
                yield Loss.MIX
            elif plan.at_rest and plan.motion is not Motion.STILL:
                yield Loss.POSE
            if self._is_posed_elsewhere(armature, plan):
                yield Loss.PLACE

    def groups(
        self, playback: Playback, options: Iterable[ExportOptions | None]
    ) -> list[tuple[ExportOptions | None, set[ExportOptions | None]]]:
        """Group exporters' options that play alike. Return for each group one of them, and all."""
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

    def _followed(self, parts: Mapping[str, ArmatureClip]) -> set[Identity]:
        """Return the other armatures that those of a clip depend on; while the exporter samples the clip, these
        play what the scene plays.
        """
        found: set[Identity] = set()
        waiting = [object_of(name) for name in parts]
        while waiting:
            for one in followed_objects(waiting.pop()):
                name = identity(one)
                if name in self._states and name not in parts and name not in found:
                    found.add(name)
                    waiting.append(one)
        return found


def armatures_of(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """List a scene's armature objects."""
    return [one for one in scene.objects if one.type == "ARMATURE"]


def _apply(armature: bpy.types.Object, plan: ArmaturePlan, left: Mapping[str, NDArray[np.float32]]) -> None:
    """Carry out a plan on an armature that is in the scene's own state. left: channels of its bones, as what
    plays before leaves them.
    """
    data = armature.animation_data
    for channel, values in left.items():
        armature.pose.bones.foreach_set(channel, values)
    for name, channel, component in plan.rested:
        if not name:
            getattr(armature, channel)[component] = REST[channel][component]
        elif name in armature.pose.bones and channel in REST_CHANNELS:
            getattr(armature.pose.bones[name], channel)[component] = REST_CHANNELS[channel][component]
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


def _leaves_something(plan: ArmaturePlan, armature: bpy.types.Object) -> bool:
    """Whether what plays before may leave a pose in bones that a plan's own animation doesn't key."""
    before: set[tuple[str, str, int]] = set()
    for one in plan.earlier:
        motion = Motion.SCENE if one.part is None else Motion.CLIP
        before |= keyed_under(ArmaturePlan(motion, one.part), armature)
    return bool(before - keyed_under(plan, armature))
