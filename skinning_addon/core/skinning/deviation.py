"""The distance of skinned positions from a reference, vertex by vertex."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..maths.arrays import read_only, set_field
from ..maths.percentiles import percentile
from ..text.errors import InvalidArrayError

EXACT_RELATIVE = 1e-5
"""Up to this relative deviation a result counts as exact. Blender itself computes in float32: over many poses
even a float64 computation differs from it by up to 1.4e-6."""

EVEN = 1e-6
"""Up to this relative difference of squares, an object's axes count as equally long and at right angles."""

BYTES_AT_ONCE = 1 << 16
"""Of a number of each vertex measured at once, so that the data stays in the processor's cache. A live heat map
does this during playback, and allocating large arrays would take longer than the sums."""


@dataclass(frozen=True, eq=False)
class Deviation:
    """The deviation of skinned vertices from reference positions.

    distance: (V,) float64, in scene units (after the object's scale).
    area: (V,) float64, each vertex's share of the surface, adding up to 1; all 0 if the mesh has no faces.
    relative: largest distance / (diagonal + displacement), all in mesh space; the diagonal is the character's
        in checks. *Displacement* is the largest distance of a reference position from rest; without it, a small
        mesh that is thrown far would fail on float32 noise.
    metres_per_unit: length of a scene unit in metres.
    """

    distance: NDArray[np.float64]
    area: NDArray[np.float64]
    relative: float
    metres_per_unit: float = 1.0

    def __post_init__(self) -> None:
        set_field(self, "distance", read_only("distance", self.distance, np.float64, (None,)))
        set_field(self, "area", read_only("area", self.area, np.float64, (len(self.distance),)))

    @cached_property
    def worst_vertex(self) -> int:
        """Index of the vertex that deviates most, -1 if there are no vertices; NaN counts as the largest."""
        return int(np.argmax(self.distance)) if self.distance.size else -1

    @property
    def max(self) -> float:
        """Largest distance, in scene units."""
        return float(self.distance[self.worst_vertex]) if self.distance.size else 0.0

    @cached_property
    def rms(self) -> float:
        """Root of the mean squared distance over vertices, in scene units."""
        return float(np.sqrt(np.mean(self.distance**2))) if self.distance.size else 0.0

    def percentile(self, percent: float) -> float:
        """Return the distance, in scene units, that `percent` of the vertices do not exceed."""
        return percentile(self.distance, percent)

    def area_above(self, threshold: float) -> float:
        """Return the share of the rest surface, 0 to 1, whose distance exceeds `threshold` scene units; NaN
        counts as exceeding it.
        """
        return float(self.area[~(self.distance <= threshold)].sum())

    def metres(self, distance: float) -> float:
        """Convert a distance in scene units to metres."""
        return distance * self.metres_per_unit


@dataclass(frozen=True, eq=False)
class Deviations:
    """The deviations of one mesh at F frames; see `Deviation`.

    distance: (F, V) float64. area: (V,) float64. relative: one for each frame.
    """

    distance: NDArray[np.float64]
    area: NDArray[np.float64]
    relative: tuple[float, ...]
    metres_per_unit: float = 1.0

    def __len__(self) -> int:
        return len(self.distance)

    @cached_property
    def worst_vertices(self) -> NDArray[np.intp]:
        """Index of the vertex that deviates most at each frame, (F,); of a mesh with vertices."""
        return np.argmax(self.distance, axis=1)

    @cached_property
    def largest(self) -> list[float]:
        """Largest distance at each frame, in scene units; NaN if any distance is."""
        if not self.distance.shape[1]:
            return [0.0] * len(self)
        return np.take_along_axis(self.distance, self.worst_vertices[:, None], axis=1)[:, 0].tolist()

    def at(self, index: int) -> Deviation:
        """Return the deviation at one of the frames, which keeps nothing of the others."""
        distance = self.distance[index] if len(self) == 1 else self.distance[index].copy()
        return Deviation(distance, self.area, self.relative[index], self.metres_per_unit)


def measure_deviation(
    skinned: NDArray[np.floating],
    reference: NDArray[np.floating],
    rest: NDArray[np.floating],
    *,
    diagonal: float,
    vertex_areas: NDArray[np.floating],
    mesh_to_world: NDArray[np.floating] | None = None,
    metres_per_unit: float = 1.0,
) -> Deviation:
    """Compare `skinned` with `reference`, both (V, 3) in mesh space.

    rest: (V, 3) positions before skinning. diagonal: of the rest positions' bounding box, or of what they are
    part of, mesh space.
    vertex_areas: (V,) surface around each vertex, any unit. mesh_to_world: (4, 4) row-vector matrix; its
    scale converts distances to scene units (identity if left out).

    Raises:
        InvalidArrayError: the two sets have different numbers of vertices.
    """
    to_world = np.eye(4) if mesh_to_world is None else np.asarray(mesh_to_world, dtype=np.float64)
    total_area = float(np.sum(vertex_areas))
    return measure_deviations(
        skinned[None],
        reference[None],
        rest,
        diagonals=(diagonal,),
        area=np.asarray(vertex_areas, dtype=np.float64) / (total_area if total_area > 0 else 1.0),
        mesh_to_world=to_world[None],
        metres_per_unit=metres_per_unit,
    ).at(0)


def measure_deviations(
    skinned: NDArray[np.floating],
    reference: NDArray[np.floating],
    rest: NDArray[np.floating],
    *,
    diagonals: Sequence[float],
    area: NDArray[np.float64],
    mesh_to_world: NDArray[np.float64],
    metres_per_unit: float = 1.0,
    is_live: bool = False,
) -> Deviations:
    """Compare one mesh at F frames, each as `measure_deviation` does.

    skinned, reference: (F, V, 3). diagonals: F of them. area: (V,) each vertex's share of the surface, see
    `Deviation`. mesh_to_world: (F, 4, 4). is_live: for previews, which compute with float32 what is given so:
    distances are right to a millionth of theirs, in half the time; and `relative` leaves the displacement out
    where it is exact without.

    Raises:
        InvalidArrayError: the two sets have different numbers of vertices.
    """
    if skinned.shape != reference.shape:
        raise InvalidArrayError(
            f"{skinned.shape[1]} skinned vertices can't be compared with {reference.shape[1]} reference "
            f"vertices."
        )
    frames, count = skinned.shape[:2]
    turns = mesh_to_world[:, :3, :3]
    scale = _scale_of(turns)
    distance = np.empty((frames, count))
    largest, displacement = np.zeros(frames), np.zeros(frames)
    by_coordinate = _seen_by_coordinate if is_live else _by_coordinate
    at_once = max(1, BYTES_AT_ONCE // (4 if is_live else 8) // max(frames, 1))
    # Positions that are not finite are measured like any other: as NaN, or infinitely far.
    with np.errstate(invalid="ignore", over="ignore"):
        for first in range(0, count, at_once):
            part = slice(first, first + at_once)
            compared_with = by_coordinate(reference[:, part])
            offset = by_coordinate(skinned[:, part])
            offset = np.subtract(offset, compared_with, out=None if is_live else offset)
            squared = _squared(offset)
            largest = np.maximum(largest, squared.max(axis=1))
            in_world = squared if scale is not None else _squared(turns.swapaxes(1, 2) @ offset)
            np.sqrt(in_world, out=distance[:, part])
            if not is_live:
                compared_with -= by_coordinate(rest[None, part])
                displacement = np.maximum(displacement, _squared(compared_with).max(axis=1))
        if is_live and (np.sqrt(largest) > EXACT_RELATIVE * np.array(diagonals)).any():
            for first in range(0, count, at_once):
                part = slice(first, first + at_once)
                moved = by_coordinate(reference[:, part]) - by_coordinate(rest[None, part])
                displacement = np.maximum(displacement, _squared(moved).max(axis=1))
        if scale is not None and (scale != 1).any():
            distance *= scale[:, None]
    if is_live and not (np.isfinite(largest) & np.isfinite(displacement)).all():
        # Squares of what float32 holds need not fit into it.
        return measure_deviations(
            skinned,
            reference,
            rest,
            diagonals=diagonals,
            area=area,
            mesh_to_world=mesh_to_world,
            metres_per_unit=metres_per_unit,
        )
    # Once, instead of for every vertex: the root of the largest square is the largest length.
    pairs = zip(np.sqrt(largest).tolist(), np.sqrt(displacement).tolist(), diagonals, strict=True)
    return Deviations(
        distance,
        area,
        tuple(_relative(most, diagonal + displaced) for most, displaced, diagonal in pairs),
        metres_per_unit,
    )


def _relative(largest: float, size: float) -> float:
    return largest / size if size > 0 else (0.0 if largest == 0 else math.inf)


def split_along(
    offsets: NDArray[np.floating], normals: NDArray[np.floating], mesh_to_world: NDArray[np.floating]
) -> tuple[float, float]:
    """Split the largest of offsets (V, 3), world space, into its parts along the normal and across it, both
    non-negative.

    normals: (V, 3), mesh space, of the surface as it should be.
    """
    if not len(offsets):
        return 0.0, 0.0
    vertex = int(np.argmax(np.einsum("vc,vc->v", offsets, offsets)))
    offset = offsets[vertex].astype(np.float64)
    # Normals go by the inverse transpose; only the direction counts.
    with np.errstate(all="ignore"):
        normal = normals[vertex].astype(np.float64) @ np.linalg.pinv(mesh_to_world[:3, :3]).T
        length = float(np.linalg.norm(normal))
        along = abs(float(offset @ normal)) / length if length > 0 else 0.0
        return along, math.sqrt(max(0.0, float(offset @ offset) - along**2))


def _scale_of(turns: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Return by how much each of the turns (F, 3, 3) scales all lengths, (F,); None if one doesn't scale all
    alike, to the precision of Blender's matrices.
    """
    products = turns @ turns.swapaxes(1, 2)
    squared = np.trace(products, axis1=1, axis2=2) / 3
    uneven = np.abs(products - squared[:, None, None] * np.eye(3)).max(axis=(1, 2), initial=0.0)
    return np.sqrt(squared) if (uneven <= EVEN * squared).all() else None


def _by_coordinate(positions: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return positions (F, V, 3) as (F, 3, V), so that one operation works on numbers that are next to each
    other. Converted at the same time: calculating with another `dtype` takes twice as long.
    """
    return positions.swapaxes(1, 2).astype(np.float64, order="C")


def _seen_by_coordinate(positions: NDArray[np.floating]) -> NDArray[np.floating]:
    """Return the same (F, 3, V), neither converted nor copied."""
    return positions.swapaxes(1, 2)


def _squared(vectors: NDArray[np.floating]) -> NDArray[np.floating]:
    """Return the squared lengths (F, V) of vectors (F, 3, V)."""
    squares = vectors * vectors
    if squares.flags.c_contiguous:
        return np.add.reduce(squares, axis=1)
    # Where coordinates of a vertex are next to each other, this takes a third of the time.
    squared = squares[:, 0] + squares[:, 1]
    squared += squares[:, 2]
    return squared
