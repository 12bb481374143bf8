"""Chooses the bone, and the mesh, whose matrices are shown."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ...scene.armatures.bone_matrices import BoneMatrices, joint_count, read_bone_matrices
from ...scene.object_data import armature_of
from ...scene.objects.modifier_stack import armature_objects
from ...viewport.session import current_session
from ..settings.matrix_settings import matrix_settings


@dataclass(frozen=True)
class BoneInFocus:
    """The bone whose matrices are shown. joints: how many it has. mesh_object: None if only the armature is
    known.
    """

    armature: bpy.types.Object
    name: str
    joints: int
    mesh_object: bpy.types.Object | None


def bone_in_focus(context: bpy.types.Context) -> BoneInFocus | None:
    """Find the active bone of the active armature, or of the active mesh's armature."""
    active = context.active_object
    if active is None:
        return None
    armatures = (active,) if active.type == "ARMATURE" else armature_objects(active)
    for armature in armatures:
        bone = armature_of(armature).bones.active
        if bone is not None and armature.pose and bone.name in armature.pose.bones:
            return BoneInFocus(armature, bone.name, joint_count(bone), _mesh_of_armature(context, armature))
    return None


def _mesh_of_armature(context: bpy.types.Context, armature: bpy.types.Object) -> bpy.types.Object | None:
    """Choose the mesh whose space offset and final refer to: the active one, else one that is previewed or
    selected.
    """
    session = current_session()
    previewed = (session.objects.find(preview.uid) for preview in session.previews)
    for one in (context.active_object, *previewed, *context.selected_objects):
        if one is not None and one.type == "MESH" and armature in armature_objects(one):
            return one
    return None


def read_bone_in_focus(context: bpy.types.Context, focus: BoneInFocus) -> BoneMatrices:
    """Read the matrices of the joint that the settings choose.

    Raises:
        BindingError: an object is scaled to zero.
    """
    settings = matrix_settings(context.scene)
    return read_bone_matrices(
        focus.armature,
        focus.name,
        context.view_layer.depsgraph,
        focus.mesh_object,
        joint=settings.joint,
        rest_mesh_to_root=_rest_mesh_to_root(focus.mesh_object),
    )


def _rest_mesh_to_root(mesh_object: bpy.types.Object | None) -> NDArray[np.float64] | None:
    """Return the rest placement of a rigid part; only its binding knows it."""
    preview = current_session().preview_of(mesh_object) if mesh_object else None
    if preview is None or preview.binding is None or not preview.binding.passes:
        return None
    return preview.binding.passes[0].rest_mesh_to_root
