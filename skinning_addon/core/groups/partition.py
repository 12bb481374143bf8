"""Bone combinations: a mesh cut into groups of faces that each need only a small palette.

If a palette holds fewer joints than a mesh has, engines draw the mesh in several calls, each with its own
palette
(the DirectX SDK samples' `ConvertToIndexedBlendedMesh`; assimp's SplitByBoneCount; Unreal's sections). Each
face belongs to one group; a vertex on the border of two groups is stored in both. Groups are made within each
material, as D3DX makes them
within each attribute group: a draw call has one material.

Cutting a mesh into the fewest groups is a set cover problem, so this is a heuristic: several greedy
strategies are tried, and the one with the fewest groups, then the fewest duplicated vertices, wins.
`Partition.lower_bound` bounds how far off it may be.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..skinning.skin import Skin
from ..text.errors import InvalidArrayError

Sets = NDArray[np.bool_]
"""(S, J) bool: sets of joints, one per row."""

MOST_STARTS = 8
"""Number of greedy strategies tried; each costs about as much as everything else together."""


@dataclass(frozen=True, eq=False)
class PaletteGroup:
    """One draw call's joints, vertices and triangles.

    joints: (K,) int32, ascending, the joints of the group's palette: its slot k holds joints[k].
    vertices: (v,) int32, ascending, the source vertices that it needs. triangles: (t,) int32, its triangles'
    indices.
    material: the slot of their material, what D3DX calls the attribute id.
    """

    joints: NDArray[np.int32]
    vertices: NDArray[np.int32]
    triangles: NDArray[np.int32]
    material: int = 0


@dataclass(frozen=True, eq=False)
class Partition:
    """A mesh cut into groups.

    limit: the most joints per group. groups: together they hold every triangle within that limit exactly
    once, material after material.
    oversized: (O,) int32, triangles that need more joints than the limit, and so are in no group.
    vertices_before: the number of source vertices used by grouped triangles.
    lower_bound: no partition has fewer groups: for each material, the joints its groups need together,
    divided by the limit.
    """

    limit: int
    groups: tuple[PaletteGroup, ...]
    oversized: NDArray[np.int32]
    vertices_before: int
    lower_bound: int

    @property
    def vertices_after(self) -> int:
        """Total number of vertices stored by all groups; border vertices count once per group."""
        return sum(len(group.vertices) for group in self.groups)


def partition_palette(
    skin: Skin, triangles: NDArray[np.int32], limit: int, material: NDArray[np.int32] | None = None
) -> Partition:
    """Cut a mesh so that no group needs more than `limit` joints, or has more than one material.

    skin: its influences of weight 0 do not count, and an unmoved vertex needs joint 0, as in
    `Skin.normalised`.
    triangles: (T, 3) vertex indices. material: (T,) each triangle's slot; None if all have the same.

    Raises:
        InvalidArrayError: a limit below 1.
    """
    if limit < 1:
        raise InvalidArrayError(f"A palette can't be limited to {limit} joints; give 1 or more.")
    needed = _joints_of_triangles(skin.normalised(), triangles)
    fits = needed.sum(axis=1) <= limit
    groups: list[PaletteGroup] = []
    lower_bound = 0
    for slot, placed in _by_material(np.flatnonzero(fits), material):
        group_of = _best_groups(needed[placed], triangles[placed], limit)
        groups += [
            PaletteGroup(
                np.flatnonzero(needed[members].any(axis=0)).astype(np.int32),
                np.unique(triangles[members]).astype(np.int32),
                members.astype(np.int32),
                slot,
            )
            for members in _members(placed, group_of)
        ]
        lower_bound += -(-int(needed[placed].any(axis=0).sum()) // limit)
    return Partition(
        limit,
        tuple(groups),
        np.flatnonzero(~fits).astype(np.int32),
        len(np.unique(triangles[fits])),
        lower_bound,
    )


def most_joints_of_a_material(
    skin: Skin, triangles: NDArray[np.int32], material: NDArray[np.int32] | None
) -> int:
    """Return the largest number of joints that any material's triangles need, as `partition_palette` counts
    them.
    """
    needed = _joints_of_triangles(skin.normalised(), triangles)
    every = np.arange(len(triangles))
    return max((int(needed[of].any(axis=0).sum()) for _, of in _by_material(every, material)), default=0)


def _by_material(
    triangles: NDArray[np.intp], material: NDArray[np.int32] | None
) -> Iterator[tuple[int, NDArray[np.intp]]]:
    """Sort triangles by their material, the first slot first."""
    if material is None:
        yield 0, triangles
        return
    own = material[triangles]
    for slot in np.unique(own).tolist():
        yield slot, triangles[own == slot]


def large_triangles(skin: Skin, triangles: NDArray[np.int32], limit: int) -> NDArray[np.int32]:
    """Return the triangles that each need more than `limit` joints; see `Partition.oversized`."""
    if skin.largest_count * 3 <= limit:
        return np.empty(0, dtype=np.int32)
    needed = _joints_of_triangles(skin.normalised(), triangles)
    return np.flatnonzero(needed.sum(axis=1) > limit).astype(np.int32)


def _members(placed: NDArray[np.intp], group_of: NDArray[np.intp]) -> Iterator[NDArray[np.intp]]:
    for group in np.unique(group_of):
        yield placed[group_of == group]


def _joints_of_triangles(skin: Skin, triangles: NDArray[np.int32]) -> Sets:
    """Return which joints each triangle needs: (T, J) bool."""
    joint_count = int(skin.joints.max(initial=0)) + 1
    of_vertices = np.zeros((skin.vertex_count, joint_count), dtype=bool)
    of_vertices[skin.vertex_of_influence, skin.joints] = True
    return of_vertices[triangles[:, 0]] | of_vertices[triangles[:, 1]] | of_vertices[triangles[:, 2]]


def _best_groups(needed: Sets, triangles: NDArray[np.int32], limit: int) -> NDArray[np.intp]:
    """Try several groupings of the triangles, and return each triangle's group in the best one."""
    if not len(needed):
        return np.zeros(0, dtype=np.intp)
    # At most a tenth of the triangles' sets are distinct.
    packed, set_of = np.unique(np.packbits(needed, axis=1), axis=0, return_inverse=True)
    sets = np.unpackbits(packed, axis=1, count=needed.shape[1]).astype(bool)
    ways: list[NDArray[np.intp]] = []
    for palettes in _ways(_maximal(sets), limit):
        fits_into = sets.astype(np.float32) @ (~palettes).T.astype(np.float32) == 0
        ways.append(_assign(triangles, fits_into[set_of.reshape(-1)]))
    return min(ways, key=lambda group_of: _cost(triangles, group_of))


def _cost(triangles: NDArray[np.int32], group_of: NDArray[np.intp]) -> tuple[int, int]:
    """Return the number of groups, and the number of vertices stored in total."""
    groups = np.unique(group_of)
    return len(groups), sum(len(np.unique(triangles[group_of == group])) for group in groups)


def _maximal(sets: Sets) -> Sets:
    """Drop sets contained in another one: wherever the larger one fits, they do too."""
    sizes = sets.sum(axis=1)
    sets, sizes = sets[np.argsort(-sizes, kind="stable")], np.sort(sizes)[::-1]
    numbers = sets.astype(np.float32)
    kept = np.ones(len(sets), dtype=bool)
    for start in range(0, len(sets), 1024):
        part = slice(start, start + 1024)
        inside = numbers[part] @ numbers.T == sizes[part, None]
        inside[np.arange(inside.shape[0]), np.arange(start, start + inside.shape[0])] = False
        kept[part] = ~inside.any(axis=1)
    return sets[kept]


def _ways(sets: Sets, limit: int) -> Iterator[Sets]:
    """Yield several alternatives of palettes, (G, J) bool, that together hold every set."""
    # A set that shares joints with few others must start early: by the end nothing would be left to combine
    # it with.
    shared = (sets.astype(np.float32) @ sets.T.astype(np.float32) > 0).sum(axis=1)
    starts = np.argsort(shared, kind="stable")
    steps = np.linspace(0, len(sets) - 1, min(MOST_STARTS, len(sets))).astype(int)
    for first in dict.fromkeys(starts[steps].tolist()):
        yield _merge(_grow(sets, limit, starts, int(first)), limit)


def _grow(sets: Sets, limit: int, order: NDArray[np.intp], first: int) -> Sets:
    """Fill one palette after the other, each time with the set that adds the fewest joints."""
    waiting = np.ones(len(sets), dtype=bool)
    palettes: list[Sets] = []
    while waiting.any():
        start = first if waiting[first] else int(order[waiting[order]][0])
        palette = sets[start].copy()
        while True:
            missing = (sets & ~palette).sum(axis=1)
            waiting &= missing > 0
            fits = waiting & (missing + palette.sum() <= limit)
            if not fits.any():
                break
            candidates = np.flatnonzero(fits & (missing == missing[fits].min()))
            overlap = (sets[candidates] & palette).sum(axis=1)
            palette |= sets[candidates[overlap.argmax()]]
        palettes.append(palette)
    return np.array(palettes)


def _merge(palettes: Sets, limit: int) -> Sets:
    """Merge palettes, those that share most first, as long as two fit into one."""
    palettes = palettes.copy()
    while len(palettes) > 1:
        numbers = palettes.astype(np.float32)
        common = numbers @ numbers.T
        sizes = palettes.sum(axis=1)
        fits = sizes[:, None] + sizes - common <= limit
        np.fill_diagonal(fits, val=False)
        if not fits.any():
            break
        one, other = np.unravel_index(np.where(fits, common, -1).argmax(), common.shape)
        palettes[one] |= palettes[other]
        palettes = np.delete(palettes, other, axis=0)
    return palettes


def _assign(triangles: NDArray[np.int32], possible: Sets) -> NDArray[np.intp]:
    """Choose a palette for every triangle; if several fit, the one that its neighbours use.

    possible: (T, G) bool, the palettes that fit each triangle. Triangles with only one choice are placed
    first; then, in a few rounds, those that share vertices with placed ones.
    """
    group_of = possible.argmax(axis=1)
    settled = possible.sum(axis=1) == 1
    here = np.zeros((int(triangles.max()) + 1, possible.shape[1]), dtype=bool)
    for _ in range(4):
        here[triangles[settled].ravel(), np.repeat(group_of[settled], 3)] = True
        shared = here[triangles].sum(axis=1) * possible
        near = ~settled & (shared.max(axis=1) > 0)
        group_of[near] = shared[near].argmax(axis=1)
        settled |= near
    return group_of
