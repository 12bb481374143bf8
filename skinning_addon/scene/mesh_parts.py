"""What of a mesh goes into a binding, read once and kept while only armatures change."""

from __future__ import annotations

from dataclasses import dataclass

import bpy

from ..core.errors import BindingError
from ..core.mesh import DrawMesh, SourceMesh
from .mesh_reader import read_draw_mesh, read_source_mesh
from .object_data import mesh_of
from .stack_input import input_mesh
from .vertex_group_reader import Memberships, read_memberships


@dataclass(frozen=True, eq=False)
class MeshParts:
    """The mesh that goes into the first pass.

    source: what is skinned. memberships: its weights and masks. drawn: what is drawn, None where nobody draws it.

    It is valid until coordinates, topology, weights, shape keys or the modifiers before the armature change. Poses, rest
    bones, envelopes, bendy bones and the objects' places leave it as it is: most of a binding's time is spent here.
    """

    source: SourceMesh
    memberships: Memberships
    drawn: DrawMesh | None


def read_mesh_parts(mesh_object: bpy.types.Object, *, for_drawing: bool = False) -> MeshParts:
    """Read a mesh object. May make and remove data-blocks (see `input_mesh`): never call it while drawing.

    Raises:
        BindingError: the mesh is being edited, or has no vertices.
    """
    name = mesh_object.name
    if mesh_of(mesh_object).is_editmode:
        raise BindingError(
            f"'{name}' is in Edit Mode, where Blender does not deform it; leave Edit Mode.", "edit-mode"
        )
    with input_mesh(mesh_object) as mesh:
        if not len(mesh.vertices):
            raise BindingError(f"'{name}' has no vertices, so there is nothing to skin.", "no-vertices")
        return MeshParts(
            read_source_mesh(mesh), read_memberships(mesh), read_draw_mesh(mesh) if for_drawing else None
        )
