"""The turn that fits best, of points around their middle."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def nearest_turns(products: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rotations R (n, 3, 3) for which the sum of (p R - q)^2 is least, given the sums of p' q.

    products: (n, 3, 3) float64, p and q around their middles. After Kabsch (1978), for row vectors: never a
    mirror image, which would fit flat or mirrored points better.
    """
    left, _, right = np.linalg.svd(products)
    left[:, :, 2] *= np.where(np.linalg.det(left) * np.linalg.det(right) < 0, -1.0, 1.0)[:, None]
    return left @ right
