"""Angles between many pairs of directions, summed up frame by frame without keeping them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

STEP = 0.01
"""Degrees: `Turned.nearly_all` is exact to this."""

NEARLY_ALL = 0.999


@dataclass(frozen=True)
class Turned:
    """Angles in degrees. nearly_all: 99.9% are within it."""

    largest: float
    nearly_all: float


class Angles:
    """The angles between directions that were taken in."""

    def __init__(self) -> None:
        self._counts = np.zeros(round(180 / STEP) + 1, dtype=np.int64)
        self._largest = 0.0

    def take(self, one: NDArray[np.floating], other: NDArray[np.floating]) -> None:
        """Take in the angles between unit vectors (n, 3) and (n, 3)."""
        # By the sine of half the angle, which is exact for small ones.
        chord = np.linalg.norm(one - other, axis=1) / 2
        degrees = np.asarray(np.degrees(2 * np.arcsin(np.minimum(chord, 1.0))), dtype=np.float64)
        self._counts += np.bincount(np.ceil(degrees / STEP).astype(np.intp), minlength=len(self._counts))
        if len(degrees):
            self._largest = max(self._largest, degrees.max().item())

    def turned(self) -> Turned | None:
        """Return what was taken in; None if that was nothing."""
        among = np.cumsum(self._counts)
        if not among[-1]:
            return None
        within = STEP * int(np.count_nonzero(among < NEARLY_ALL * among[-1]))
        return Turned(self._largest, min(within, self._largest))
