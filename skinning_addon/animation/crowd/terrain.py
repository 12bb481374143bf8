"""From triangles to a crowd's ground: scan conversion of the surface and of what stands on it.

Works in float64 with + - * / alone, one element at a time: no sums whose order is the machine's business.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.text.errors import CrowdError
from .fixed_point import MICROMETRES, Floats, Indices, Integers, Mask
from .ground import LARGEST, Ground

Triangles = NDArray[np.float64]

MOST_CELLS = 2000
"""Along a side."""

NODES_AT_ONCE = 1 << 20

LOW = 0.02
"""What rises less than this share of a character's height above the ground is stepped over."""

WITHIN = (0.4142, 0.5773)
"""The point of a cell that is looked at: beside its middle, where meshes like to have their edges."""

STEEPEST = 89.0
"""Degrees."""


@dataclass(frozen=True)
class Walker:
    """Whom the ground has to carry. radius, height: micrometres. steepest: by how much the ground may rise on a
    level metre, in micrometres.
    """

    radius: int
    height: int
    steepest: int


def ground_of(surface: Triangles, obstacles: Triangles, half: Integers, walker: Walker) -> Ground:
    """Return the ground of an area: its topmost surface, without holes, what is too steep, and obstacles.

    surface, obstacles: (T, 3, 3), metres, the area's centre at the origin. half: (2,) half the area's size.

    Raises:
        CrowdError: the surface has no triangles, or no part of it is walkable.
    """
    if not len(surface):
        raise CrowdError("The ground has no faces; choose a mesh that has.")
    cell = max(walker.radius // 2, -(-2 * int(half.max()) // MOST_CELLS), 1)
    columns, rows = (max(2 * int(one) // cell, 1) for one in half)
    raster = _Raster(cell, -half, columns, rows)
    heights = raster.heights(surface * MICROMETRES)
    solid = raster.walkable(heights, walker.steepest)
    known = np.where(heights > -LARGEST, heights, 0)
    near = raster.near(obstacles * MICROMETRES)
    taken = raster.obstructed(near, known, walker.height) | raster.enclosed(near, known, walker.height)
    free = _shrunk(solid & ~taken, -(-walker.radius // cell), walker.radius / cell)
    if not free.any():
        raise CrowdError(
            "Nobody can stand on the ground: within the area it is too small, too steep or taken; choose "
            "another, a steeper slope limit, or a smaller radius."
        )
    return Ground(cell, -half.copy(), np.rint(known).astype(np.int64), free)


@dataclass(frozen=True, eq=False)
class _Raster:
    cell: int
    low: Integers
    columns: int
    rows: int

    def heights(self, triangles: Triangles) -> Floats:
        """Return the topmost height (rows + 1, columns + 1) at the cells' corners, micrometres; -infinity
        where there is none.
        """
        x, y, z = ((triangles[..., axis] - low) / scale for axis, low, scale in self._axes())
        result = np.full((self.rows + 1) * (self.columns + 1), -np.inf)
        for triangle, column, row in _nodes_below(x, y, self.columns, self.rows):
            inside, height = _height_in(x[triangle], y[triangle], z[triangle], column, row)
            at = row * (self.columns + 1) + column
            np.maximum.at(result, at[inside], height[inside])
        return result.reshape(self.rows + 1, self.columns + 1)

    def _axes(self) -> tuple[tuple[int, int, int], ...]:
        return (0, int(self.low[0]), self.cell), (1, int(self.low[1]), self.cell), (2, 0, 1)

    def walkable(self, heights: Floats, steepest: int) -> Mask:
        """Whether (rows, columns) a cell has ground at all of its corners, and is not too steep."""
        with np.errstate(invalid="ignore"):
            along = np.abs(heights[:, 1:] - heights[:, :-1])
            across = np.abs(heights[1:] - heights[:-1])
            rise_x = np.maximum(along[1:], along[:-1])
            rise_y = np.maximum(across[:, 1:], across[:, :-1])
            limit = self.cell * float(steepest) / MICROMETRES
            # Without ground a difference is infinite or not a number, and neither is at most the limit.
            return rise_x * rise_x + rise_y * rise_y <= limit * limit

    def obstructed(self, triangles: Triangles, ground: Floats, tall: int) -> Mask:
        """Whether (rows, columns) something stands in a cell between the ground and a walker's head.

        Points are looked at, less than half a cell apart.
        """
        result = np.zeros((self.rows, self.columns), dtype=np.bool_)
        for points in _points_on(triangles, self.cell / 2):
            column, row = (
                np.floor((points[:, axis] - low) / self.cell).astype(np.int64)
                for axis, low, _ in self._axes()[:2]
            )
            inside = (column >= 0) & (column < self.columns) & (row >= 0) & (row < self.rows)
            column, row = column[inside], row[inside]
            above = points[inside, 2] - ground[row, column]
            hit = (above > LOW * tall) & (above < tall)
            result[row[hit], column[hit]] = True
        return result

    def enclosed(self, triangles: Triangles, ground: Floats, tall: int) -> Mask:
        """Whether (rows, columns) the middle of a walker is inside something closed: of the faces above it and
        of those below, more look up on one side, and more look down on the other. Nobody is inside a house
        without a floor, or under a roof.
        """
        result = np.zeros((2, self.rows * self.columns), dtype=np.int64)
        middle = ground[:-1, :-1] + tall / 2
        x, y, z = ((triangles[..., axis] - low) / scale for axis, low, scale in self._axes())
        x, y = x - WITHIN[0], y - WITHIN[1]
        for triangle, column, row in _nodes_below(x, y, self.columns - 1, self.rows - 1):
            inside, height = _height_in(x[triangle], y[triangle], z[triangle], column, row)
            looks_up = np.where(_area(x, y)[triangle] > 0, 1, -1)
            above = height > middle[row, column]
            at = row * self.columns + column
            for which, there in enumerate((inside & above, inside & ~above)):
                np.add.at(result[which], at[there], looks_up[there])
        return (result[0] * result[1] < 0).reshape(self.rows, self.columns)

    def near(self, triangles: Triangles) -> Triangles:
        """Return the triangles that reach into the area."""
        if not len(triangles):
            return triangles
        high = self.low + self.cell * np.array([self.columns, self.rows])
        flat = triangles[..., :2]
        return triangles[((flat.max(axis=1) >= self.low) & (flat.min(axis=1) <= high)).all(axis=1)]


def _nodes_below(
    x: Floats, y: Floats, columns: int, rows: int
) -> Iterator[tuple[Indices, Integers, Integers]]:
    """Yield the whole numbers, from 0 to `columns` and `rows`, in the rectangle around each triangle (T, 3):
    triangle, column and row of each.
    """
    first_column, last_column = _range(x, columns)
    first_row, last_row = _range(y, rows)
    across = np.maximum(last_column - first_column + 1, 0)
    count = across * np.maximum(last_row - first_row + 1, 0)
    for triangles in _portions(count):
        triangle = np.repeat(triangles, count[triangles])
        ends = np.cumsum(count[triangles])
        number = np.arange(len(triangle)) - np.repeat(ends - count[triangles], count[triangles])
        yield (
            triangle,
            first_column[triangle] + number % across[triangle],
            first_row[triangle] + number // across[triangle],
        )


def _area(x: Floats, y: Floats) -> Floats:
    """Return twice the area (T,) of triangles (T, 3) seen from above, positive where they look up."""
    (a, b, c), (d, e, f) = x.T, y.T
    return (b - a) * (f - d) - (c - a) * (e - d)


def _range(values: Floats, most: int) -> tuple[Integers, Integers]:
    """Return the first and the last whole number between the values (T, 3) of each triangle, 0 to `most`."""
    first = np.ceil(np.clip(values.min(axis=1), 0, most + 1))
    last = np.floor(np.clip(values.max(axis=1), -1, most))
    return first.astype(np.int64), last.astype(np.int64)


def _portions(count: Integers) -> Iterator[Indices]:
    """Yield numbers of triangles that have some, so few at once that memory stays small."""
    (some,) = np.nonzero(count > 0)
    ends = np.cumsum(count[some])
    begin = 0
    while begin < len(some):
        before = int(ends[begin - 1]) if begin else 0
        end = max(int(np.searchsorted(ends, before + NODES_AT_ONCE, side="right")), begin + 1)
        yield some[begin:end]
        begin = end


def _height_in(x: Floats, y: Floats, z: Floats, column: Integers, row: Integers) -> tuple[Mask, Floats]:
    """Whether (P,) points lie in their triangles (P, 3), seen from above, and how high these are there."""
    to_x, to_y = x - column[:, None], y - row[:, None]
    # Twice the areas of the triangles with two of the corners: the third corner's share.
    shares = np.stack(
        [
            to_x[:, one] * to_y[:, other] - to_x[:, other] * to_y[:, one]
            for one, other in ((1, 2), (2, 0), (0, 1))
        ]
    )
    whole = shares[0] + shares[1] + shares[2]
    sign = np.where(whole < 0, -1.0, 1.0)
    inside = (shares * sign >= 0).all(axis=0) & (whole != 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        height = (shares[0] * z[:, 0] + shares[1] * z[:, 1] + shares[2] * z[:, 2]) / whole
    return inside, height


def _points_on(triangles: Triangles, apart: float) -> Iterator[Floats]:
    """Yield points (P, 3) on triangles, at most so far apart along each edge."""
    if not len(triangles):
        return
    edges = triangles - np.roll(triangles, 1, axis=1)
    longest = np.abs(edges).max(axis=(1, 2)) * 1.75
    parts = np.maximum(np.ceil(longest / apart), 1).astype(np.int64)
    for number in np.unique(parts).tolist():
        first, second = _shares(number)
        (which,) = np.nonzero(parts == number)
        step = max(NODES_AT_ONCE // len(first), 1)
        for begin in range(0, len(which), step):
            corner, one, other = np.moveaxis(triangles[which[begin : begin + step]], 1, 0)
            along, across = (one - corner)[:, None], (other - corner)[:, None]
            yield (corner[:, None] + along * first[:, None] + across * second[:, None]).reshape(-1, 3)


def _shares(parts: int) -> tuple[Floats, Floats]:
    """Return where the points of a triangle lie whose edges are divided into parts."""
    first, second = np.divmod(np.arange((parts + 1) * (parts + 1)), parts + 1)
    kept = first + second <= parts
    return first[kept] / parts, second[kept] / parts


def _shrunk(free: Mask, cells: int, radius: float) -> Mask:
    """Return the cells (rows, columns) all of whose points are farther than a radius from any that is not free.

    cells: the radius in whole cells, rounded up; radius: in cells. Beyond the raster nothing is free.
    """
    reach = cells + 1
    rows, columns = free.shape
    padded = np.pad(~free, reach, constant_values=True)
    result = free.copy()
    for down in range(-reach, reach + 1):
        for right in range(-reach, reach + 1):
            gap_y, gap_x = max(abs(down) - 1, 0), max(abs(right) - 1, 0)
            if gap_x * gap_x + gap_y * gap_y < radius * radius:
                result &= ~padded[reach + down : reach + down + rows, reach + right : reach + right + columns]
    return result
