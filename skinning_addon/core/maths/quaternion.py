"""Quaternions and dual quaternions: the algebra behind the blends.

Quaternions are (x, y, z, w). q and -q are the same rotation; which of the two is added decides whether a blend
goes the short way. A rigid motion is a unit quaternion q for its rotation and a dual part 0.5 * t * q for its
translation t.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from .vectors import cross

ROWS_AT_ONCE = 1024
"""Rows multiplied by a matrix at once. With more, numpy's product uses threads, which wait for one another
where other processes keep the cores busy.
"""


def quaternions(rotation: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the unit quaternions (J, 4) of rotation matrices (J, 3, 3) for row vectors.

    Of the four ways to take a quaternion from a matrix, each rotation uses the one that divides by its largest
    component, which keeps full precision at every angle.
    """
    four_squares, candidates = quaternion_candidates(rotation)
    best = candidates[np.arange(len(rotation)), np.argmax(four_squares, axis=1)]
    best = best / np.linalg.norm(best, axis=1, keepdims=True)
    # Blender keeps w non-negative. The sign makes no difference to a single joint, but it does to a blend's
    # running sum.
    return np.asarray(np.where(best[:, 3:] < 0, -best, best), dtype=np.float64)


def quaternion_candidates(
    rotation: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the four ways to take a quaternion from rotation matrices (J, 3, 3) for row vectors.

    Returns (J, 4), four times the square of each component, and (J, 4, 4): row c is the quaternion times four
    times its component c. All rows are the same rotation, provided the matrix is one.
    """
    products = (_times(rotation.reshape(-1, 9), _ENTRIES_TO_PRODUCTS) + _IDENTITY).reshape(-1, 4, 4)
    return products.diagonal(axis1=1, axis2=2), products


def rotation_matrices(rotation: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rotation matrices (J, 3, 3), for row vectors, of unit quaternions (J, 4)."""
    products = rotation[:, :, None] * rotation[:, None, :]
    return _times(products.reshape(-1, 16), _ENTRIES_TO_PRODUCTS.T).reshape(-1, 3, 3)


def _times(rows: NDArray[np.float64], matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    if len(rows) <= ROWS_AT_ONCE:
        return rows @ matrix
    parts = [rows[begin : begin + ROWS_AT_ONCE] @ matrix for begin in range(0, len(rows), ROWS_AT_ONCE)]
    return np.concatenate(parts)


def _entries_to_products() -> NDArray[np.float64]:
    """Return what each entry of a rotation matrix for row vectors adds to four times the product of each two
    components, (9, 16); transposed, what each product adds to each entry.

    As one matrix, since of few bones every operation costs the same, however simple.
    """
    taken = np.zeros((3, 3, 4, 4))
    for axis, component in product(range(3), range(4)):
        # Four times x * x is 1 + xx - yy - zz, and so on; four times w * w is 1 + xx + yy + zz.
        taken[axis, axis, component, component] = 1 if component in (axis, 3) else -1
    for axis, one, other in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        for entry in ((one, other), (other, one)):
            taken[*entry, one, other] = taken[*entry, other, one] = 1
        taken[one, other, axis, 3] = taken[one, other, 3, axis] = 1
        taken[other, one, axis, 3] = taken[other, one, 3, axis] = -1
    return taken.reshape(9, 16)


_ENTRIES_TO_PRODUCTS = _entries_to_products()
_IDENTITY = np.eye(4).reshape(16)


def rotate(rotation: NDArray[np.float64], vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn (..., 3) vectors by (..., 4) unit quaternions."""
    axis = np.broadcast_to(rotation[..., :3], np.broadcast_shapes(rotation[..., :3].shape, vectors.shape)).T
    twice = 2 * cross(axis, vectors.T)
    return np.asarray(vectors + rotation[..., 3:] * twice.T + cross(axis, twice).T, dtype=np.float64)


def dual_part(translation: NDArray[np.float64], rotation: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 0.5 * t * q, (N, 4), for translations (N, 3) after rotations (N, 4)."""
    axis, real = rotation[:, :3], rotation[:, 3:]
    vector = translation * real + np.cross(translation, axis)
    scalar = -np.einsum("nc,nc->n", translation, axis)[:, None]
    return 0.5 * np.concatenate((vector, scalar), axis=1)
