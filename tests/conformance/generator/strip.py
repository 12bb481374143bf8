"""The skin that nearly every model has: a ribbon with a bone per meter, slightly raised along its middle.

It has no normals, so that each file shows as little as possible besides skinning; its materials are
double-sided.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

HALF_WIDTH = 0.3
RAISED = 0.15
ROWS_PER_METER = 2


@dataclass(frozen=True, eq=False)
class Strip:
    """positions: (V, 3). triangles: (T, 3), or None where every three vertices are one. joints: (V, 4).
    weights: (V, 4), sum 1.
    """

    positions: np.ndarray
    triangles: np.ndarray | None
    joints: np.ndarray
    weights: np.ndarray


def strip(bones: int = 3, rows_per_meter: int = ROWS_PER_METER) -> Strip:
    """Make a ribbon along Y for a chain of bones a meter each. Halfway along a bone, that bone alone holds
    it.
    """
    rows = bones * rows_per_meter + 1
    height = np.repeat(np.arange(rows) / rows_per_meter, 3)
    across = np.tile([-HALF_WIDTH, 0.0, HALF_WIDTH], rows)
    raised = np.tile([0.0, RAISED, 0.0], rows)
    joints, weights = chain_weights(height, bones)
    return Strip(np.stack((across, height, raised), axis=1), grid_triangles(rows, 3), joints, weights)


def shifted(shape: Strip, across: float, up: float = 0.0) -> Strip:
    """Return a ribbon moved along X and Y."""
    return replace(shape, positions=shape.positions + np.array([across, up, 0.0]))


def renumbered(shape: Strip, numbers: np.ndarray) -> Strip:
    """Return a ribbon for another order of joints. numbers: (J,) the joints' new numbers."""
    return replace(shape, joints=np.where(shape.weights > 0, numbers[shape.joints], 0))


def chain_weights(height: np.ndarray, bones: int) -> tuple[np.ndarray, np.ndarray]:
    """Return (V, 4) joints and weights at heights, (V,): two neighboring bones, in inverse proportion to the
    distance from their middles.
    """
    place = np.clip(height - 0.5, 0.0, bones - 1.0)
    lower = np.minimum(np.floor(place), max(bones - 2, 0)).astype(int)
    share = place - lower
    joints, weights = np.zeros((len(height), 4), dtype=int), np.zeros((len(height), 4))
    weights[:, 0], weights[:, 1] = 1 - share, share
    joints[:, 0] = np.where(share < 1, lower, 0)
    # Unused joints are zero, as the specification recommends.
    joints[:, 1] = np.where(share > 0, lower + 1, 0)
    return joints, weights


def grid_triangles(rows: int, columns: int) -> np.ndarray:
    """Return (T, 3) triangles, counterclockwise from the front, of vertices numbered row by row from below."""
    corners = np.arange(rows * columns).reshape(rows, columns)
    low, right, up, opposite = corners[:-1, :-1], corners[:-1, 1:], corners[1:, :-1], corners[1:, 1:]
    return np.stack((low, right, opposite, low, opposite, up), axis=-1).reshape(-1, 3)
