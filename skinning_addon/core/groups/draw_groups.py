"""The meshes that a partitioned palette draws: one for each group, and what is left over for the processor.

What engines call sub-meshes or sections. Only for a mesh that one linear pass without a mask moves: engines have no other.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..skinning.mesh import DrawMesh, SourceMesh
from ..skinning.palette import NO_BONE, Blend, Palette, Pass
from ..skinning.skin import Skin, from_entries
from ..text.errors import BindingError
from .partition import PaletteGroup, Partition, partition_palette


@dataclass(frozen=True, eq=False)
class DrawGroup:
    """One group as a mesh of its own.

    vertices: (v,) int32, the whole mesh's vertex of each of its own. entries: (K,) int32, the whole palette's entry of each
    of its own; entry 0 is "no bone", as in every palette. triangles: (t,) int32, the whole mesh's triangle of each.
    influences: (n,) int32, which of the whole skin's, as `Skin.normalised` has them, each of its own is.
    skinning: the pass over its own vertices and entries. mesh: its own vertices and triangles, and the edges that no group
    before it has. material: the slot of its triangles' material; the processor's group may have several.
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
    """groups: those that the GPU draws. rest: what no palette holds or no face uses; None where there is nothing."""

    partition: Partition
    groups: tuple[DrawGroup, ...]
    rest: DrawGroup | None


def draw_groups(
    passes: tuple[Pass, ...], mesh: SourceMesh, limit: int, partition: Partition | None = None
) -> DrawGroups:
    """Cut a skinned mesh into groups of at most `limit` joints, each of one material.

    partition: of the same pass, triangles, materials and limit, where it is known: it does not depend on where vertices lie.

    Raises:
        BindingError: another chain of passes than a single linear one without a mask, or weights that follow the pose.
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
    """Raise the BindingError that `draw_groups` would raise about these passes, without cutting anything."""
    if len(passes) != 1 or passes[0].blend is not Blend.LINEAR or passes[0].amount is not None:
        raise BindingError(
            "Palettes can be cut to size for a single linear armature pass without a mask only; choose another technique.",
            rule="partition",
        )
    if passes[0].following is not None:
        raise BindingError(
            "Weights follow the pose, so the mesh would have to be cut up anew at every frame; choose another technique.",
            rule="partition",
        )


@dataclass(frozen=True, eq=False)
class _Cut:
    mesh: weakref.ref[SourceMesh]
    triangles: NDArray[np.int32]
    material: NDArray[np.int32] | None
    groups: DrawGroups


_known: weakref.WeakKeyDictionary[Pass, dict[int, _Cut]] = weakref.WeakKeyDictionary()
"""By pass and limit."""

MOST_KEPT = 2
"""Limits of one pass: what is drawn, and what is being made ready to take its place."""


def shared_draw_groups(passes: tuple[Pass, ...], mesh: SourceMesh, limit: int) -> DrawGroups:
    """Return what `draw_groups` does; what was asked for last is kept while the pass lives.

    Drawing and measuring both ask, and cutting up 100,000 triangles takes one to four seconds; vertices that merely lie
    elsewhere take a twentieth of that. May be called by several threads.
    """
    known = _cut_of(passes, mesh, limit)
    if known is not None and known.mesh() is mesh:
        return known.groups
    cut = draw_groups(passes, mesh, limit, known.groups.partition if known else None)
    kept = dict(_known.get(passes[0], {}))
    kept.pop(limit, mesh.material)
    kept[limit] = _Cut(weakref.ref(mesh), mesh.triangles, mesh.material, cut)
    while len(kept) > MOST_KEPT:
        del kept[next(iter(kept))]
    _known[passes[0]] = kept
    return cut


def is_cut(passes: tuple[Pass, ...], mesh: SourceMesh, limit: int) -> bool:
    """Tell whether `shared_draw_groups` knows what takes most of its time."""
    return _cut_of(passes, mesh, limit) is not None


def _cut_of(passes: tuple[Pass, ...], mesh: SourceMesh, limit: int) -> _Cut | None:
    known = _known.get(passes[0], {}).get(limit) if len(passes) == 1 else None
    if known is None:
        return None
    for before, now in ((known.triangles, mesh.triangles), (known.material, mesh.material)):
        if before is not now and (before is None or now is None or not np.array_equal(before, now)):
            return None
    return known


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
    # Loose edges may run between what no face uses and a group's vertex.
    vertices = np.unique(
        np.concatenate((alone, mesh.triangles[partition.oversized].ravel(), mesh.edges[edge_waits].ravel()))
    ).astype(np.int32)
    used = skin.joints[np.isin(skin.vertex_of_influence, vertices)]
    rest = PaletteGroup(np.unique(used), vertices, partition.oversized)
    return _draw_group(only, skin, mesh, rest, edge_waits)


def _draw_group(
    only: Pass, skin: Skin, mesh: SourceMesh, group: PaletteGroup, edge_waits: NDArray[np.bool_]
) -> DrawGroup:
    """Make a group's own mesh and skin. edge_waits: (E,) edges that nobody has yet; takes those that it can draw off it."""
    entries = np.union1d([NO_BONE], group.joints).astype(np.int32)
    own_vertex = np.full(mesh.vertex_count, -1, dtype=np.int32)
    own_vertex[group.vertices] = np.arange(len(group.vertices), dtype=np.int32)
    owner = own_vertex[skin.vertex_of_influence]
    mine = owner >= 0
    own_skin = from_entries(
        owner[mine],
        np.searchsorted(entries, skin.joints[mine]),
        skin.weights[mine],
        len(group.vertices),
    )
    # Both ends of an edge are in every group that draws one of its faces; drawn twice, it would be darker than others.
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
