"""Vertices that lie and move together, which must stay together: seams between parts, and levels of detail."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .wanted import Wanted

SAME_PLACE = 1e-6
"""Fraction of the mesh's diagonal within which vertices of two parts are the same point."""

CHECKED_FRAMES = 16
"""Frames in which vertices that lie together at rest must lie together, too."""


def leaders(wanted: Wanted) -> NDArray[np.intp]:
    """Return the first vertex at each vertex's place, (V,): itself, if there is none before it.

    Vertices at one place at rest that part when the mesh moves (lips, eyelids) lead themselves.
    """
    grid = wanted.size * SAME_PLACE or 1.0
    cells = np.round(wanted.rest / grid).astype(np.int64)
    _, first, inverse = np.unique(cells, axis=0, return_index=True, return_inverse=True)
    leading = first[inverse.reshape(-1)]
    for frame in np.linspace(0, len(wanted.positions) - 1, CHECKED_FRAMES).astype(int).tolist():
        positions = wanted.positions[frame]
        apart = np.abs(positions - positions[leading]).max(axis=1) > 2 * grid
        leading[apart] = np.flatnonzero(apart)
    return leading
