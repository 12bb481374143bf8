"""The result of a mesh's armature modifiers, if later modifiers in the stack change positions.

Skinning ends with the last armature modifier, but Blender only exposes the end of a stack. The *shadow* is a
copy of the object whose stack ends there, evaluated in a scene of its own with copies of its armatures
(`isolated_scene`). It is exact to the last digit, and the user's own object keeps its whole stack.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

import bpy

from ..copies.isolated_scene import IsolatedScene
from ..identification import identity
from ..object_data import armature_of, mesh_of
from ..objects.modifier_stack import ModifierStack, ends_with_armature, evaluated_stack, keeps_positions
from .blender_result import BlenderResult, result_of_mesh
from .copy_proof import refuse_simulated, refuse_what_differs, whole_copy_proves


def modifiers_after(
    mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph | None = None
) -> tuple[str, ...]:
    """Name the modifiers that change the mesh after its armature modifiers; if any, a shadow is needed."""
    if ends_with_armature(mesh_object if depsgraph is None else mesh_object.evaluated_get(depsgraph)):
        return ()
    return tuple(
        one.name for one in evaluated_stack(mesh_object, depsgraph).after if not keeps_positions(one)
    )


def read_armature_result(
    mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph, vertex_count: int
) -> BlenderResult:
    """Read Blender's result for `mesh_object` up to its last armature modifier, at the current frame.

    vertex_count: of the bound mesh. Costs another evaluation of the stack up to there, and makes and removes
    copies, see `IsolatedScene`: never call it while drawing.

    Raises:
        BindingError: see `read_blender_result` and `shadow_mesh`.
    """
    with shadow_mesh(mesh_object, depsgraph) as mesh:
        return result_of_mesh(mesh, identity(mesh_object), vertex_count)


@contextmanager
def shadow_mesh(mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Iterator[bpy.types.Mesh]:
    """Yield the mesh right after the last armature modifier, to be read inside the block.

    Besides the cut copy, one with the whole stack is evaluated: if it differs from Blender's own result,
    neither can be trusted.

    Raises:
        BindingError: a copy can't reproduce Blender's result; names the armature or modifier.
    """
    refuse_simulated(mesh_object, depsgraph)
    with IsolatedScene(depsgraph) as scene:
        stack = evaluated_stack(mesh_object, depsgraph)
        # Copies are not being painted, and not in Edit Mode, in which an armature deforms nothing.
        resting = {one.name for one in stack.armatures if one.object and armature_of(one.object).is_editmode}
        parent = stack.armature_parent
        by_parent = parent is None or not armature_of(parent).is_editmode
        names = _up_to_last_armature(mesh_object, stack) - resting - stack.left_out
        cut = scene.copy_of(mesh_object, names, by_parent=by_parent)
        whole = None
        if whole_copy_proves(mesh_object, depsgraph):
            names = {one.name for one in mesh_object.modifiers} - resting - stack.left_out
            whole = scene.copy_of(mesh_object, names, by_parent=by_parent)
        result = mesh_of(scene.evaluated(cut))
        shown = mesh_of(scene.evaluated(whole)) if whole else None
        # In Edit Mode an armature has no pose.
        posed = [
            cast("bpy.types.Object", one.original)
            for one in stack.armature_objects
            if not armature_of(one).is_editmode
        ]
        refuse_what_differs(mesh_object, depsgraph, shown, {one: scene.seen_as(one) for one in posed})
        yield result


def _up_to_last_armature(mesh_object: bpy.types.Object, stack: ModifierStack) -> set[str]:
    armatures = stack.armatures
    names = [modifier.name for modifier in mesh_object.modifiers]
    # Keep those that are switched off: a run of Multi Modifiers continues across them.
    return set(names[: names.index(armatures[-1].name) + 1]) if armatures else set()
