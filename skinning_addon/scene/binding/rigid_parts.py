"""A character's rigid parts: meshes parented to a bone, or to the armature without being deformed by it.

A rigid part on a bone is skinned like a vertex with one influence: its offset takes it from its own space to
the bone, and to_root carries it along. A part on the armature itself has no joint. Both are drawn with the
skin's passes, so that a character of many objects is complete.

Blender puts a part on a bone at basis @ parent_inverse @ (to the bone's tail) @ to_root(bone), for row vectors;
with Relative Parenting, the bone's rest pose replaces its tail.
"""

from __future__ import annotations

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.profiles.binding import Binding
from ...core.skinning.joints import Joints
from ...core.skinning.passes import Pass
from ...core.skinning.skin import Skin
from ...core.text.errors import BindingError
from ..armatures.armature_reader import ArmatureReader, read_armature
from ..identification import identity
from ..matrices import row_vectors
from ..meshes.mesh_contents import MeshContents
from ..object_data import armature_of
from ..objects.modifier_stack import is_placed_by_bone, read_stack

_ONLY_JOINT = 1


def rigid_parts(scene: bpy.types.Scene, armature: bpy.types.Object) -> list[bpy.types.Object]:
    """List the meshes of `scene` that `armature` carries without bending them, by name."""
    return sorted((one for one in scene.objects if carrier(one) == armature), key=identity)


def carrier(mesh_object: bpy.types.Object) -> bpy.types.Object | None:
    """Return the armature that carries a mesh without bending it, or None."""
    parent = mesh_object.parent
    if mesh_object.type != "MESH" or parent is None or parent.type != "ARMATURE":
        return None
    if mesh_object.parent_type not in {"BONE", "OBJECT"} or read_stack(mesh_object).armature_objects:
        return None
    return parent


def hangs_on_own_bone(mesh_object: bpy.types.Object) -> bool:
    """Tell whether a mesh is parented to a bone of the armature that its last Armature modifier names, in the
    viewport or not: the glTF exporter then leaves out its skin.
    """
    modifiers = [one for one in mesh_object.modifiers if isinstance(one, bpy.types.ArmatureModifier)]
    parent = mesh_object.parent if is_placed_by_bone(mesh_object) else None
    return parent is not None and bool(modifiers) and modifiers[-1].object == parent


def read_rigid_binding(mesh_object: bpy.types.Object, contents: MeshContents) -> Binding:
    """Bind a part: one pass with one joint for a part on a bone, no pass for one on the armature.

    No joint could reproduce a part's constraints either: a part that has any stays where Blender puts it.

    mesh_object: evaluated.

    Raises:
        BindingError: the object is not a rigid part, or its bone no longer exists.
    """
    armature = mesh_object.parent if hangs_on_own_bone(mesh_object) else carrier(mesh_object)
    if armature is None:
        raise BindingError(
            "'{mesh}' is not attached to an armature; parent it to a bone or an armature.",
            rule="no-armature",
            mesh=identity(mesh_object),
        )
    source = contents.source
    if not is_placed_by_bone(mesh_object):
        return Binding(identity(mesh_object), source, {}, (), contents.reasons)
    reader = read_armature(armature)
    one = _pass(mesh_object, armature, reader, source.vertex_count)
    return Binding(
        identity(mesh_object), source, {identity(armature): reader.skeleton}, (one,), contents.reasons
    )


def _pass(
    mesh_object: bpy.types.Object, armature: bpy.types.Object, reader: ArmatureReader, vertex_count: int
) -> Pass:
    if mesh_object.parent_bone not in reader.skeleton.names:
        raise BindingError(
            "'{mesh}' is parented to the bone '{bone}', which does not exist in '{armature}'; choose "
            "another bone.",
            rule="no-bones",
            mesh=identity(mesh_object),
            bone=mesh_object.parent_bone,
            armature=identity(armature),
        )
    bone = reader.skeleton.index(mesh_object.parent_bone)
    mesh_to_bone = _mesh_to_bone(mesh_object, armature, reader, bone)
    at_rest = mesh_to_bone @ reader.skeleton.rest_to_root[bone]
    joints = Joints.of_bones(reader.skeleton, [bone], at_rest)
    vertices = np.arange(vertex_count)
    skin = Skin.from_entries(
        vertices, np.full(vertex_count, _ONLY_JOINT), np.ones(vertex_count), vertex_count
    )
    return Pass(skin, joints, identity(armature), rest_mesh_to_root=at_rest)


def _mesh_to_bone(
    mesh_object: bpy.types.Object, armature: bpy.types.Object, reader: ArmatureReader, bone: int
) -> NDArray[np.float64]:
    placed = row_vectors(mesh_object.matrix_basis) @ row_vectors(mesh_object.matrix_parent_inverse)
    if armature_of(armature).bones[mesh_object.parent_bone].use_relative_parent:
        return placed @ np.linalg.inv(reader.skeleton.rest_to_root[bone])
    to_tail = np.eye(4)
    to_tail[3, 1] = reader.lengths[bone]
    return placed @ to_tail
