"""The armature of a game-ready copy: no constraints but those of helper bones, no drivers, no bendy bones, and
all scale inherited.

Bones can only be removed, added or given another parent in Edit Mode. On leaving it Blender computes the rest
pose again from heads, tails and rolls, which turns bones by up to some 2e-5 radians (`Bone.matrix_local` can't
be written). If nothing of that is needed, the rest pose stays the same to the last bit; otherwise the motion is
set against the new one (`copied_clips`), so that the mesh does not move.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from ...core.text.errors import UsageError
from ..armatures.armature_reader import read_armature
from ..clips.armature_state import reset_pose
from ..copies.isolated_scene import SCENE_NAME
from ..object_data import armature_of
from .helper_constraints import constrain_helpers
from .plan import CopyPlan

STAYS_CONNECTED = 1e-7
"""How far a connected bone may move, as a part of its length: Blender ignores its location."""

ENDING = " game-ready"

CLIP_BONES = "Clip Bones"
"""The bone collection that they are in."""

NUMBER = ".001"
"""What Blender adds to a name that is taken, or more; it cuts what stands before, if need be."""

LONGEST_NAME = cast("bpy.types.StringProperty", bpy.types.ID.bl_rna.properties["name"]).length_max - 1
"""Longest name of a data-block, in bytes: 63, and 255 from Blender 5.0 on."""

Keep = Callable[[bpy.types.ID], None]
"""Takes every data-block that is made, so that it can be removed if anything fails."""


def copy_armature(plan: CopyPlan, original: bpy.types.Object, keep: Keep) -> bpy.types.Object:
    """Make the copy's armature object, in no collection yet, at rest, without animation and not hidden.

    Raises:
        UsageError: the original is being edited.
    """
    if armature_of(original).is_editmode:
        raise UsageError("'{armature}' is being edited; leave Edit Mode.", armature=original.name)
    copy = original.copy()
    keep(copy)
    copy.name = game_ready_name(original.name)
    copy.animation_data_clear()
    data = armature_of(original).copy()
    keep(data)
    data.name = game_ready_name(original.name)
    data.animation_data_clear()
    data.pose_position = "POSE"
    copy.data = data
    # Even if the original's monitor icon is off: the copy is there to be seen and exported, and Blender can't
    # edit the bones of an armature that is switched off.
    copy.hide_viewport = False
    _strip_pose(copy)
    if _needs_edit_mode(plan, data):
        _edit_bones(plan, copy)
    for planned in plan.bones:
        bone = data.bones[planned.name]
        bone.use_deform = planned.deform
        bone.inherit_scale = "FULL"
        bone.use_inherit_rotation = True
        bone.use_local_location = True
        bone.bbone_segments = 1
    _collect_clip_bones(plan, data)
    constrain_helpers(plan, copy)
    return copy


def _collect_clip_bones(plan: CopyPlan, data: bpy.types.Armature) -> None:
    """Put clip bones, the children of helpers, into a bone collection: to be selected, or hidden, at once."""
    helpers = {bone.name for bone in plan.bones if bone.drivers}
    found = [bone.name for bone in plan.bones if bone.parent in helpers and bone.name not in helpers]
    if found:
        collection = data.collections.new(CLIP_BONES)
        for name in found:
            collection.assign(data.bones[name])


def game_ready_name(original: str) -> str:
    """Return what the copy of an object is called, or one of its data-blocks. original: its name.

    Blender cuts long names at the end; here the original's is cut, so that all say what they are.
    """
    longest = LONGEST_NAME - len(ENDING.encode()) - len(NUMBER)
    return original.encode()[:longest].decode(errors="ignore").rstrip() + ENDING


def rest_of_copy(plan: CopyPlan, copy: bpy.types.Object) -> NDArray[np.float64]:
    """Return rest_to_root (B, 4, 4) float64 that the copy really has, in the order of the plan's bones."""
    skeleton = read_armature(copy).skeleton
    return skeleton.rest_to_root[[skeleton.index(bone.name) for bone in plan.bones]]


def _strip_pose(copy: bpy.types.Object) -> None:
    """Remove everything from the pose that is not in the plan's channels."""
    for bone in copy.pose.bones:
        for constraint in list(bone.constraints):
            bone.constraints.remove(constraint)
        bone.custom_shape = None
        bone.rotation_mode = "QUATERNION"
    reset_pose(copy)


def _needs_edit_mode(plan: CopyPlan, data: bpy.types.Armature) -> bool:
    if {bone.name for bone in plan.bones} != {bone.name for bone in data.bones}:
        return True
    moves = _moves(plan)
    return any(
        (bone.parent.name if bone.parent else None) != planned.parent or (bone.use_connect and moves[index])
        for index, planned in enumerate(plan.bones)
        for bone in (data.bones[planned.name],)
    )


def _moves(plan: CopyPlan) -> NDArray[np.bool_]:
    """Tell which bones (B,) are moved away from their rest place on the parent, other than by rounding."""
    farthest = np.zeros(len(plan.bones))
    for clip in plan.clips:
        far = np.linalg.norm(clip.channels.translations, axis=2)
        np.maximum(farthest, far.max(axis=0), out=farthest)
    return farthest > STAYS_CONNECTED * np.array([bone.length for bone in plan.bones])


def _edit_bones(plan: CopyPlan, copy: bpy.types.Object) -> None:
    """Remove, add and hang bones as planned, in a scene of its own that no window shows."""
    data = armature_of(copy)
    scene = bpy.data.scenes.new(f"{SCENE_NAME} bones")
    try:
        scene.collection.objects.link(copy)
        view_layer = scene.view_layers[0]
        view_layer.objects.active = copy
        override = {"scene": scene, "view_layer": view_layer, "object": copy, "active_object": copy}
        with bpy.context.temp_override(**override):
            bpy.ops.object.mode_set(mode="EDIT")
            try:
                _edit(plan, data)
            finally:
                bpy.ops.object.mode_set(mode="OBJECT")
    finally:
        bpy.data.scenes.remove(scene)


def _edit(plan: CopyPlan, data: bpy.types.Armature) -> None:
    edit_bones = data.edit_bones
    planned = {bone.name: bone for bone in plan.bones}
    for bone in [one for one in edit_bones if one.name not in planned]:
        edit_bones.remove(bone)
    for bone in plan.bones:
        if bone.name not in edit_bones:
            new = edit_bones.new(bone.name)
            new.head, new.tail = (0.0, 0.0, 0.0), (0.0, bone.length, 0.0)
            new.matrix = Matrix(bone.rest_to_root.T.tolist())
    moves = _moves(plan)
    for bone, moved in zip(plan.bones, moves, strict=True):
        edited = edit_bones[bone.name]
        parent = None if bone.parent is None else edit_bones[bone.parent]
        if edited.parent != parent:
            # A connected bone would be moved to its new parent's tail.
            edited.use_connect = False
            edited.parent = parent
        if moved:
            edited.use_connect = False
