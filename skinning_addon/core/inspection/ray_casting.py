"""Ray casting against a mesh: which triangle is under the mouse.

Seen along the ray, a triangle is hit if its projection contains the ray's own point. So the vertices are
projected once, to two coordinates across the ray and one along it, and a bit test rules out nearly all
triangles: those with all corners on one side of the ray. Only the few left are tested exactly. About 5 ms for
100,000 triangles.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..skinning.skeleton import invert_affine


@dataclass(frozen=True, eq=False)
class Ray:
    """The points origin + t * direction for 0 <= t <= 1; both (3,) float64."""

    origin: NDArray[np.float64]
    direction: NDArray[np.float64]

    @classmethod
    def through_pixel(
        cls, pixel: tuple[float, float], size: tuple[int, int], world_to_clip: ArrayLike
    ) -> Ray | None:
        """Return the world-space ray through a pixel of a view, from the near to the far plane.

        pixel, size: of the pixel and the view, (0, 0) in the lower left corner. world_to_clip: (4, 4), row
        vectors. None if the view has no extent.
        """
        try:
            clip_to_world = np.linalg.inv(np.asarray(world_to_clip, dtype=np.float64))
        except np.linalg.LinAlgError:
            return None
        x, y = (2 * at / length - 1 for at, length in zip(pixel, size, strict=True))
        ends = np.array(((x, y, -1.0, 1.0), (x, y, 1.0, 1.0))) @ clip_to_world
        near, far = ends[:, :3] / ends[:, 3:]
        return cls(near, far - near)

    def seen_from(self, to_world: NDArray[np.float64]) -> Ray | None:
        """Return the same ray in the space that `to_world` (4, 4) leads from; t stays what it was.

        None if that space is flat: nothing in it can be hit.
        """
        inverse, usable = invert_affine(to_world[None])
        if not usable[0]:
            return None
        linear = inverse[0, :3, :3]
        return Ray(self.origin @ linear + inverse[0, 3, :3], self.direction @ linear)


@dataclass(frozen=True, eq=False)
class Hit:
    """triangle: index. t: where along the ray, 0 to 1."""

    triangle: int
    t: float


def first_hit(
    ray: Ray,
    positions: NDArray[np.floating],
    triangles: NDArray[np.integer],
    except_vertex: int = -1,
) -> Hit | None:
    """Return the nearest triangle that the ray hits, from either side; None if it misses.

    positions: (V, 3), in the ray's space. triangles: (T, 3). except_vertex: triangles at this vertex are
    ignored.
    Triangles seen edge-on, or with a corner that is not finite, are never hit.
    """
    length = float(np.linalg.norm(ray.direction))
    if not length or not len(triangles):
        return None
    across = _across(ray.direction / length)
    with np.errstate(all="ignore"):
        flat = (positions - ray.origin) @ np.column_stack((*across, ray.direction / length**2))
        candidates = _around_ray(flat, triangles)
        if except_vertex >= 0:
            candidates = candidates[(triangles[candidates] != except_vertex).all(axis=1)]
        x, y, along = flat[triangles[candidates]].transpose(2, 0, 1)
        # The share of each corner is the area, with its sign, of the triangle between the ray and the side
        # opposite.
        following, last = [1, 2, 0], [2, 0, 1]
        areas = x[:, following] * y[:, last] - x[:, last] * y[:, following]
        total = areas.sum(axis=1)
        t = (areas * along).sum(axis=1) / total
        inside = (areas >= 0).all(axis=1) | (areas <= 0).all(axis=1)
        met = inside & (total != 0) & (t >= 0) & (t <= 1)
    if not met.any():
        return None
    nearest = int(np.argmin(np.where(met, t, np.inf)))
    return Hit(int(candidates[nearest]), float(t[nearest]))


def nearest_corner(
    triangle: NDArray[np.integer],
    positions: NDArray[np.floating],
    to_clip: NDArray[np.float64],
    pixel: tuple[float, float],
    size: tuple[int, int],
) -> int:
    """Return the vertex of a triangle (3,) that lies nearest to a pixel of a view.

    positions: (V, 3). to_clip: (4, 4), row vectors, from the positions' space.
    """
    corners = np.column_stack((positions[triangle].astype(np.float64), np.ones(3))) @ to_clip
    with np.errstate(divide="ignore", invalid="ignore"):
        pixels = (corners[:, :2] / corners[:, 3:] + 1) * np.array(size) / 2
    distance = np.linalg.norm(pixels - pixel, axis=1)
    # Points behind the viewer are not on the screen.
    return int(triangle[int(np.argmin(np.where(corners[:, 3] > 0, distance, np.inf)))])


def _across(direction: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return two unit vectors at right angles to a unit vector and to each other."""
    axis = np.eye(3)[int(np.argmin(np.abs(direction)))]
    first = np.asarray(np.cross(direction, axis), dtype=np.float64)
    first /= np.linalg.norm(first)
    return first, np.asarray(np.cross(direction, first), dtype=np.float64)


def _around_ray(flat: NDArray[np.floating], triangles: NDArray[np.integer]) -> NDArray[np.intp]:
    """List the triangles whose corners do not all lie on one side of the ray, seen along it.

    flat: (V, 3), x and y across the ray.
    """
    x, y = flat[:, 0], flat[:, 1]
    sides = (x < 0).astype(np.uint8)
    sides |= (x > 0).astype(np.uint8) << 1
    sides |= (y < 0).astype(np.uint8) << 2
    sides |= (y > 0).astype(np.uint8) << 3
    first, second, third = sides[triangles.T]
    return np.flatnonzero((first & second & third) == 0)
