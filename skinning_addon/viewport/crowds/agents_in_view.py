"""Agents as a 3D view shows them: which one a pixel points at, and which way keys send one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .crowd_player import CrowdPlayer

NEAR = 12.0
"""Pixels around an agent that still point at it."""


def agent_at(
    player: CrowdPlayer, world_to_clip: NDArray[np.float64], size: tuple[int, int], pixel: tuple[float, float]
) -> int | None:
    """Return the agent that a pixel of a view points at, the nearest to the viewer; None if there is none.

    An agent counts as an upright capsule of its own radius, from its feet to its head. pixel: from the region's
    lower left corner.
    """
    feet = np.concatenate((player.places, np.ones((len(player.places), 1))), axis=1)
    head = feet.copy()
    head[:, 2] += player.heights
    clip = np.stack((feet, head)) @ world_to_clip
    w = clip[..., 3]
    in_front = (w > 1e-6).all(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        on_screen = (clip[..., :2] / w[..., None] + 1) / 2 * size
    start, way = on_screen[0], on_screen[1] - on_screen[0]
    length = np.maximum((way * way).sum(axis=1), 1e-12)
    share = np.clip(((pixel - start) * way).sum(axis=1) / length, 0, 1)
    apart = np.linalg.norm(start + share[:, None] * way - pixel, axis=1)
    # As wide as its height on the screen makes it, and never too small to hit.
    wide = np.maximum(np.sqrt(length) * player.radii / player.heights, NEAR)
    hit = np.flatnonzero(in_front & np.isfinite(apart) & (apart <= wide))
    return int(hit[w[0, hit].argmin()]) if hit.size else None


def ground_direction(view_to_world: NDArray[np.float64], right: int, ahead: int) -> tuple[float, float]:
    """Return which way on the ground is right and ahead in a view, each -1, 0 or 1; (0, 0) for neither.

    view_to_world: (4, 4), row vectors. Seen from straight above, ahead is up on the screen.
    """
    across = view_to_world[0, :2]
    forward = -view_to_world[2, :2]
    if np.linalg.norm(forward) < 0.05:
        forward = view_to_world[1, :2]
    x, y = right * _unit(across) + ahead * _unit(forward)
    return float(x), float(y)


def _unit(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    length = float(np.linalg.norm(vector))
    return vector / length if length > 1e-9 else np.zeros(2)
