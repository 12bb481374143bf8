"""What a 3D view sees of agents: who is in it at all, and how far off a vertex may be without showing."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..character.view import View

Floats = NDArray[np.float64]

SHOWS = 1.0
"""Pixels from which on something that is off shows."""


@dataclass(frozen=True, eq=False)
class Spheres:
    """Around agents, in world space. middles: (N, 3). radii: (N,)."""

    middles: Floats
    radii: Floats


@dataclass(frozen=True, eq=False)
class Sight:
    """A view, as agents are measured by it."""

    view: View

    def sees(self, spheres: Spheres) -> NDArray[np.bool_]:
        """Whether (N,) any part of a sphere may be in the view; rather too many than too few."""
        to_clip = self.view.world_to_view @ self.view.view_to_clip
        seen = np.ones(len(spheres.radii), dtype=np.bool_)
        for axis in range(3):
            for sign in (1.0, -1.0):
                plane = to_clip[:, 3] + sign * to_clip[:, axis]
                length = float(np.linalg.norm(plane[:3]))
                # A view without an end has no last plane.
                if length > 0:
                    inside = spheres.middles @ plane[:3] + plane[3]
                    seen &= inside >= -spheres.radii * length
        return seen

    def unnoticed(self, spheres: Spheres) -> Floats:
        """Return how far (N,) a vertex in a sphere may be off, in units of the world, without moving by more
        than a pixel wherever it is in the view.

        In perspective, a point at the depth z that moves by d moves by at most f k d / (z - d) pixels: f pixels
        a unit at depth 1, k the length of the farthest ray of the view at depth 1.
        """
        to_clip = self.view.view_to_clip
        if not self._in_perspective:
            return np.full(len(spheres.radii), SHOWS / self._pixels)
        depth = -(spheres.middles @ self.view.world_to_view[:3, 2] + self.view.world_to_view[3, 2])
        # Nothing is seen that is nearer than the view begins.
        begins = float(to_clip[3, 2] / (to_clip[2, 2] - 1))
        nearest = np.maximum(depth - spheres.radii, max(begins, 0.0))
        return SHOWS * nearest / (self._pixels * self._farthest_ray + SHOWS)

    @property
    def _in_perspective(self) -> bool:
        return bool(abs(self.view.view_to_clip[2, 3]) > 0.5)

    @cached_property
    def _pixels(self) -> float:
        """Pixels that a unit is long, in perspective at depth 1; they are square."""
        return float(self.view.view_to_clip[0, 0]) * self.view.width / 2

    @cached_property
    def _farthest_ray(self) -> float:
        """How long the view's farthest ray is at depth 1, a pixel beyond the corner."""
        to_clip = self.view.view_to_clip
        across, up = (
            (1 + abs(float(to_clip[2, axis]))) / float(to_clip[axis, axis]) + SHOWS / self._pixels
            for axis in (0, 1)
        )
        return float(np.sqrt(1 + across * across + up * up))

    @property
    def key(self) -> tuple[bytes, bytes, float]:
        """What two views that see the same have in common."""
        return self.view.world_to_view.tobytes(), self.view.view_to_clip.tobytes(), self.view.width
