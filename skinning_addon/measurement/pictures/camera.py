"""A camera that frames a character from the front and a little to the side. Only numpy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FIELD_OF_VIEW = np.radians(24.0)
"""Along the longer side: a portrait lens, about 85 mm on full frame."""

ELEVATION = np.radians(9.0)
AZIMUTH = np.radians(24.0)
AZIMUTH_OF_LONG_BODIES = np.radians(58.0)
"""To the character's left of its front, -Y. Animals are long in Y: from the front one would see mostly the
head.
"""


@dataclass(frozen=True, eq=False)
class Camera:
    """world_to_view, view_to_clip: (4, 4) float64, row vectors; the view looks along -Z, Y up."""

    world_to_view: NDArray[np.float64]
    view_to_clip: NDArray[np.float64]


@dataclass(frozen=True)
class Margins:
    """Fractions of the picture left free at its four sides."""

    left: float = 0.07
    right: float = 0.07
    bottom: float = 0.07
    top: float = 0.07


def three_quarter_camera(
    points: NDArray[np.floating], size: tuple[int, int], margins: Margins | None = None
) -> Camera:
    """Frame all of `points` (N, 3), world space, as large as they go in a picture of `size` pixels."""
    margins = margins or Margins()
    points = np.asarray(points, dtype=np.float64)
    low, high = (points.min(axis=0), points.max(axis=0)) if len(points) else (np.zeros(3), np.ones(3))
    extent = high - low
    azimuth = AZIMUTH_OF_LONG_BODIES if extent[1] > 1.3 * extent[0] else AZIMUTH
    back = np.array(
        (np.sin(azimuth) * np.cos(ELEVATION), -np.cos(azimuth) * np.cos(ELEVATION), np.sin(ELEVATION))
    )
    right = np.cross((0.0, 0.0, 1.0), back)
    right /= np.linalg.norm(right)
    rotation = np.stack((right, np.cross(back, right), back), axis=1)
    center = (low + high) / 2
    seen = (points - center) @ rotation if len(points) else np.zeros((1, 3))
    tangents = np.tan(FIELD_OF_VIEW / 2) * np.array(size) / max(size)
    free = np.array(((margins.left, margins.right), (margins.bottom, margins.top)))
    eye = _fitting_eye(seen, tangents, free)
    world_to_view = np.eye(4)
    world_to_view[:3, :3] = rotation
    world_to_view[3, :3] = -center @ rotation - eye
    radius = max(float(np.linalg.norm(seen, axis=1).max()), 1e-6)
    distance = float(eye[2])
    return Camera(
        world_to_view,
        _perspective(tangents, max(distance - 3 * radius, 0.02 * distance), distance + 50 * radius),
    )


def _fitting_eye(
    seen: NDArray[np.float64], tangents: NDArray[np.float64], free: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Find the eye's position, in the view's axes, so that the points fill the area inside the margins.

    tangents: (2,) of half the angles that the picture shows. free: (2, 2), margins at the low and high end of
    each axis.
    """
    low, high = 2 * free[:, 0] - 1, 1 - 2 * free[:, 1]
    eye = np.zeros(3)
    # On each axis the outermost rays of both sides determine distance and position together; which points are
    # outermost does not depend on the eye, as the angles don't.
    needed = []
    for axis in range(2):
        above = seen[:, axis] + seen[:, 2] * tangents[axis] * high[axis]
        below = seen[:, axis] + seen[:, 2] * tangents[axis] * low[axis]
        width = tangents[axis] * (high[axis] - low[axis])
        needed.append(max((above.max() - below.min()) / width, 1e-6))
    eye[2] = max(needed)
    for axis in range(2):
        above = seen[:, axis] + (seen[:, 2] - eye[2]) * tangents[axis] * high[axis]
        below = seen[:, axis] + (seen[:, 2] - eye[2]) * tangents[axis] * low[axis]
        eye[axis] = (above.max() + below.min()) / 2
    return eye


def _perspective(tangents: NDArray[np.float64], near: float, far: float) -> NDArray[np.float64]:
    matrix = np.zeros((4, 4))
    matrix[0, 0], matrix[1, 1] = 1 / tangents
    matrix[2, 2], matrix[2, 3] = -(far + near) / (far - near), -1.0
    matrix[3, 2] = -2 * far * near / (far - near)
    return matrix
