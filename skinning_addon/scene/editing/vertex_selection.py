"""Selecting vertices of the user's mesh."""

from __future__ import annotations

from collections.abc import Iterable

import bmesh
import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.text.errors import BindingError
from ..object_data import mesh_of


def check_vertices_are_its_own(mesh_object: bpy.types.Object, vertex_count: int) -> None:
    """Make sure that the bound vertices are the mesh's own.

    Raises:
        BindingError: a modifier before the armature changes the vertex count.
    """
    count = len(mesh_of(mesh_object).vertices)
    if vertex_count != count:
        raise BindingError(
            "Modifiers before the armature turn the {expected} vertices of '{mesh}' into {found}; switch "
            "them off to select vertices.",
            rule="vertices-differ",
            mesh=mesh_object.name,
            found=vertex_count,
            expected=count,
        )


def select_objects(
    context: bpy.types.Context, objects: Iterable[bpy.types.Object], active: bpy.types.Object
) -> None:
    """Select only these objects, in Object Mode, and make one of them active."""
    for other in context.selected_objects:
        other.select_set(False)
    for one in objects:
        one.select_set(True)
    context.view_layer.objects.active = active


def enter_edit_mode(context: bpy.types.Context) -> None:
    """Enter Edit Mode with vertex selection; undo restores the active and selected objects."""
    # The undo step of an operator that ends in Edit Mode holds only the edited meshes, unless data-blocks were
    # added or removed: then it also holds the whole scene. Otherwise undo would leave different objects active
    # than before (Blender 4.3 and 5.2).
    bpy.data.meshes.remove(bpy.data.meshes.new(""))
    bpy.ops.object.mode_set(mode="EDIT")
    context.tool_settings.mesh_select_mode = (True, False, False)


def select_vertices(chosen: Iterable[tuple[bpy.types.Object, NDArray[np.bool_]]]) -> int:
    """Select only these vertices of meshes in Edit Mode, (V,) each; return how many are selected.

    Skips hidden vertices. Object Mode would be faster, but undo doesn't restore a selection that was changed
    there just before entering Edit Mode (Blender 4.3 and 5.2).
    """
    bpy.ops.mesh.select_all(action="DESELECT")
    return sum(_select(mesh_of(mesh_object), vertices) for mesh_object, vertices in chosen)


def _select(mesh: bpy.types.Mesh, chosen: NDArray[np.bool_]) -> int:
    edited = bmesh.from_edit_mesh(mesh)
    edited.verts.ensure_lookup_table()
    vertices = [edited.verts[index] for index in np.flatnonzero(chosen).tolist()]
    shown = [vertex for vertex in vertices if not vertex.hide]
    for vertex in shown:
        vertex.select = True
    edited.select_flush_mode()
    bmesh.update_edit_mesh(mesh, loop_triangles=False, destructive=False)
    return len(shown)
