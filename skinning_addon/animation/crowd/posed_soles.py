"""Where the soles of many agents' feet are: which point of each is lowest, and where each stands."""

from __future__ import annotations

import numpy as np

from ..instance_matrices import Matrices
from ..rotations import Floats
from .feet import Body
from .fixed_point import Indices
from .foot_tracks import Soles, resting_places

_GRID = np.stack(np.meshgrid(*3 * [np.arange(-2, 3)]), axis=-1).reshape(-1, 3)
DIRECTIONS = _GRID[np.abs(_GRID).max(axis=1) == 2].T.astype(np.float32)
"""(3, 98), to points all over a cube."""

Parts = list[tuple[int, Floats]]


class PosedSoles:
    """The soles of F feet, posed by matrices (b, 4, 3, n), bone to the body's world, of n agents' bones."""

    def __init__(self, body: Body, count: int, bones: Indices) -> None:
        """count: F, of the body's first feet. bones: (b,) ascending, of the body; all that carry points of the
        soles are among them.
        """
        self._height = body.height
        # Of each sole its bones, each with its points (P, 4) in its space; and how all these lie at rest (P, 2)
        # around the middle of the foot.
        self._soles: list[tuple[Parts, Floats]] = []
        # The points of each bone that are outermost in some direction: the lowest is one, or almost as low.
        self._outermost: list[Parts] = []
        for foot, flat in zip(body.feet, Soles(body, count).flat, strict=False):
            carriers = np.searchsorted(bones, foot.bones)
            order = np.argsort(carriers, kind="stable")
            points = foot.points.astype(np.float32)
            parts = [(bone, points[carriers == bone]) for bone in np.unique(carriers).tolist()]
            self._soles.append((parts, flat[order].astype(np.float32)))
            self._outermost.append(
                [(bone, own[np.unique((own[:, :3] @ DIRECTIONS).argmax(axis=0))]) for bone, own in parts]
            )

    def places(self, to_world: Matrices) -> Floats:
        """Return where the feet stand (2, F, n)."""
        found: list[Floats] = []
        for parts, flat in self._soles:
            # Agents are innermost in memory all the same.
            points = _points(parts, to_world).transpose(2, 0, 1)
            found.append(resting_places(points, flat, self._height).T)
        return np.stack(found, axis=1)

    def lowest(self, to_world: Matrices) -> Floats:
        """Return the lowest point (3, F, n) of each foot."""
        agents = np.arange(int(to_world.shape[-1]))
        found: list[Floats] = []
        for parts in self._outermost:
            points = _points(parts, to_world)
            found.append(points[points[:, 2].argmin(axis=0), :, agents].T)
        return np.stack(found, axis=1)


def _points(parts: Parts, to_world: Matrices) -> Floats:
    """Return the points (P, 3, n) of a sole."""
    rows = [own @ to_world[bone].reshape(4, -1) for bone, own in parts]
    return np.concatenate(rows).reshape(-1, 3, to_world.shape[-1])
