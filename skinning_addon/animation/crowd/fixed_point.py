"""The crowd's integers: micrometres, directions, weights and phases."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Indices = NDArray[np.intp]

STEPS_PER_SECOND = 120

MICROMETRES = 1_000_000
"""In a metre, or whatever the scene's unit is."""

UNIT = 1 << 30
"""The length of a direction."""

FULL = 1 << 20
"""A track's weight when it alone is heard."""

SCALE = 1 << 20
"""The scale of an agent that is as large as its character."""

CYCLE = 1 << 32
"""A clip's whole cycle, as a phase."""


def micrometres(metres: float) -> int:
    """Convert a length to whole micrometres."""
    return round(metres * MICROMETRES)


def metres(lengths: Integers) -> Floats:
    """Convert micrometres to metres."""
    return lengths / float(MICROMETRES)


def direction(x: Floats, y: Floats) -> Integers:
    """Return the directions (2, N) of vectors that are not zero."""
    length = np.sqrt(x * x + y * y)
    result = np.empty((2, len(length)), dtype=np.int64)
    result[0], result[1] = np.rint(x / length * UNIT), np.rint(y / length * UNIT)
    return result
