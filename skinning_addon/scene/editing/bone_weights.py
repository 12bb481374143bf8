"""The weights of a mesh's bones, as its vertex groups have them, and the same with a sum of one."""

from __future__ import annotations

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.profiles.influence_limit import summing_to_one
from ...core.skinning.skin import SMALLEST_MOVING_SUM, GroupSkin
from ..meshes.vertex_group_reader import read_memberships
from ..object_data import armature_of, mesh_of
from ..objects.modifier_stack import armature_objects
from .vertex_group_writer import skin_over_groups


def bone_groups(mesh_object: bpy.types.Object) -> NDArray[np.int64]:
    """Return the indices of the groups named after deforming bones."""
    names = {
        bone.name
        for one in armature_objects(mesh_object)
        for bone in armature_of(one).bones
        if bone.use_deform
    }
    return np.array([one.index for one in mesh_object.vertex_groups if one.name in names], dtype=np.int64)


def weights_of_bones(mesh_object: bpy.types.Object) -> GroupSkin:
    """Read the weights of those groups."""
    return skin_over_groups(read_memberships(mesh_of(mesh_object)), bone_groups(mesh_object))


def normalised_weights(mesh_object: bpy.types.Object) -> tuple[GroupSkin, GroupSkin] | None:
    """Return the weights of the bones, and the same with sums of one where bones move a vertex; None if all
    sums are.
    """
    before = weights_of_bones(mesh_object)
    off = (before.weight_sums > SMALLEST_MOVING_SUM) & (np.abs(before.weight_sums - 1) > 1e-6)
    return (before, summing_to_one(before, off)) if off.any() else None
