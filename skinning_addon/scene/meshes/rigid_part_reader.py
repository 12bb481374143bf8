"""The triangles of an unskinned object, at the end of its modifier stack."""

from __future__ import annotations

import bpy

from ...core.skinning.mesh import DrawMesh, SourceMesh
from ...core.text.errors import BindingError
from ...core.text.identity import Identity
from ..objects.carried_objects import WITH_TRIANGLES
from .mesh_reader import has_stray_corners, read_draw_mesh, read_source_mesh


def read_rigid_part(placed: bpy.types.Object, name: Identity) -> tuple[SourceMesh, DrawMesh] | None:
    """Read an evaluated object's visible mesh, in its own space; None if there is none, as for an Empty.

    Raises:
        BindingError: its mesh is damaged, and would make Blender crash.
    """
    if placed.type not in WITH_TRIANGLES:
        return None
    mesh = placed.to_mesh()
    try:
        if mesh is None or not len(mesh.vertices):
            return None
        if has_stray_corners(mesh):
            raise BindingError(
                "'{mesh}' has face corners that don't belong to a face, which make Blender crash; enter "
                "and leave Edit Mode to remove them.",
                mesh=name,
            )
        return read_source_mesh(mesh), read_draw_mesh(mesh)
    finally:
        placed.to_mesh_clear()
