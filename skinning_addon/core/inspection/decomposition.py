"""A matrix decomposed into readable location, rotation and scale."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..blending.dual_quaternion import nearest_rotations
from ..maths.quaternion import quaternions

RIGHT_ANGLE_NOISE = 1e-4
"""Axes within this of a right angle, in radians, are not sheared: Blender's matrices are float32."""

GIMBAL_NOISE = 1e-6
"""Below this cosine of the middle angle the outer two share an axis, and only their sum is known."""


@dataclass(frozen=True, eq=False)
class Decomposition:
    """location, then rotation, then scale, in the order in which a row-vector matrix applies them backwards.

    location: (3,). scale: (3,) lengths of the axes; all negative if the matrix mirrors, as in Blender.
    rotation: (3, 3), row vectors. shear: radians, the largest difference of the angle between two axes from a
    right angle.
    """

    location: NDArray[np.float64]
    rotation: NDArray[np.float64]
    scale: NDArray[np.float64]
    shear: float

    @property
    def sheared(self) -> bool:
        """Whether location, rotation and scale alone don't describe the matrix."""
        return self.shear > RIGHT_ANGLE_NOISE

    @property
    def quaternion(self) -> NDArray[np.float64]:
        """(4,) float64 as (w, x, y, z), Blender's order; w is not negative."""
        x, y, z, w = quaternions(self.rotation[None])[0]
        return np.array((w, x, y, z))

    @property
    def axis_angle(self) -> tuple[NDArray[np.float64], float]:
        """The axis (3,), of unit length, and the angle about it, 0 to 180 degrees; about X if there is no
        rotation.
        """
        w, *vector = self.quaternion.tolist()
        sine = math.sqrt(sum(one * one for one in vector))
        if sine < 1e-9:
            return np.array((1.0, 0.0, 0.0)), 0.0
        return np.array(vector) / sine, math.degrees(2 * math.atan2(sine, w))

    @property
    def euler(self) -> NDArray[np.float64]:
        """(3,) degrees about X, then Y, then Z (Blender's XYZ); the one of the two solutions with the smaller
        angles.
        """
        r = self.rotation
        cosine = math.hypot(r[0, 0], r[0, 1])
        if cosine < GIMBAL_NOISE:
            return np.degrees((math.atan2(-r[2, 1], r[1, 1]), math.atan2(-r[0, 2], cosine), 0.0))
        one = (
            math.atan2(r[1, 2], r[2, 2]),
            math.atan2(-r[0, 2], cosine),
            math.atan2(r[0, 1], r[0, 0]),
        )
        other = (
            math.atan2(-r[1, 2], -r[2, 2]),
            math.atan2(-r[0, 2], -cosine),
            math.atan2(-r[0, 1], -r[0, 0]),
        )
        return np.degrees(min(one, other, key=lambda angles: sum(map(abs, angles))))


def decompose(matrix: NDArray[np.floating]) -> Decomposition:
    """Decompose an affine (4, 4) row-vector matrix.

    Without shear this is exact. With shear the rotation is the nearest one (polar decomposition), and `shear`
    reports it. An axis scaled to zero leaves part of the rotation undefined; it is completed to a
    right-handed frame.
    """
    matrix = np.asarray(matrix, dtype=np.float64)
    linear = matrix[:3, :3]
    sign = -1.0 if np.linalg.det(linear) < 0 else 1.0
    length = np.linalg.norm(linear, axis=1)
    rotation = nearest_rotations((sign * linear)[None])[0]
    return Decomposition(matrix[3, :3].copy(), rotation, sign * length, _shear(linear, length))


def _shear(linear: NDArray[np.float64], length: NDArray[np.float64]) -> float:
    if not (length > 0).all():
        return 0.0
    axes = linear / length[:, None]
    products = np.abs((axes @ axes.T)[np.triu_indices(3, 1)])
    return float(np.arcsin(np.minimum(products, 1.0)).max())
