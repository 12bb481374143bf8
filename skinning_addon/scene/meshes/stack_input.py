"""The input mesh of the first armature modifier: after shape keys and the modifiers before it.

Blender only exposes the end of a modifier stack. To read an earlier stage, a copy of the object is evaluated in
a scene of its own, with its stack cut there (`isolated_scene`).

Throughout this module, switches, values and objects' transforms come from a depsgraph; without one, from the
originals.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import bpy

from ..copies.isolated_scene import IsolatedScene
from ..object_data import mesh_of
from ..objects.modifier_stack import deforms_as_parent, evaluated_stack, leaves_input_alone
from .input_twins import InputTwins


def has_changing_input(mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph | None = None) -> bool:
    """Tell whether the first armature modifier's input may differ from the mesh's own vertices."""
    if mesh_of(mesh_object).shape_keys is not None or deforms_as_parent(mesh_object):
        return True
    return not all(
        leaves_input_alone(modifier) for modifier in evaluated_stack(mesh_object, depsgraph).before
    )


@contextmanager
def input_mesh(
    mesh_object: bpy.types.Object,
    depsgraph: bpy.types.Depsgraph | None = None,
    twins: InputTwins | None = None,
) -> Iterator[bpy.types.Mesh]:
    """Yield the first armature modifier's input mesh, to be read inside the block.

    Free if that is the object's own mesh; otherwise costs one evaluation of the modifiers before the armature,
    plus a few milliseconds. Makes and removes data-blocks: never call it while drawing.
    twins: for playing through a scene that we own; simulated input is read from them.
    """
    with input_meshes([mesh_object], depsgraph, twins) as (mesh,):
        yield mesh


@contextmanager
def input_meshes(
    mesh_objects: Sequence[bpy.types.Object],
    depsgraph: bpy.types.Depsgraph | None = None,
    twins: InputTwins | None = None,
) -> Iterator[list[bpy.types.Mesh]]:
    """Yield the input meshes of several objects as `input_mesh` does. Those that have to be evaluated are in
    one go: most of what that takes doesn't depend on how many there are.
    """
    known = {index: _without_copy(one, depsgraph, twins) for index, one in enumerate(mesh_objects)}
    if None not in known.values():
        yield [mesh for mesh in known.values() if mesh is not None]
        return
    with IsolatedScene(depsgraph) as scene:
        copies = {
            index: _cut_copy(scene, mesh_objects[index], depsgraph)
            for index, mesh in known.items()
            if mesh is None
        }
        yield [mesh or mesh_of(scene.evaluated(copies[index])) for index, mesh in known.items()]


def _without_copy(
    mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph | None, twins: InputTwins | None
) -> bpy.types.Mesh | None:
    """Return an input mesh that is there already; None if it has to be made by a copy."""
    if not has_changing_input(mesh_object, depsgraph):
        return mesh_of(mesh_object)
    return twins.input_of(mesh_object, depsgraph) if twins and depsgraph else None


def _cut_copy(
    scene: IsolatedScene, mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph | None
) -> bpy.types.Object:
    """Copy an object with its stack cut before the first armature modifier."""
    stack = evaluated_stack(mesh_object, depsgraph)
    before = {modifier.name for modifier in stack.before}
    passed_over = stack.passed_over is not None and not stack.half_way
    by_parent = stack.armature_parent is None and not (passed_over and stack.deforming_parent)
    return scene.copy_apart(mesh_object, before, by_parent=by_parent)
