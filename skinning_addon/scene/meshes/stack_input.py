"""The input mesh of the first armature modifier: after shape keys and the modifiers before it.

Blender only exposes the end of a modifier stack. To read an earlier stage, a copy of the object is evaluated in
a scene of its own, with its stack cut there (`isolated_scene`).

Throughout this module, switches, values and objects' transforms come from a depsgraph; without one, from the
originals.
"""

from __future__ import annotations

from collections.abc import Iterator
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
    if not has_changing_input(mesh_object, depsgraph):
        yield mesh_of(mesh_object)
        return
    simulated = twins.input_of(mesh_object, depsgraph) if twins and depsgraph else None
    if simulated is not None:
        yield simulated
        return
    stack = evaluated_stack(mesh_object, depsgraph)
    before = {modifier.name for modifier in stack.before}
    with IsolatedScene(depsgraph) as scene:
        passed_over = stack.passed_over is not None and not stack.half_way
        by_parent = stack.armature_parent is None and not (passed_over and stack.deforming_parent)
        copy = scene.copy_of(mesh_object, before, by_parent=by_parent)
        yield mesh_of(scene.evaluated(copy))
