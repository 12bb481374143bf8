"""Rotations and matrices from degrees and axes, which are easy to write down."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

Z = (0.0, 0.0, 1.0)
"""The axis towards the viewer; turning about it bends in the plane of the picture."""
X = (1.0, 0.0, 0.0)
Y = (0.0, 1.0, 0.0)


def turn(axis: Sequence[float], degrees: float) -> list[float]:
    """Return the quaternion, x y z w, of a rotation about an axis of any length."""
    length = math.sqrt(sum(part * part for part in axis))
    half = math.radians(degrees) / 2
    scale = math.sin(half) / length
    return [round(part, 9) + 0.0 for part in (*(scale * part for part in axis), math.cos(half))]


def compose(translation: Sequence[float], rotation: Sequence[float], scale: Sequence[float]) -> np.ndarray:
    """Return T * R * S, (4, 4)."""
    x, y, z, w = rotation
    turned = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
    matrix = np.eye(4)
    matrix[:3, :3] = turned * np.asarray(scale, dtype=np.float64)
    matrix[:3, 3] = translation
    return matrix
