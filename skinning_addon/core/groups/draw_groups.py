"""The meshes that a partitioned palette draws: one per group, plus the rest for the CPU.

Engines call them sub-meshes or sections. Only for meshes moved by a single linear pass without a mask:
engines have no other kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..skinning.joints import NO_BONE
from ..skinning.mesh import DrawMesh, SourceMesh
from ..skinning.palette import Palette
from ..skinning.passes import Blend, Pass
from ..skinning.skin import Skin
from ..text.errors import BindingError
from .partition import PaletteGroup, Partition, partition_palette


@dataclass(frozen=True, eq=False)
class DrawGroup:
    """One group as a mesh of its own.

    vertices: (v,) int32, its vertices in the whole mesh. entries: (K,) int32, its entries in the whole
    palette; entry 0 is "no bone", as in every palette. triangles: (t,) int32, its triangles in the whole
    mesh. influences: (n,) int32, its influences in the whole skin, as ordered by `Skin.normalised`.
    skinning: the pass over its own vertices and entries. mesh: its own vertices and triangles, and the edges
    that no earlier group has. material: the slot of its triangles' material; the CPU's group may have
    several.
    """

    vertices: NDArray[np.int32]
    entries: NDArray[np.int32]
    influences: NDArray[np.int32]
    triangles: NDArray[np.int32]
    skinning: Pass
    mesh: SourceMesh
    material: int = 0


@dataclass(frozen=True, eq=False)
class DrawGroups:
    """groups: those that the GPU draws. rest: everything that fits in no palette or is used by no face; None
    if empty.
    """

    partition: Partition
    groups: tuple[DrawGroup, ...]
    rest: DrawGroup | None


def draw_groups(
    passes: tuple[Pass, ...], mesh: SourceMesh, limit: int, partition: Partition | None = None
) -> DrawGroups:
    """Cut a skinned mesh into groups of at most `limit` joints, each of one material.

    partition: of the same pass, triangles, materials and limit, if known: it does not depend on vertex
    positions.

    Raises:
        BindingError: the passes are not a single linear one without a mask, or the weights follow the pose.
        InvalidArrayError: a limit below 1.
    """
    refuse_what_cannot_be_cut(passes)
    only = passes[0]
    partition = partition or partition_palette(only.skin, mesh.triangles, limit, mesh.material)
    skin = only.skin.normalised()
    edge_waits = np.ones(len(mesh.edges), dtype=bool)
    groups = tuple(_draw_group(only, skin, mesh, group, edge_waits) for group in partition.groups)
    return DrawGroups(partition, groups, _rest(only, skin, mesh, partition, edge_waits))


def refuse_what_cannot_be_cut(passes: tuple[Pass, ...]) -> None:
    """Raise the BindingError that `draw_groups` would raise for these passes, without cutting anything."""
    if len(passes) != 1 or passes[0].blend is not Blend.LINEAR or passes[0].amount is not None:
        raise BindingError(
            "Palettes can only be partitioned for a single linear armature pass without a mask; choose "
            "another technique.",
            rule="partition",
        )
    if passes[0].following is not None:
        raise BindingError(
            "Weights follow the pose, so the mesh would have to be partitioned again in every frame; "
            "choose another technique.",
            rule="partition",
        )


def _rest(
    only: Pass, skin: Skin, mesh: SourceMesh, partition: Partition, edge_waits: NDArray[np.bool_]
) -> DrawGroup | None:
    drawn = np.zeros(mesh.vertex_count, dtype=bool)
    for group in partition.groups:
        drawn[group.vertices] = True
    drawn[mesh.triangles[partition.oversized]] = False
    alone = np.flatnonzero(~drawn)
    if not (len(alone) or len(partition.oversized) or edge_waits.any()):
        return None
    # Loose edges may connect a vertex that no face uses with a group's vertex.
    vertices = np.unique(
        np.concatenate((alone, mesh.triangles[partition.oversized].ravel(), mesh.edges[edge_waits].ravel()))
    ).astype(np.int32)
    used = skin.joints[np.isin(skin.vertex_of_influence, vertices)]
    rest = PaletteGroup(np.unique(used), vertices, partition.oversized)
    return _draw_group(only, skin, mesh, rest, edge_waits)


def _draw_group(
    only: Pass, skin: Skin, mesh: SourceMesh, group: PaletteGroup, edge_waits: NDArray[np.bool_]
) -> DrawGroup:
    """Make a group's own mesh and skin. edge_waits: (E,) edges not yet in any group; those that this group
    draws are removed.
    """
    entries = np.union1d([NO_BONE], group.joints).astype(np.int32)
    own_vertex = np.full(mesh.vertex_count, -1, dtype=np.int32)
    own_vertex[group.vertices] = np.arange(len(group.vertices), dtype=np.int32)
    owner = own_vertex[skin.vertex_of_influence]
    mine = owner >= 0
    own_skin = Skin.from_entries(
        owner[mine],
        np.searchsorted(entries, skin.joints[mine]),
        skin.weights[mine],
        len(group.vertices),
    )
    # Both ends of an edge are in every group that draws one of its faces; drawn twice, it would look darker.
    edges = own_vertex[mesh.edges]
    taken = edge_waits & (edges >= 0).all(axis=1)
    edge_waits &= ~taken
    own_mesh = SourceMesh(
        mesh.positions[group.vertices],
        mesh.normals[group.vertices],
        edges[taken],
        own_vertex[mesh.triangles[group.triangles]],
        None if mesh.material is None else mesh.material[group.triangles],
    )
    skinning = replace(only, skin=own_skin, joints=only.joints.selected(entries))
    influences = np.flatnonzero(mine).astype(np.int32)
    return DrawGroup(group.vertices, entries, influences, group.triangles, skinning, own_mesh, group.material)


def draw_mesh_of(group: DrawGroup, drawn: DrawMesh) -> DrawMesh:
    """Return the part of a draw mesh that a group draws; its source vertices are the group's own.

    drawn: of the whole mesh, its triangles in the order of the source mesh's.
    """
    corners, triangles = np.unique(drawn.triangles[group.triangles], return_inverse=True)
    return DrawMesh(
        np.searchsorted(group.vertices, drawn.source_vertex[corners]).astype(np.int32),
        triangles.reshape(-1, 3).astype(np.int32),
        drawn.normals[corners],
        drawn.uv[corners],
        None if drawn.material is None else drawn.material[group.triangles],
    )


def own_palette(palettes: Sequence[object], group: DrawGroup) -> tuple[Palette]:
    """Pick a group's entries out of the whole mesh's one palette."""
    (palette,) = palettes
    if not isinstance(palette, Palette):
        raise TypeError(f"a partitioned palette is one of matrices, not {type(palette).__name__}")
    return (Palette(palette.final[group.entries]),)
