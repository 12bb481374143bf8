"""Matching the vertices of two meshes: by position, then by normal and uv if several share a position.

Exports and engines split vertices along seams, join them, leave some out and store them in another order.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

TIE = 1e-4
"""Two candidates whose squared normal and uv differences are within this of each other can't be told
apart."""


@dataclass(frozen=True, eq=False)
class Vertices:
    """positions: (N, 3). normals: (N, 3) unit length, or None. uv: (N, 2), or None."""

    positions: NDArray[np.float64]
    normals: NDArray[np.float64] | None = None
    uv: NDArray[np.float64] | None = None


@dataclass(frozen=True, eq=False)
class Matches:
    """Pairs that may be the same vertex: for each vertex looked for, the best match and any that are as good.

    wanted, found: (M,) vertex indices, sorted by `wanted`. cost: (M,), squared difference of normals and uv.
    count: the number of vertices looked for.
    """

    wanted: NDArray[np.intp]
    found: NDArray[np.intp]
    cost: NDArray[np.float64]
    count: int

    @property
    def unmatched(self) -> NDArray[np.intp]:
        """The vertices without a match."""
        return np.flatnonzero(np.bincount(self.wanted, minlength=self.count) == 0)

    @property
    def mean_cost(self) -> float:
        return float(self.cost.mean()) if len(self.cost) else 0.0


def match_vertices(wanted: Vertices, among: Vertices, radius: float) -> Matches:
    """Look for each vertex within `radius`, above 0, of its position.

    Normals and uv count if both sides have them. Time and memory are proportional to the number of vertices,
    as long as few share a location.
    """
    query, candidate = _within(wanted.positions, among.positions, radius)
    offset = wanted.positions[query] - among.positions[candidate]
    near = np.einsum("nc,nc->n", offset, offset) <= radius**2
    query, candidate, offset = query[near], candidate[near], offset[near]
    cost = np.zeros(len(query))
    for ours, theirs in ((wanted.normals, among.normals), (wanted.uv, among.uv)):
        if ours is not None and theirs is not None:
            cost += np.sum((ours[query] - theirs[candidate]) ** 2, axis=1)
    # Nearer is better, but only among those that look the same.
    order = np.lexsort((np.einsum("nc,nc->n", offset, offset), cost, query))
    query, candidate, cost = query[order], candidate[order], cost[order]
    best = np.full(len(wanted.positions), np.inf)
    np.minimum.at(best, query, cost)
    kept = cost <= best[query] + TIE
    return Matches(query[kept], candidate[kept], cost[kept], len(wanted.positions))


def _within(
    wanted: NDArray[np.float64], among: NDArray[np.float64], radius: float
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return a superset of the pairs within `radius`: those in touching grid cells."""
    size = 2 * radius
    keys = _hashed(np.floor(among / size).astype(np.int64))
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    location = wanted / size
    cell = np.floor(location).astype(np.int64)
    # Anything within half a cell is in the cell itself or in the neighbours on the nearer side.
    towards = np.where(location - cell < 0.5, -1, 1)
    queries: list[NDArray[np.intp]] = []
    found: list[NDArray[np.intp]] = []
    for step in product((0, 1), repeat=3):
        key = _hashed(cell + towards * np.array(step))
        first, last = np.searchsorted(keys, key, "left"), np.searchsorted(keys, key, "right")
        counts = last - first
        queries.append(np.repeat(np.arange(len(wanted)), counts))
        run = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
        found.append(order[np.repeat(first, counts) + run])
    return np.concatenate(queries), np.concatenate(found)


def _hashed(cells: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Hash cells (N, 3) to one number each; a collision only costs a comparison."""
    unsigned = cells.astype(np.uint64)
    with np.errstate(over="ignore"):
        return (
            unsigned[:, 0] * np.uint64(0x9E3779B97F4A7C15)
            ^ unsigned[:, 1] * np.uint64(0xC2B2AE3D27D4EB4F)
            ^ unsigned[:, 2] * np.uint64(0x165667B19E3779F9)
        )
