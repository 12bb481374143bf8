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
        cells = self._columns * rows
        # Sixteen bits are sorted by digits, several times as fast.
        self._order = np.argsort(number.astype(np.uint16) if cells < 1 << 16 else number, kind="stable")
        self._sorted = number[self._order]
        self._starts = np.zeros(cells + 2, dtype=np.int64)
        np.cumsum(np.bincount(number, minlength=cells + 1), out=self._starts[1:])

    def pairs(self) -> tuple[Indices, Indices]:
        """Return all pairs (P,) of agents in the same or in neighbouring cells, each once."""
        own, starts, columns = self._sorted, self._starts, self._columns
        # In the rest of its own row, and in the row before.
        first, second = _expanded(
            np.concatenate((self._order, self._order)),
            np.concatenate((np.arange(1, len(own) + 1), starts[own + (columns - 1)])),
            np.concatenate((starts[own + 2], starts[own + (columns + 2)])),
        )
        return first, self._order[second]

    def around(self, points: Integers) -> tuple[Indices, Indices]:
        """Return pairs (P,): the index of one of the points (2, n), and an agent in its or a next cell."""
        own = self._number(points)
        number = np.concatenate((own - self._columns, own, own + self._columns))
        index = np.arange(len(own))
        point, place = _expanded(
            np.concatenate((index, index, index)), self._starts[number - 1], self._starts[number + 2]
        )
        return point, self._order[place]

    def _number(self, points: Integers) -> Integers:
        x, y = ((points[axis] + self._half[axis]) // self._cell + 1 for axis in (0, 1))
        return y * self._columns + x


def _expanded(of: Indices, begins: Integers, ends: Integers) -> tuple[Indices, Indices]:
    """Return each of some indices with each number of its range."""
    counts = ends - begins
    numbers = (ends - counts.cumsum()).repeat(counts)
    numbers += np.arange(len(numbers))
    return of.repeat(counts), numbers
