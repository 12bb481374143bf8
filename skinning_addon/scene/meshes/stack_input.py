"""The mesh that goes into the first armature modifier: after shape keys and the modifiers before it.

Blender hands out only the end of a modifier stack. An earlier stage is the end of a shorter stack: that of a
copy of the object, in a scene of its own, whose stack is cut there (`isolated_scene`).

Everywhere here a depsgraph says which switches and values count, and where objects stand; without one it is the
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
    """Tell whether what goes into the first armature modifier differs from the mesh's own vertices."""
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
    """Yield the mesh that goes into the first armature modifier, to be read inside the block.

    Costs nothing where that is the object's own mesh; else one evaluation of the modifiers before the armature
    and a few milliseconds. Makes and removes data-blocks: never call it while drawing.
    twins: go through a scene that is owned; what is simulated is read of them.
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
