"""The turn that fits best, of points around their middle, and turns that go only so far."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def nearest_turns(products: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rotations R (n, 3, 3) for which the sum of (p R - q)^2 is least, given the sums of p' q.

    products: (n, 3, 3) float64, p and q around their middles. After Kabsch (1978), for row vectors: never a
    mirror image, which would fit flat or mirrored points better.
    """
    left, _, right = np.linalg.svd(products)
    left[:, :, 2] *= np.where(np.linalg.det(left @ right) < 0, -1.0, 1.0)[:, None]
    return left @ right


STRAIGHT = 1e-4
"""A turn whose sine is below this, of more than a right angle, is half a turn: it goes either way around."""


def limited_turns(turns: NDArray[np.float64], degrees: float) -> NDArray[np.float64]:
    """Return rotations (n, 3, 3) about the same axes, by at most so many degrees."""
    skew = (turns - turns.transpose(0, 2, 1)) / 2
    sine = np.sqrt(np.square(skew).sum(axis=(1, 2)) / 2)
    cosine = (np.trace(turns, axis1=1, axis2=2) - 1) / 2
    further = np.degrees(np.arctan2(sine, cosine)) > degrees
    if not further.any():
        return turns
    half = further & (sine <= STRAIGHT) & (cosine < 0)
    whole = further & ~half
    across = np.zeros_like(turns)
    across[whole] = skew[whole] / sine[whole, None, None]
    across[half] = _half_turns(turns[half])
    across = across[further]
    angle = np.radians(degrees)
    result = turns.copy()
    result[further] = np.eye(3) + np.sin(angle) * across + (1 - np.cos(angle)) * across @ across
    return result


def _half_turns(turns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the cross products with the axes of half turns, either way around, (n, 3, 3)."""
    squares = (turns + turns.transpose(0, 2, 1)) / 4 + np.eye(3) / 2
    longest = np.diagonal(squares, axis1=1, axis2=2).argmax(axis=1)
    rows = squares[np.arange(len(turns)), longest]
    axes = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(np.cross(np.eye(3), axes[:, None]), dtype=np.float64)
