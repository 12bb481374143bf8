"""The joints that a vertex may choose from: its own and those of its surroundings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..maths.weight_costs import squared_distances
from ..skinning.skin import Skin
from .wanted import Wanted

AT_MOST = 16
"""Joints that a vertex may choose from. With 24, no vertex of a Rigify human comes closer by 0.01 mm."""

RINGS = 3
"""How many edges away the surroundings reach."""

FAINTER = 0.2
"""What a ring's weights count against those of the ring before."""


@dataclass(frozen=True, eq=False)
class Candidates:
    """joints: (V, C) int32. allowed: (V, C), at least one for each vertex; where it is false, the joint is 0.
    former: (V, C) float64, the authored weights of these joints, adding up to one.
    """

    joints: NDArray[np.int32]
    allowed: NDArray[np.bool_]
    former: NDArray[np.float64]


def candidates(skin: Skin, edges: NDArray[np.integer], at_most: int = AT_MOST) -> Candidates:
    """Choose each vertex's candidates: its own joints first, by weight, then those of its neighbours, and of
    theirs.

    skin: as authored. edges: (E, 2) vertices. at_most: if a vertex has more joints of its own, the smallest
    are left out, and `former` adds up to one without them.
    """
    own = skin.normalised()
    entries = _summed(own.vertex_of_influence, own.joints, own.weights.astype(np.float64), own.vertex_count)
    ring = entries
    # Joints of its own come before any others, however faint.
    total = _Entries(entries.vertices, entries.joints, entries.values + 1.0, entries.count)
    for number in range(1, RINGS + 1):
        ring = ring.spread(edges).largest(at_most)
        total = total.plus(ring.times(FAINTER**number)).largest(2 * at_most)
    return _table(total.largest(at_most), entries, at_most)


def with_more(
    chosen: Candidates,
    wanted: Wanted,
    joints: NDArray[np.integer],
    at_most: int,
    only: NDArray[np.bool_],
) -> Candidates:
    """Return the candidates and, of the vertices (V,) marked in `only`, besides the `at_most` of these joints
    that alone come nearest to where the vertex is wanted.
    """
    at_most = min(at_most, len(joints))
    found = np.zeros((wanted.vertex_count, at_most), dtype=np.int32)
    for block in wanted.blocks(np.flatnonzero(only), len(joints)):
        each = np.broadcast_to(np.asarray(joints, dtype=np.int32), (len(block), len(joints)))
        off = squared_distances(wanted.by_joint, wanted.rest[block], joints, wanted.rows(block))
        order = np.argsort(off, axis=1, kind="stable")[:, :at_most]
        found[block] = np.take_along_axis(each, order, axis=1)
    return Candidates(
        np.concatenate([chosen.joints, found], axis=1),
        np.concatenate([chosen.allowed, found > 0], axis=1),
        np.concatenate([chosen.former, np.zeros(found.shape)], axis=1),
    )


@dataclass(frozen=True, eq=False)
class _Entries:
    """Values by vertex and joint, each pair once, (N,) each, sorted by vertex and joint."""

    vertices: NDArray[np.intp]
    joints: NDArray[np.int32]
    values: NDArray[np.float64]
    count: int

    def times(self, factor: float) -> _Entries:
        return _Entries(self.vertices, self.joints, self.values * factor, self.count)

    def plus(self, other: _Entries) -> _Entries:
        """Return the sums by vertex and joint."""
        return _summed(
            np.concatenate([self.vertices, other.vertices]),
            np.concatenate([self.joints, other.joints]),
            np.concatenate([self.values, other.values]),
            self.count,
        )

    def spread(self, edges: NDArray[np.integer]) -> _Entries:
        """Return the mean over each vertex's neighbours and itself."""
        ends = np.concatenate([edges, edges[:, ::-1], np.repeat(np.arange(self.count), 2).reshape(-1, 2)])
        starts = np.searchsorted(self.vertices, np.arange(self.count + 1))
        sizes = np.diff(starts)[ends[:, 0]]
        which = np.repeat(starts[ends[:, 0]], sizes) + _counted(sizes)
        taken_by = np.repeat(ends[:, 1], sizes)
        degree = np.bincount(ends[:, 1], minlength=self.count)
        values = self.values[which] / degree[taken_by]
        return _summed(taken_by, self.joints[which], values, self.count)

    def ranks(self) -> NDArray[np.intp]:
        """Return each entry's place among those of its vertex, the largest first."""
        order = np.lexsort((self.joints, -self.values, self.vertices))
        sizes = np.bincount(self.vertices, minlength=self.count)
        ranks = np.empty(len(order), dtype=np.intp)
        ranks[order] = _counted(sizes)
        return ranks

    def largest(self, at_most: int) -> _Entries:
        kept = self.ranks() < at_most
        return _Entries(self.vertices[kept], self.joints[kept], self.values[kept], self.count)


def _table(chosen: _Entries, own: _Entries, at_most: int) -> Candidates:
    ranks = chosen.ranks()
    joints = np.zeros((chosen.count, at_most), dtype=np.int32)
    allowed = np.zeros(joints.shape, dtype=np.bool_)
    former = np.zeros(joints.shape)
    joints[chosen.vertices, ranks] = chosen.joints
    allowed[chosen.vertices, ranks] = True
    base = int(max(chosen.joints.max(initial=0), own.joints.max(initial=0))) + 1
    keys, own_keys = (one.vertices * base + one.joints for one in (chosen, own))
    if len(own_keys):
        place = np.minimum(np.searchsorted(own_keys, keys), len(own_keys) - 1)
        found = own_keys[place] == keys
        former[chosen.vertices, ranks] = np.where(found, own.values[place], 0.0)
    former /= former.sum(axis=1, keepdims=True)
    return Candidates(joints, allowed, former)


def _summed(
    vertices: NDArray[np.integer], joints: NDArray[np.int32], values: NDArray[np.float64], count: int
) -> _Entries:
    base = int(joints.max(initial=0)) + 1
    keys, inverse = np.unique(vertices * base + joints, return_inverse=True)
    sums = np.bincount(inverse, weights=values, minlength=len(keys)).astype(np.float64)
    return _Entries((keys // base).astype(np.intp), (keys % base).astype(np.int32), sums, count)


def _counted(sizes: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return 0, 1, ... for each of the sizes, one after another."""
    ends = np.cumsum(sizes)
    return np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - sizes, sizes)
