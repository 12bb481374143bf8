"""Unit quaternions as arrays: (4, ...) with the components w, x, y, z along the first axis.

All functions work on any further axes.

Sources: K. Shoemake, Animating Rotation with Quaternion Curves (1985), for slerp; S. W. Shepperd, Quaternion
from Rotation Matrix (1978), for the choice of the largest component.
"""

from __future__ import annotations

from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.floating[Any]]
"""float32 or float64; results have the type of the input."""

SMALLEST_ANGLE = 1e-6
"""Quaternions closer than this, in radians, are blended linearly: the difference to slerp is below their
rounding."""


class RotationBlend(Enum):
    """The method of interpolating two rotations."""

    NLERP = "nlerp"
    """Linearly, then normalised, as most engines do. Inexact in speed, never in path."""
    SLERP = "slerp"
    """Along the arc at constant speed."""


def normalised(rotation: Floats) -> Floats:
    """Make quaternions unit length; zeros become the identity."""
    length = np.sqrt(np.einsum("c...,c...->...", rotation, rotation))
    usable = length > 0
    if usable.all():
        return np.asarray(rotation / length, dtype=rotation.dtype)
    result = rotation / np.where(usable, length, 1)
    result[0] = np.where(usable, result[0], 1)
    return np.asarray(result, dtype=rotation.dtype)


def multiply(first: Floats, second: Floats) -> Floats:
    """Return the Hamilton product `first * second`, which rotates by `second` first, as the product of column
    matrices does.
    """
    w1, x1, y1, z1 = first
    w2, x2, y2, z2 = second
    return np.stack(
        (
            w1 * w2 - x1 * x2 - y1 * y2 - z1 * z2,
            w1 * x2 + x1 * w2 + y1 * z2 - z1 * y2,
            w1 * y2 - x1 * z2 + y1 * w2 + z1 * x2,
            w1 * z2 + x1 * y2 - y1 * x2 + z1 * w2,
        )
    )


def inverse(rotation: Floats) -> Floats:
    """Return the inverse rotations: the conjugates, since these are unit quaternions."""
    result = -rotation
    result[0] = rotation[0]
    return result


def nearer(rotation: Floats, to: Floats) -> Floats:
    """Return `rotation` or its negative, which is the same rotation: whichever lies on the side of `to`."""
    return np.where((rotation * to).sum(axis=0) < 0, -rotation, rotation)


def aligned(rotation: Floats) -> Floats:
    """Choose signs along the second axis so that each quaternion lies on the side of the one before it.

    rotation: (4, T, ...). Interpolating neighbours then takes the shortest way without checking.
    """
    flips = (rotation[:, 1:] * rotation[:, :-1]).sum(axis=0) < 0
    odd = np.cumsum(flips, axis=0) % 2 == 1
    result = rotation.copy()
    result[:, 1:] = np.where(odd, -rotation[:, 1:], rotation[:, 1:])
    return result


def interpolate(first: Floats, second: Floats, amount: ArrayLike, blend: RotationBlend) -> Floats:
    """Go from `first` (amount 0) to `second` (amount 1) the shortest way."""
    return interpolate_aligned(first, nearer(second, first), amount, blend)


def interpolate_aligned(first: Floats, second: Floats, amount: ArrayLike, blend: RotationBlend) -> Floats:
    """Like `interpolate`, if `second` is known to lie on the side of `first`."""
    share = np.asarray(amount, dtype=first.dtype)
    if blend is RotationBlend.NLERP:
        return normalised(first * (1 - share) + second * share)
    # From the lengths of sum and difference: the arc cosine of the dot product loses half the digits at small
    # angles.
    gap, width = second - first, second + first
    angle = 2 * np.arctan2(np.sqrt((gap * gap).sum(axis=0)), np.sqrt((width * width).sum(axis=0)))
    close = angle < SMALLEST_ANGLE
    sine = np.where(close, 1, np.sin(angle))
    of_first = np.where(close, 1 - share, np.sin((1 - share) * angle) / sine)
    of_second = np.where(close, share, np.sin(share * angle) / sine)
    return normalised((first * of_first + second * of_second).astype(first.dtype, copy=False))


def to_rows(rotation: Floats) -> list[list[Floats]]:
    """Return rotation matrices for row vectors as nine arrays: row r is the image of axis r."""
    w, x, y, z = rotation
    x2, y2, z2 = x + x, y + y, z + z
    xx, yy, zz = x * x2, y * y2, z * z2
    xy, xz, yz = x * y2, x * z2, y * z2
    wx, wy, wz = w * x2, w * y2, w * z2
    return [
        [1 - (yy + zz), xy + wz, xz - wy],
        [xy - wz, 1 - (xx + zz), yz + wx],
        [xz + wy, yz - wx, 1 - (xx + yy)],
    ]


def from_rows(rows: Floats) -> Floats:
    """Return the quaternions (4, ...) of rotation matrices for row vectors, (..., 3, 3)."""
    m = np.moveaxis(np.asarray(rows, dtype=np.float64), (-2, -1), (0, 1))
    x, y, z = m[0, 0], m[1, 1], m[2, 2]
    wx, wy, wz = m[1, 2] - m[2, 1], m[2, 0] - m[0, 2], m[0, 1] - m[1, 0]
    xy, xz, yz = m[0, 1] + m[1, 0], m[0, 2] + m[2, 0], m[1, 2] + m[2, 1]
    # Each line is the quaternion times four times one of its components; the largest component divides best.
    lines = np.stack(
        (
            np.stack((1 + x + y + z, wx, wy, wz)),
            np.stack((wx, 1 + x - y - z, xy, xz)),
            np.stack((wy, xy, 1 - x + y - z, yz)),
            np.stack((wz, xz, yz, 1 - x - y + z)),
        )
    )
    largest = np.argmax(np.stack([lines[i, i] for i in range(4)]), axis=0)
    chosen = np.take_along_axis(lines, largest[None, None], axis=0)[0]
    return normalised(np.asarray(chosen, dtype=np.float64))
