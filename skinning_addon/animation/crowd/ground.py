"""The ground that a crowd walks on: how high it is, and where it may be walked on, as a raster of integers.

Agents are points on it: what stands in the way, and where the ground ends, is wider by their radius already.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .fixed_point import MICROMETRES, UNIT, Floats, Integers, Mask

FARTHEST = 16
"""Cells."""

PLACES_AT_ONCE = 1 << 14

LARGEST = 1 << 50
"""Micrometres; no height is beyond."""


@dataclass(frozen=True, eq=False)
class Ground:
    """A raster of square cells.

    cell: their side, in micrometres. low: (2,) micrometres, the corner with the smallest coordinates.
    heights: (rows + 1, columns + 1) micrometres, of the cells' corners; rows go along Y. free: (rows, columns)
    whether the middle of an agent may be in a cell.
    """

    cell: int
    low: Integers
    heights: Integers
    free: Mask

    def holds(self, places: Integers) -> Mask:
        """Whether agents may be at places (2, ...), micrometres."""
        row, column = self._cells(places)
        return self._room[row, column] > 0

    def _cells(self, places: Integers) -> tuple[Integers, Integers]:
        """Return the rows and columns in `_room` of places (2, ...)."""
        columns, rows = self.free.shape[::-1]
        column, row = ((axis - low) // self.cell for axis, low in zip(places, self.low.tolist(), strict=True))
        return np.clip(row, -1, rows) + 1, np.clip(column, -1, columns) + 1

    @cached_property
    def _room(self) -> NDArray[np.uint8]:
        """How many cells (rows + 2, columns + 2) around each are free in all directions, itself included: 0
        where it is blocked, as outside the raster. The count stops at FARTHEST.
        """
        free = np.pad(self.free, 1)
        room = free.astype(np.uint8)
        for _ in range(FARTHEST - 1):
            across = free.copy()
            across[:, 1:] &= free[:, :-1]
            across[:, :-1] &= free[:, 1:]
            free = across.copy()
            free[1:] &= across[:-1]
            free[:-1] &= across[1:]
            room += free
        return room

    def holds_way(self, places: Integers, heading: Integers, ways: Floats) -> Mask:
        """Whether agents at places (2, N) may go straight ahead (2, N) for `ways` (N,) micrometres: looked at
        every cell's width.
        """
        row, column = self._cells(places)
        # Most have enough room in all directions.
        near = self._room[row, column].astype(np.float64) * self.cell < ways + self.cell
        result = np.ones(places.shape[1], dtype=np.bool_)
        (who,) = np.nonzero(near & (ways > 0))
        first = 1
        while who.size:
            numbers = np.arange(first, first + max(PLACES_AT_ONCE // len(who), 1))
            way = np.minimum(numbers[:, None] * float(self.cell), ways[who])
            # The last place of each comes again until the longest way ends.
            ahead = places[:, None, who] + np.rint(heading[:, None, who] * (way / UNIT)).astype(np.int64)
            held = self.holds(ahead).all(axis=0)
            result[who] = held
            first = int(numbers[-1]) + 1
            who = who[held & (numbers[-1] * float(self.cell) < ways[who])]
        return result

    def heights_at(self, places: Integers | Floats) -> Floats:
        """Return the height (...) at places (2, ...), micrometres: between a cell's corners by both axes."""
        rows, columns = self.free.shape
        x, y = ((axis - low) / self.cell for axis, low in zip(places, self.low.tolist(), strict=True))
        column = np.clip(np.floor(x), 0, columns - 1).astype(np.int64)
        row = np.clip(np.floor(y), 0, rows - 1).astype(np.int64)
        along, across = np.clip(x - column, 0.0, 1.0), np.clip(y - row, 0.0, 1.0)
        near = self.heights[row, column] * (1 - along) + self.heights[row, column + 1] * along
        far = self.heights[row + 1, column] * (1 - along) + self.heights[row + 1, column + 1] * along
        return near * (1 - across) + far * across

    @property
    def area(self) -> float:
        """Square micrometres where agents may be."""
        return float(np.count_nonzero(self.free)) * self.cell * self.cell

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of all of it, the same on every machine."""
        result = hashlib.sha256(f"{self.cell} {self.low.tolist()} {self.free.shape}".encode())
        result.update(np.ascontiguousarray(self.heights, dtype="<i8").tobytes())
        result.update(np.packbits(self.free).tobytes())
        return result.hexdigest()

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return all of it as arrays by name."""
        return {
            "cell": np.array(self.cell),
            "low": self.low,
            "heights": self.heights,
            "free": self.free,
        }

    @classmethod
    def from_arrays(cls, arrays: dict[str, NDArray[Any]]) -> Ground:
        """Undo `to_arrays`. Raises KeyError or ValueError if that is no ground."""
        cell, low, heights, free = (arrays[name] for name in ("cell", "low", "heights", "free"))
        if cell.shape != () or not 0 < int(cell) < LARGEST:
            raise ValueError("the ground's cells have no size")
        if (
            low.dtype != np.int64
            or low.shape != (2,)
            or free.dtype != np.bool_
            or free.ndim != 2
            or not free.size
        ):
            raise ValueError("the ground has the wrong shape or type")
        rows, columns = free.shape
        if heights.dtype != np.int64 or heights.shape != (rows + 1, columns + 1):
            raise ValueError("the ground's heights have the wrong shape or type")
        if max(int(heights.max()), -int(heights.min())) > LARGEST:
            raise ValueError("the ground is too high")
        return cls(int(cell), low, heights, free)


def micrometre_places(places: NDArray[np.floating]) -> Integers:
    """Convert metres to whole micrometres."""
    return np.rint(places * MICROMETRES).astype(np.int64)
