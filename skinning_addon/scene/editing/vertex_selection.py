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
    """Make sure that the vertices that were bound are those of the mesh itself.

    Raises:
        BindingError: a modifier before the armature makes others.
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
    """Select objects in Object Mode, and no others, and make one of them active."""
    for other in context.selected_objects:
        other.select_set(False)
    for one in objects:
        one.select_set(True)
    context.view_layer.objects.active = active


def enter_edit_mode(context: bpy.types.Context) -> None:
    """Edit what is active and selected, by vertices; undo leads back to what was active and selected before."""
    # For an operator that ends in Edit Mode Blender keeps the edited meshes alone, unless data-blocks came or
    # went: then it keeps the whole scene too. Else undo would leave other objects active than there were
    # (Blender 4.3 and 5.2).
    bpy.data.meshes.remove(bpy.data.meshes.new(""))
    bpy.ops.object.mode_set(mode="EDIT")
    context.tool_settings.mesh_select_mode = (True, False, False)


def select_vertices(chosen: Iterable[tuple[bpy.types.Object, NDArray[np.bool_]]]) -> int:
    """Select vertices of meshes in Edit Mode, (V,) each, and nothing else; return how many are selected.

    Hidden vertices stay out. Not in Object Mode, where it would be faster: undo does not bring back a selection
    that was changed there just before Edit Mode was entered (Blender 4.3 and 5.2).
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
