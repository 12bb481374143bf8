"""Weights negated where a product is below 0, in a few passes over memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_SIGN = np.uint32(0x80000000)
"""The sign bit of a float32."""


def negated_where_below(weights: NDArray[np.float32], products: NDArray[np.float32]) -> NDArray[np.float32]:
    """Negate weights whose product is below 0, by transferring its sign bit; overwrites the products."""
    # A sum of zero may be -0.0, which is not below 0.
    products += 0
    bits = products.view(np.uint32)
    bits &= _SIGN
    bits ^= weights.view(np.uint32)
    return products
