"""Makes an armature, a mesh and a clip from a plan for an object that no armature moves.

A plan copies an armature, so an empty one stands in for it meanwhile; likewise a mesh of Blender's result for
an object whose own mesh has other vertices.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import bpy
import numpy as np
from mathutils import Matrix

from ..identification import identity, object_of
from ..object_data import mesh_of
from .copied_armature import game_ready_name
from .game_ready_copy import armature_of_copy, make_copy, meshes_of_copy
from .plan import CopyPlan
from .rest_of_anything import RestOfAnything


def bones_name(mesh_object: str) -> str:
    """Return what the armature for an object is called."""
    return f"{mesh_object} bones"


def make_bones(plan: CopyPlan, rest: RestOfAnything, context: bpy.types.Context) -> bpy.types.Collection:
    """Make the copy of a plan in a new collection, and return that; the scene must show the first frame.

    plan: of the one mesh `rest.object`; the armature that it names is not there yet.

    Raises:
        UsageError: the object is being edited, or has other vertices than the plan.
    """
    with _stand_ins(plan, rest, context) as standing:
        collection = make_copy(standing, context)
    (mesh,) = meshes_of_copy(collection)
    mesh.name = game_ready_name(object_of(rest.object).name)
    _let_bones_alone_move(mesh, armature_of_copy(collection), rest)
    return collection


@contextmanager
def _stand_ins(plan: CopyPlan, rest: RestOfAnything, context: bpy.types.Context) -> Iterator[CopyPlan]:
    made: list[bpy.types.ID] = []
    try:
        data = bpy.data.armatures.new(plan.armature)
        made.append(data)
        armature = bpy.data.objects.new(plan.armature, data)
        made.append(armature)
        context.scene.collection.objects.link(armature)
        mesh = plan.meshes[0]
        if not rest.own:
            stands_in = _of_result(object_of(rest.object), made)
            mesh = replace(mesh, object=identity(stands_in))
        # Blender makes the bones' poses when the object is first evaluated.
        context.view_layer.update()
        yield replace(plan, armature=identity(armature), meshes=(mesh,))
    finally:
        bpy.data.batch_remove(made)


def _of_result(original: bpy.types.Object, made: list[bpy.types.ID]) -> bpy.types.Object:
    depsgraph = bpy.context.evaluated_depsgraph_get()
    mesh = bpy.data.meshes.new_from_object(
        original.evaluated_get(depsgraph), preserve_all_data_layers=True, depsgraph=depsgraph
    )
    made.append(mesh)
    mesh.name = mesh_of(original).name
    stands_in = original.copy()
    made.append(stands_in)
    stands_in.data = mesh
    return stands_in


def _let_bones_alone_move(mesh: bpy.types.Object, armature: bpy.types.Object, rest: RestOfAnything) -> None:
    """Take away what moved the original, and put the mesh where that was at the first frame."""
    mesh.animation_data_clear()
    for constraint in list(mesh.constraints):
        mesh.constraints.remove(constraint)
    mesh.delta_location, mesh.delta_scale = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)
    mesh.delta_rotation_euler = (0.0, 0.0, 0.0)
    mesh.delta_rotation_quaternion = (1.0, 0.0, 0.0, 0.0)
    mesh.parent, mesh.parent_type = armature, "OBJECT"
    mesh.matrix_parent_inverse = Matrix.Identity(4)
    to_world = Matrix(rest.to_world.T.tolist())
    mesh.matrix_basis = to_world
    if _far(mesh.matrix_basis, to_world):
        # Shear, of an object under unevenly scaled parents, has no place but the mesh.
        mesh.matrix_basis = Matrix.Identity(4)
        mesh_of(mesh).transform(to_world, shape_keys=True)
    keys = mesh_of(mesh).shape_keys
    if keys is not None:
        keys.animation_data_clear()
        if len(keys.key_blocks) == 1:
            mesh.shape_key_clear()


def _far(one: Matrix, other: Matrix) -> bool:
    size = np.abs(np.array(other)).max()
    return bool(np.abs(np.array(one) - np.array(other)).max() > 1e-5 * size)
