"""A crowd as armatures with keyed actions, in a scene of its own, for Blender's own tools."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from ...animation.local_pose import LocalPose, compose, decompose
from ...core.refit.channels import turning_the_short_way
from ...core.skinning.skeleton import invert_affine
from ...core.text.errors import CrowdError
from ..clips.action_curves import OwnAction
from ..identification import identity, object_of
from ..object_data import armature_of
from ..objects.modifier_stack import armature_objects
from .character import meshes_of
from .crowd_motion import CrowdMotion

MOST = 64
"""Armatures: each is evaluated in every frame, with its meshes."""

ALL = ("translation", "rotation", "scale")


def keyed_scene(scene: bpy.types.Scene, motions: Sequence[CrowdMotion]) -> bpy.types.Scene:
    """Make a scene of the crowd: every agent has an armature, which shares its data with the others of its
    character, copies of the meshes that it has, in its tint, and an action with a key at every frame.

    motions: of each character.

    Raises:
        CrowdError: there are too many agents.
    """
    count = sum(len(one.agents) for one in motions)
    if count > MOST:
        raise CrowdError(
            "{count} armatures would be too slow to play; write up to {most} with --count, or points.",
            count=count,
            most=MOST,
        )
    made = scene_of_frames(scene, motions[0], "Crowd of armatures")
    armatures = [_armatures(scene, made, one) for one in motions]
    # Armatures get their poses.
    made.view_layers[0].update()
    for motion, added in zip(motions, armatures, strict=True):
        for place, armature in enumerate(added):
            _key(armature, motion, place)
    return made


def _armatures(scene: bpy.types.Scene, made: bpy.types.Scene, motion: CrowdMotion) -> list[bpy.types.Object]:
    """Add an armature with its meshes for each agent of a character."""
    original = object_of(motion.troupe.character.name)
    data = plain_data(original)
    meshes = meshes_of(scene, original)
    armatures: list[bpy.types.Object] = []
    for agent, kind in zip(motion.agents.tolist(), motion.kinds.tolist(), strict=True):
        armature = bpy.data.objects.new(f"{original.name}.agent.{agent:03d}", data)
        made.collection.objects.link(armature)
        for mesh in meshes:
            if identity(mesh) not in motion.troupe.without[kind]:
                copy = add_mesh(made, mesh, original, armature)
                copy.color = (*motion.troupe.tints[kind].tolist(), 1.0)  # pyright: ignore[reportAttributeAccessIssue]
        armatures.append(armature)
    return armatures


def scene_of_frames(scene: bpy.types.Scene, motion: CrowdMotion, name: str) -> bpy.types.Scene:
    """Make an empty scene with the units of another, in which a motion's frames are those from 1 on."""
    made = bpy.data.scenes.new(name)
    made.unit_settings.system = scene.unit_settings.system
    made.unit_settings.scale_length = scene.unit_settings.scale_length
    made.render.fps = max(1, round(motion.rate))
    made.render.fps_base = made.render.fps / motion.rate
    made.frame_start, made.frame_end = 1, max(len(motion.seconds), 1)
    return made


def plain_data(original: bpy.types.Object) -> bpy.types.Armature:
    """Copy an armature's data without drivers; its bones inherit all of their parents' motion, as in clips."""
    data = armature_of(original).copy()
    data.animation_data_clear()
    for bone in data.bones:
        bone.use_inherit_rotation = bone.use_local_location = True
        bone.inherit_scale = "FULL"
    return data


def _key(armature: bpy.types.Object, motion: CrowdMotion, agent: int) -> None:
    """Give an armature an action with all of the motion of one of the character's agents."""
    character = motion.troupe.character
    armature.rotation_mode = "QUATERNION"
    for bone in armature.pose.bones:
        bone.rotation_mode = "QUATERNION"
    own = OwnAction.new(armature.name)
    frames = np.arange(1, len(motion.seconds) + 1, dtype=np.float64)
    own.key_object(frames, _place(motion.places[:, agent]), ALL)
    for number, pose in enumerate(_from_rest(motion, agent)):
        bone = armature.pose.bones[character.body.skeleton.names[number]]
        own.key_bone(bone, frames, pose, ALL, to_the_end=True)
    animation = armature.animation_data_create()
    animation.action = own.action
    if own.slot is not None:
        animation.action_slot = own.slot


def add_mesh(
    scene: bpy.types.Scene,
    mesh: bpy.types.Object,
    original: bpy.types.Object,
    armature: bpy.types.Object,
) -> bpy.types.Object:
    """Add a copy of a mesh that the agent's armature moves, and that is moved along with it."""
    copy = mesh.copy()
    copy.name = f"{mesh.name}.{armature.name}"
    copy.animation_data_clear()
    scene.collection.objects.link(copy)
    for modifier in copy.modifiers:
        if isinstance(modifier, bpy.types.ArmatureModifier) and modifier.object == original:
            modifier.object = armature
    if mesh.parent == original:
        inverse = mesh.matrix_parent_inverse.copy()
        copy.parent = armature
        copy.matrix_parent_inverse = inverse
        return copy
    place = original.matrix_world.inverted() @ mesh.matrix_world
    for constraint in list(copy.constraints):
        copy.constraints.remove(constraint)
    copy.parent, copy.parent_type = armature, "OBJECT"
    copy.matrix_parent_inverse = Matrix()
    copy.matrix_basis = place
    if not armature_objects(copy):
        cast("Any", copy.modifiers.new("Armature", "ARMATURE")).object = armature
    return copy


def _place(places: NDArray[np.float64]) -> LocalPose:
    """Return where an armature object is, (F, 4, 4), as a pose (D, F)."""
    return _short_way(decompose(places).pose)


def _from_rest(motion: CrowdMotion, agent: int) -> list[LocalPose]:
    """Return each bone's channels, relative to rest: (D, F)."""
    skeleton = motion.troupe.character.body.skeleton
    rest, _ = skeleton.to_parent(skeleton.rest_to_root)
    from_rest = invert_affine(rest)[0]
    if motion.poses is None:
        return []
    to_parent = compose(motion.poses.at(slice(None), agent)).astype(np.float64)
    found = decompose(to_parent @ from_rest).pose
    return [_short_way(found.at(slice(None), bone)) for bone in range(len(skeleton.names))]


def _short_way(pose: LocalPose) -> LocalPose:
    return LocalPose(
        pose.translation, turning_the_short_way(pose.rotation.T.astype(np.float64)).T, pose.scale
    )
