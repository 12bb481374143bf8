"""Which bone lies nearest to a point."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def nearest_bones(
    points: NDArray[np.floating], heads: NDArray[np.floating], tails: NDArray[np.floating]
) -> NDArray[np.intp]:
    """Return, for each of (N, 3) points, the bone with the nearest line from head to tail, (B, 3) each.

    All in one space; the result is (N,).
    """
    axis = tails - heads
    length = np.maximum(np.einsum("bc,bc->b", axis, axis), 1e-30)
    along = np.clip(np.einsum("nbc,bc->nb", points[:, None] - heads, axis) / length, 0, 1)
    nearest = heads + along[..., None] * axis
    return np.argmin(np.linalg.norm(points[:, None] - nearest, axis=2), axis=1)
