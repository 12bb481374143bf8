"""What uses a mesh object's vertex groups: bones, modifiers and shape keys refer to them by name."""

from __future__ import annotations

from collections.abc import Iterator

import bpy

from ..object_data import armature_of, mesh_of
from ..objects import node_inputs
from ..objects.modifier_stack import armature_objects
from ..objects.node_trees import texts_in


def groups_without_bone(mesh_object: bpy.types.Object) -> list[str]:
    """List the groups without a matching bone in the armatures and unused by anything else in the object."""
    bones = {bone.name for one in armature_objects(mesh_object) for bone in armature_of(one).bones}
    used = set(_names_used(mesh_object))
    return [group.name for group in mesh_object.vertex_groups if group.name not in bones | used]


def _names_used(mesh_object: bpy.types.Object) -> Iterator[str]:
    for modifier in mesh_object.modifiers:
        yield from _group_properties(modifier)
        # Cloth, soft body and dynamic paint settings are nested one level deeper.
        for name in ("settings", "collision_settings"):
            nested = getattr(modifier, name, None)
            if isinstance(nested, bpy.types.bpy_struct):
                yield from _group_properties(nested)
        if isinstance(modifier, bpy.types.NodesModifier):
            yield from node_inputs.texts(modifier)
            yield from texts_in(modifier.node_group)
    for system in mesh_object.particle_systems:
        yield from _group_properties(system)
    keys = mesh_of(mesh_object).shape_keys
    for key in keys.key_blocks if keys else ():
        yield key.vertex_group
    for constraint in (
        *mesh_object.constraints,
        *(one for other in bpy.data.objects for one in _constraints_on(other, mesh_object)),
    ):
        yield getattr(constraint, "subtarget", "")


def _constraints_on(other: bpy.types.Object, mesh_object: bpy.types.Object) -> Iterator[bpy.types.Constraint]:
    bones = other.pose.bones if other.pose else ()
    for one in (*other.constraints, *(one for bone in bones for one in bone.constraints)):
        if getattr(one, "target", None) == mesh_object:
            yield one


def _group_properties(owner: bpy.types.bpy_struct) -> Iterator[str]:
    for one in owner.bl_rna.properties:
        if isinstance(one, bpy.types.StringProperty) and "vertex_group" in one.identifier:
            yield getattr(owner, one.identifier)
