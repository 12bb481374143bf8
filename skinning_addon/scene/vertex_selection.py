"""Selecting vertices of a mesh of the user's."""

from __future__ import annotations

import bmesh
import bpy
import numpy as np
from numpy.typing import NDArray

from ..core.errors import BindingError
from .object_data import mesh_of


def check_vertices_are_its_own(mesh_object: bpy.types.Object, vertex_count: int) -> None:
    """Make sure that the vertices that were bound are those of the mesh itself.

    Raises:
        BindingError: a modifier before the armature makes others.
    """
    count = len(mesh_of(mesh_object).vertices)
    if vertex_count != count:
        raise BindingError(
            "The modifiers before the armature make {found} vertices of the {expected} of '{mesh}'; switch those "
            "modifiers off to select vertices.",
            rule="vertices-differ",
            mesh=mesh_object.name,
            found=vertex_count,
            expected=count,
        )


def select_vertices(mesh_object: bpy.types.Object, chosen: NDArray[np.bool_]) -> int:
    """Select these vertices (V,) of a mesh in Edit Mode, and nothing else; return how many are selected.

    Hidden vertices stay out. Not in Object Mode, where it would be faster: undo does not bring back a selection that was
    changed there just before Edit Mode was entered (Blender 4.3 and 5.2).
    """
    bpy.ops.mesh.select_all(action="DESELECT")
    mesh = mesh_of(mesh_object)
    edited = bmesh.from_edit_mesh(mesh)
    edited.verts.ensure_lookup_table()
    vertices = [edited.verts[index] for index in np.flatnonzero(chosen).tolist()]
    shown = [vertex for vertex in vertices if not vertex.hide]
    for vertex in shown:
        vertex.select = True
    edited.select_flush_mode()
    bmesh.update_edit_mesh(mesh, loop_triangles=False, destructive=False)
    return len(shown)
