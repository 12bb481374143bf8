"""What a binding needs of a mesh, read once and kept while only armatures change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import bpy
import numpy as np

from ...core.profiles.binding import Reason
from ...core.skinning.mesh import DrawMesh, SourceMesh
from ...core.text.errors import BindingError
from ..identification import identity
from ..object_data import mesh_of
from ..objects.animated_settings import may_change_weights
from ..objects.modifier_stack import evaluated_stack, only_moves_vertices
from .copy_proof import reasons_of_input
from .input_twins import InputTwins
from .mesh_reader import (
    has_stray_corners,
    read_corner_mesh,
    read_corner_normals,
    read_corner_vertices,
    read_draw_mesh,
    read_positions,
    read_source_mesh,
    read_vertex_normals,
)
from .stack_input import has_changing_input, input_mesh, input_meshes
from .vertex_group_reader import Memberships, read_memberships


@dataclass(frozen=True, eq=False)
class MeshContents:
    """The input mesh of the first pass.

    source: the mesh to skin. memberships: its weights and masks. drawn: the mesh to draw, None if it is not
    drawn.
    reasons: why it may differ from the input of Blender's first pass; empty if it is the same.

    It is valid until coordinates, topology, weights, shape keys or the modifiers before the armature change.
    Poses, rest bones, envelopes, bendy bones and the objects' transforms don't affect it, so it is worth
    keeping: reading it takes most of a binding's time.
    """

    source: SourceMesh
    memberships: Memberships
    drawn: DrawMesh | None
    reasons: tuple[Reason, ...] = ()


def read_mesh_contents(
    mesh_object: bpy.types.Object,
    depsgraph: bpy.types.Depsgraph | None = None,
    *,
    for_drawing: bool = False,
    moving: bool = False,
    twins: InputTwins | None = None,
) -> MeshContents:
    """Read a mesh object. May make and remove data-blocks (see `input_mesh`): never call it while drawing.

    depsgraph: at the frame to read; the originals' frame if omitted. twins: see `input_mesh`.
    moving: whether vertices move from frame to frame. The drawn mesh then has one vertex per face corner, about
        four times as many, since corners that look alike now may differ later; `moved_contents` needs them.

    Raises:
        BindingError: the mesh is being edited, or has no vertices.
    """
    name = identity(mesh_object)
    if mesh_of(mesh_object).is_editmode:
        raise BindingError(
            "'{mesh}' is in Edit Mode, which shows it undeformed; leave Edit Mode.",
            rule="edit-mode",
            mesh=name,
        )
    with input_mesh(mesh_object, depsgraph, twins) as mesh:
        if not len(mesh.vertices):
            raise BindingError(
                "'{mesh}' has no vertices, so there is nothing to skin.", rule="no-vertices", mesh=name
            )
        if has_stray_corners(mesh):
            raise BindingError(
                "'{mesh}' has face corners that don't belong to a face, which make Blender crash; enter "
                "and leave Edit Mode to remove them.",
                mesh=name,
            )
        drawn = None
        if for_drawing:
            drawn = read_corner_mesh(mesh) if moving else read_draw_mesh(mesh)
        contents = MeshContents(read_source_mesh(mesh), read_memberships(mesh), drawn)
    if twins and depsgraph and twins.input_of(mesh_object, depsgraph) is not None:
        return contents
    return replace(contents, reasons=tuple(reasons_of_input(mesh_object, depsgraph)))


def moved_contents(
    mesh_object: bpy.types.Object,
    contents: MeshContents,
    depsgraph: bpy.types.Depsgraph | None = None,
    twins: InputTwins | None = None,
) -> MeshContents | None:
    """Update a mesh's contents to the current frame; returns `contents` itself if no vertex or weight has
    changed.

    Animated shape keys and deforming modifiers move vertices, but keep weights and topology. If it is uncertain
    whether only vertices have moved, or the drawn mesh was not read with `moving`, returns None: everything has
    to be read again. Makes and removes data-blocks, like `input_mesh`.
    """
    (moved,) = moved_together([(mesh_object, contents)], depsgraph, twins)
    return moved


def moved_together(
    asked: Sequence[tuple[bpy.types.Object, MeshContents]],
    depsgraph: bpy.types.Depsgraph | None = None,
    twins: InputTwins | None = None,
) -> list[MeshContents | None]:
    """Update several meshes' contents as `moved_contents` does, in hardly more time than one takes."""
    changing = [one for one in asked if has_changing_input(one[0], depsgraph)]
    if not changing:
        return [contents for _, contents in asked]
    with input_meshes([one for one, _ in changing], depsgraph, twins) as meshes:
        moved = {
            one: _moved(one, contents, mesh, depsgraph)
            for (one, contents), mesh in zip(changing, meshes, strict=True)
        }
    return [moved.get(one, contents) for one, contents in asked]


def _moved(
    mesh_object: bpy.types.Object,
    contents: MeshContents,
    mesh: bpy.types.Mesh,
    depsgraph: bpy.types.Depsgraph | None,
) -> MeshContents | None:
    """Update contents to an input mesh, see `moved_contents`."""
    before = evaluated_stack(mesh_object, depsgraph).before
    positions = read_positions(mesh)
    if len(positions) != contents.source.vertex_count or (
        any(may_change_weights(mesh_object, one) for one in before)
        and not contents.memberships.same_as(read_memberships(mesh))
    ):
        return None
    if np.array_equal(positions, contents.source.positions):
        return contents
    if not all(map(only_moves_vertices, before)):
        return None
    drawn = contents.drawn
    if drawn is not None:
        if not np.array_equal(read_corner_vertices(mesh), drawn.source_vertex):
            return None
        drawn = replace(drawn, normals=read_corner_normals(mesh))
    source = replace(contents.source, positions=positions, normals=read_vertex_normals(mesh))
    return replace(contents, source=source, drawn=drawn)
