"""What of a mesh goes into a binding, read once and kept while only armatures change."""

from __future__ import annotations

from dataclasses import dataclass

import bpy

from ..core.mesh import DrawMesh, SourceMesh
from .mesh_reader import read_draw_mesh, read_source_mesh
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
    """Read a mesh object. May make and remove data-blocks (see `input_mesh`): never call it while drawing."""
    with input_mesh(mesh_object) as mesh:
        return MeshParts(
            read_source_mesh(mesh), read_memberships(mesh), read_draw_mesh(mesh) if for_drawing else None
        )
