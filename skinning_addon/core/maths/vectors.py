"""Products of many vectors at once, coordinate by coordinate.

Coordinates come first, (C, n) for n vertices, so that one numpy operation works on one coordinate of many
vertices, which are adjacent in memory. `np.cross` and `np.linalg.norm` want coordinates last, and take many
times as long.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Float = TypeVar("Float", np.float32, np.float64)


def cross(a: NDArray[Float], b: NDArray[Float]) -> NDArray[Float]:
    """Return the cross products of (3, ...) vectors."""
    result = np.empty(a.shape, a.dtype)
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        np.multiply(a[j], b[k], out=result[i])
        result[i] -= a[k] * b[j]
    return result


def dot(a: NDArray[Float], b: NDArray[Float]) -> NDArray[Float]:
    """Return the dot products of (C, n) vectors, (n,)."""
    result = a[0] * b[0]
    for i in range(1, len(a)):
        result += a[i] * b[i]
    return result


def squared_length(vectors: NDArray[Float]) -> NDArray[Float]:
    """Return the squared lengths of (C, n) vectors, (n,)."""
    return np.add.reduce(vectors * vectors)


def unit_length(vectors: NDArray[np.float32], instead: NDArray[np.float32]) -> NDArray[np.float32]:
    """Make (3, n) vectors unit length; those without length become `instead`.

    The largest coordinate is divided out first: the square of a tiny one would underflow.
    """
    largest = np.abs(vectors).max(axis=0)
    collapsed = largest == 0
    vectors = np.divide(vectors, np.where(collapsed, 1, largest), dtype=np.float32)
    length = np.sqrt(dot(vectors, vectors))
    if collapsed.any():
        vectors[:, collapsed] = instead[:, collapsed]
        length[collapsed] = 1
    vectors /= length
    return vectors


def transformed(rows: NDArray[np.float32], positions: NDArray[np.float32]) -> NDArray[np.float32]:
    """Move each position by its own matrix: rows (R, 4, n), positions (3, n) -> (R, n)."""
    moved = rows[:, 0] * positions[0]
    moved += rows[:, 1] * positions[1]
    moved += rows[:, 2] * positions[2]
    moved += rows[:, 3]
    return moved


def rotated(rotation: NDArray[np.float32], vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Turn (3, n) vectors by (4, n) unit quaternions (x, y, z, w)."""
    axis = rotation[:3]
    twice = 2 * cross(axis, vectors)
    return vectors + rotation[3] * twice + cross(axis, twice)
