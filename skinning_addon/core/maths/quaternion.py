"""Quaternions and dual quaternions: the algebra behind the blends.

Quaternions are (x, y, z, w). q and -q are the same rotation; which of the two is added decides whether a blend
goes the short way. A rigid motion is a unit quaternion q for its rotation and a dual part 0.5 * t * q for its
translation t.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .vectors import cross


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
    r = rotation.transpose(0, 2, 1)
    xx, yy, zz = r[:, 0, 0], r[:, 1, 1], r[:, 2, 2]
    four_squares = np.empty((len(rotation), 4))
    four_squares[:, 0] = 1 + xx - yy - zz
    four_squares[:, 1] = 1 - xx + yy - zz
    four_squares[:, 2] = 1 - xx - yy + zz
    four_squares[:, 3] = 1 + xx + yy + zz
    products = np.empty((len(rotation), 4, 4))
    np.einsum("jcc->jc", products)[:] = four_squares
    for one, other in ((0, 1), (0, 2), (1, 2)):
        products[:, one, other] = products[:, other, one] = r[:, one, other] + r[:, other, one]
    for axis, one, other in ((0, 2, 1), (1, 0, 2), (2, 1, 0)):
        products[:, axis, 3] = products[:, 3, axis] = r[:, one, other] - r[:, other, one]
    return four_squares, products


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
