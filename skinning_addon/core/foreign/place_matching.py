"""Vertices that lie in the same place, found by sorting: for two meshes in the same axes and unit.

`vertex_matching` also finds them where axes and units differ, and takes many times longer.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

CELL = 64
"""How much larger a cell of the grid is than the distance at which two places count as one."""


@dataclass(frozen=True, eq=False)
class SamePlaces:
    """Pairs of vertices. theirs, ours: (P,), the pairs, by ascending `theirs`. starts: (M,) the first pair of
    each matched vertex of theirs; several of ours may share its place.
    """

    theirs: NDArray[np.intp]
    ours: NDArray[np.intp]
    starts: NDArray[np.intp]

    @property
    def matched(self) -> NDArray[np.intp]:
        """Theirs that have counterparts, (M,)."""
        return self.theirs[self.starts]

    @property
    def counterparts(self) -> NDArray[np.intp]:
        """One of ours for each of `matched`, (M,)."""
        return self.ours[self.starts]

    def distances(self, theirs: NDArray[np.float64], ours: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how far each matched vertex (M,) is from the nearest of its counterparts. theirs: (N, 3),
        ours: (V, 3), in any pose.
        """
        offset = theirs[self.theirs] - ours[self.ours]
        squared = np.einsum("pc,pc->p", offset, offset)
        return np.sqrt(np.minimum.reduceat(squared, self.starts)) if len(self.starts) else squared


def same_places(ours: NDArray[np.float64], theirs: NDArray[np.float64], apart: float) -> SamePlaces:
    """Pair vertices whose rest positions, (V, 3) and (N, 3), are at most `apart` from each other."""
    size = max(apart * CELL, 1e-30)
    lowest = np.minimum(ours.min(axis=0, initial=np.inf), theirs.min(axis=0, initial=np.inf)) - size
    own_cells = np.floor((ours - lowest) / size).astype(np.int64)
    places = (theirs - lowest) / size
    cells = np.floor(places).astype(np.int64)
    width = int(max(own_cells.max(initial=0), cells.max(initial=0))) + 2
    own_keys = _keys(own_cells, width)
    order = np.argsort(own_keys, kind="stable")
    own_keys = own_keys[order]
    found: list[tuple[NDArray[np.intp], NDArray[np.intp]]] = []
    for shift in itertools.product((-1, 0, 1), repeat=3):
        # Only vertices close to a side of their cell may have a counterpart beyond it.
        rows = np.flatnonzero(_reaches(places - cells, shift))
        keys = _keys(cells[rows] + np.array(shift), width)
        first = np.searchsorted(own_keys, keys, "left")
        count = np.searchsorted(own_keys, keys, "right") - first
        ends = np.cumsum(count)
        within = np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - count, count)
        found.append((np.repeat(rows, count), order[np.repeat(first, count) + within]))
    their_rows, our_rows = (np.concatenate(one) for one in zip(*found, strict=True))
    offset = theirs[their_rows] - ours[our_rows]
    near = np.einsum("pc,pc->p", offset, offset) <= apart * apart
    their_rows, our_rows = their_rows[near], our_rows[near]
    sorted_by_theirs = np.argsort(their_rows, kind="stable")
    their_rows, our_rows = their_rows[sorted_by_theirs], our_rows[sorted_by_theirs]
    _, starts = np.unique(their_rows, return_index=True)
    return SamePlaces(their_rows, our_rows, starts.astype(np.intp))


def _keys(cells: NDArray[np.int64], width: int) -> NDArray[np.int64]:
    return (cells[:, 0] * width + cells[:, 1]) * width + cells[:, 2]


def _reaches(within: NDArray[np.float64], shift: tuple[int, ...]) -> NDArray[np.bool_]:
    """Tell which places (N, 3) in their cells, from 0 to 1, are close to the neighbor in that direction."""
    edge = 1.0 / CELL
    near = np.ones(len(within), dtype=np.bool_)
    for axis, step in enumerate(shift):
        if step:
            near &= within[:, axis] <= edge if step < 0 else within[:, axis] >= 1 - edge
    return near
