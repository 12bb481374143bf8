"""A uniform grid: who is near whom, at a cost linear in the number of agents."""

from __future__ import annotations

from math import isqrt

import numpy as np

from .fixed_point import Indices, Integers


class Grid:
    """Agents sorted by the cells that they are in.

    Cells are at least as wide as `reach`, so that whoever is within it is in a neighbouring cell, and so wide
    that there are at most about four for each agent.
    """

    def __init__(self, position: Integers, half: Integers, reach: int) -> None:
        """Sort places (2, N), all in the area."""
        self._half = half
        widest = 2 * int(half.max())
        self._cell = max(reach, -(-widest // (2 * isqrt(position.shape[1]) + 1)), 1)
        # A column at either side and a row at either end stay empty: there every cell has its neighbours.
        self._columns, rows = (2 * int(one) // self._cell + 3 for one in half)
        number = self._number(position)
        self._order = np.argsort(number, kind="stable")
        self._sorted = number[self._order]
        self._starts = np.zeros(self._columns * rows + 2, dtype=np.int64)
        np.cumsum(np.bincount(number, minlength=self._columns * rows + 1), out=self._starts[1:])

    def pairs(self) -> tuple[Indices, Indices]:
        """Return all pairs (P,) of agents in the same or in neighbouring cells, each once."""
        own, starts, columns = self._sorted, self._starts, self._columns
        places = np.arange(len(own))
        first, second = _expanded(places + 1, starts[own + 2])
        before, after = _expanded(starts[own + columns - 1], starts[own + columns + 2])
        return (
            self._order[np.concatenate((first, before))],
            self._order[np.concatenate((second, after))],
        )

    def around(self, points: Integers) -> tuple[Indices, Indices]:
        """Return pairs (P,): the index of one of the points (2, n), and an agent in its or a next cell."""
        number = self._number(points)
        near = [
            _expanded(self._starts[number + row - 1], self._starts[number + row + 2])
            for row in (-self._columns, 0, self._columns)
        ]
        point, place = (np.concatenate(columns) for columns in zip(*near, strict=True))
        return point, self._order[place]

    def _number(self, points: Integers) -> Integers:
        x, y = ((points[axis] + self._half[axis]) // self._cell + 1 for axis in (0, 1))
        return y * self._columns + x


def _expanded(begins: Integers, ends: Integers) -> tuple[Indices, Indices]:
    """Return each index with each number of its range."""
    counts = ends - begins
    index = np.repeat(np.arange(len(counts)), counts)
    firsts = begins - (np.cumsum(counts) - counts)
    return index, np.arange(len(index)) + firsts[index]
