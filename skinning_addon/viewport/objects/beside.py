"""Where a copy of the shown characters has room beside them in a view."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from itertools import product

import bpy
import numpy as np
from numpy.typing import NDArray

GAP = 0.08
"""Between the two, as a share of their width."""

NEAREST = 1e-6
"""Of clip w: what is nearer is behind the viewer."""

Offset = tuple[float, float, float]
"""World space."""

_SIGNS = np.array(list(product((-1.0, 1.0), repeat=3)))


@dataclass(frozen=True, eq=False)
class Bounds:
    """A box that holds everything shown, in world space. center, half: (3,); half its size along each axis.

    Eight corners are little work, but every operation on an array takes its time: previews ask at every frame.
    """

    center: NDArray[np.float64]
    half: NDArray[np.float64]

    @property
    def corners(self) -> NDArray[np.float64]:
        """(8, 3)."""
        return self.center + _SIGNS * self.half

    @property
    def diagonal(self) -> float:
        """The box's diagonal."""
        return 2 * math.sqrt(float(self.half @ self.half))

    def across(self, direction: NDArray[np.float64]) -> float:
        """Return the extent of the box along a unit vector, (3,)."""
        return 2 * float(np.abs(direction) @ self.half)


class Places:
    """Where copies were last drawn beside the characters, in each region.

    The bounds follow the characters but never shrink, so that the copy doesn't sway as they move their arms.
    """

    def __init__(self) -> None:
        self._half: dict[Hashable, NDArray[np.float64]] = {}
        self._offsets: dict[int, Offset] = {}
        self._overlapping: set[int] = set()
        self._seen: dict[int, tuple[float, float]] = {}

    def bounds(self, layer: Hashable, corners: NDArray[np.float64]) -> Bounds:
        """Return the bounds of points (N, 3) in world space, as large as they ever were in this view layer."""
        low, high = corners.min(axis=0), corners.max(axis=0)
        half: NDArray[np.float64] = (high - low) / 2
        known = self._half.get(layer)
        self._half[layer] = half = half if known is None else np.maximum(half, known)
        return Bounds((low + high) / 2, half)

    def put(
        self, region: bpy.types.Region, found: Beside, seen: tuple[float, float], *, overlaps: bool
    ) -> None:
        """Note where the copy is drawn in a region, from where to where it is seen across it, -1 to 1, and
        whether the two overlap there as they stand now: the bounds are as large as they ever were.
        """
        self._seen[region.as_pointer()] = seen
        x, y, z = found.offset.tolist()
        self._offsets[region.as_pointer()] = (x, y, z)
        (self._overlapping.add if overlaps else self._overlapping.discard)(region.as_pointer())

    def of(self, region: bpy.types.Region) -> Offset:
        """Return where it was drawn there last."""
        return self._offsets.get(region.as_pointer(), (0.0, 0.0, 0.0))

    def seen(self, region: bpy.types.Region) -> tuple[float, float] | None:
        """Return from where to where across a region the copy was seen last, -1 to 1; None if it wasn't."""
        return self._seen.get(region.as_pointer())

    def overlaps(self, region: bpy.types.Region) -> bool:
        """Whether a region had too little room for both when the copy was drawn there last."""
        return region.as_pointer() in self._overlapping

    def clear(self) -> None:
        """Forget all of it: other characters are shown."""
        self._overlapping.clear()
        self._half.clear()
        self._offsets.clear()
        self._seen.clear()


@dataclass(frozen=True, eq=False)
class Beside:
    """offset: (3,), world space, of the copy. overlaps: whether there is too little room, so that the copy lies
    partly in front of what it is a copy of.
    """

    offset: NDArray[np.float64]
    overlaps: bool


def beside(
    bounds: Bounds,
    world_to_view: NDArray[np.float64],
    view_to_clip: NDArray[np.float64],
    free: tuple[float, float],
) -> Beside:
    """Place a copy on the side where a view has room for it: on the right if there is, else on the left.

    Without room on either side it is moved as far as the larger side allows, and never off the screen.

    world_to_view, view_to_clip: (4, 4), row vectors. free: the left and right end of the part of the region
    that nothing covers, -1 to 1.
    """
    to_right = world_to_view[:3, 0]
    x, w = _in_clip(bounds.corners, world_to_view, view_to_clip)
    width = bounds.across(to_right)
    if w.min() <= NEAREST:
        return Beside(to_right * (1 + GAP) * width, overlaps=False)
    # Moved by s along the view, a corner is seen at (x + s * scale) / w.
    scale = float(view_to_clip[0, 0])
    seen = x / w
    left, right = float(seen.min()), float(seen.max())
    gap = GAP * (right - left)

    def moved(target: float) -> NDArray[np.float64]:
        """How far each corner has to be moved to get to a place of the view."""
        return (target * w - x) / scale

    on_right, on_left = float(moved(right + gap).max()), float(moved(left - gap).min())
    if float(((x + on_right * scale) / w).max()) <= free[1]:
        return Beside(to_right * on_right, overlaps=False)
    if float(((x + on_left * scale) / w).min()) >= free[0]:
        return Beside(to_right * on_left, overlaps=False)
    to_right_end, to_left_end = float(moved(free[1]).min()), float(moved(free[0]).max())
    if to_right_end < to_left_end:
        # It is wider than the view.
        return Beside(to_right * (to_right_end + to_left_end) / 2, overlaps=True)
    on_larger_side = to_right_end if free[1] - right >= left - free[0] else to_left_end
    return Beside(to_right * on_larger_side, overlaps=True)


def seen_across(
    corners: NDArray[np.float64], world_to_view: NDArray[np.float64], view_to_clip: NDArray[np.float64]
) -> tuple[float, float]:
    """Return from where to where across a view points (N, 3) in world space are seen, -1 to 1."""
    x, w = _in_clip(corners, world_to_view, view_to_clip)
    if w.min() <= NEAREST:
        return -1.0, 1.0
    seen = x / w
    return float(seen.min()), float(seen.max())


def _in_clip(
    corners: NDArray[np.float64], world_to_view: NDArray[np.float64], view_to_clip: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return clip x and w of points, (N,) each."""
    to_clip = world_to_view @ view_to_clip[:, ::3]
    x, w = (corners @ to_clip[:3] + to_clip[3]).T
    return x, w
