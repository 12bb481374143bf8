"""Quaternions and dual quaternions: the algebra behind the blends.

Quaternions are (x, y, z, w). q and -q are the same rotation; which of the two is added decides whether a blend
goes the short way. A rigid motion is a unit quaternion q for its rotation and a dual part 0.5 * t * q for its
translation t.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


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
    four_squares = np.stack((1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz, 1 + xx + yy + zz), axis=1)
    xy, xz, yz = r[:, 0, 1] + r[:, 1, 0], r[:, 0, 2] + r[:, 2, 0], r[:, 1, 2] + r[:, 2, 1]
    xw, yw, zw = r[:, 2, 1] - r[:, 1, 2], r[:, 0, 2] - r[:, 2, 0], r[:, 1, 0] - r[:, 0, 1]
    return four_squares, np.stack(
        (
            np.stack((four_squares[:, 0], xy, xz, xw), axis=1),
            np.stack((xy, four_squares[:, 1], yz, yw), axis=1),
            np.stack((xz, yz, four_squares[:, 2], zw), axis=1),
            np.stack((xw, yw, zw, four_squares[:, 3]), axis=1),
        ),
        axis=1,
    )


def rotate(rotation: NDArray[np.float64], vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn (N, 3) vectors by (N, 4) unit quaternions."""
    axis, real = rotation[:, :3], rotation[:, 3:]
    twice = np.asarray(2 * np.cross(axis, vectors), dtype=np.float64)
    return np.asarray(vectors + real * twice + np.cross(axis, twice), dtype=np.float64)


def dual_part(translation: NDArray[np.float64], rotation: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 0.5 * t * q, (N, 4), for translations (N, 3) after rotations (N, 4)."""
    axis, real = rotation[:, :3], rotation[:, 3:]
    vector = translation * real + np.cross(translation, axis)
    scalar = -np.einsum("nc,nc->n", translation, axis)[:, None]
    return 0.5 * np.concatenate((vector, scalar), axis=1)
