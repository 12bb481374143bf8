"""Parts of a mesh that move almost as rigid bodies: where the search for bones begins.

As k-means over motions: each vertex follows the bone that takes it nearest, each bone moves as its vertices ask
for. One part is cut in two where it is furthest off, and so on, until there are as many parts as bones.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from .mesh_motion import FEWEST_VERTICES_A_BONE, MeshMotion
from .motion_costs import motion_costs
from .rigid_bones import Axes, moments, move_bones, turning

AT_ONCE = 4
"""One in so many parts is cut before all vertices choose again."""

CHOICES = 3
"""How often vertices choose again after a cut."""

LAST_CHOICES = 10
"""How often they do when there are enough parts."""


def motion_clusters(
    motion: MeshMotion, bones: int, progress: Callable[[float], None], may: Axes = turning
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the bone of each vertex (U,), and matrices (N, 4, F, 3), see `move_bones`.

    progress: called with the finished fraction; it may raise to stop. may: what a part's bone may do.
    """
    labels = np.zeros(len(motion.rest), dtype=np.intp)
    labels, matrices, costs = _chosen(motion, labels, 1, may)
    while len(matrices) < bones:
        count = min(bones, len(matrices) + max(1, len(matrices) // AT_ONCE))
        labels = cut_parts(motion, labels, costs, len(matrices), count)
        for _ in range(CHOICES if count < bones else LAST_CHOICES):
            before = labels
            labels, matrices, costs = _chosen(motion, labels, count, may)
            if np.array_equal(before, labels):
                break
        progress(len(matrices) / bones)
    return labels, matrices


def _chosen(
    motion: MeshMotion, labels: NDArray[np.intp], count: int, may: Axes
) -> tuple[NDArray[np.intp], NDArray[np.float64], NDArray[np.float64]]:
    """Move bones as their vertices ask for, and let vertices choose; return their bones, the matrices, and what
    each vertex costs.
    """
    matrices = np.zeros((count, 4, motion.frame_count, 3))
    one_each = (labels[:, None] == np.arange(count)).astype(np.float64)
    move_bones(moments(motion, one_each), matrices, [may] * count, np.arange(count), 1)
    alone = motion_costs(motion, matrices).alone()
    chosen = alone.argmin(axis=1)
    # A bone that too few vertices choose keeps those that it has.
    few = np.bincount(chosen, minlength=count) < FEWEST_VERTICES_A_BONE
    kept = few[labels]
    chosen[kept] = labels[kept]
    return chosen, matrices, np.maximum(alone[np.arange(len(chosen)), chosen], 0.0)


def cut_parts(
    motion: MeshMotion, labels: NDArray[np.intp], costs: NDArray[np.float64], parts: int, count: int
) -> NDArray[np.intp]:
    """Cut those of so many parts in two that are furthest off, so that there are `count`: at most twice as
    many.

    labels: (U,) the part of each vertex. costs: (U,) the mean square by which each is off. Returns the parts;
    those that are too small to be cut stay whole, and what would be cut off them is empty.
    """
    labels = labels.copy()
    totals = np.bincount(labels, weights=costs * motion.shares, minlength=parts)
    sizes = np.bincount(labels, minlength=parts)
    totals[sizes < 2 * FEWEST_VERTICES_A_BONE] = -1.0
    furthest = np.argsort(-totals, kind="stable")[: count - parts].tolist()
    for number, part in enumerate(furthest, parts):
        own = np.flatnonzero(labels == part)
        if len(own) <= FEWEST_VERTICES_A_BONE:
            continue
        middle = motion.rest[own].mean(axis=0)
        far = np.square(motion.rest[own] - middle).sum(axis=1)
        # Far from the middle and far off: the tip of what moves by itself.
        tip = motion.rest[own[(costs[own] * far).argmax()]]
        to_tip = np.square(motion.rest[own] - tip).sum(axis=1)
        nearest = np.argsort(to_tip - far, kind="stable")
        most = len(own) - FEWEST_VERTICES_A_BONE
        taken = min(most, max(FEWEST_VERTICES_A_BONE, int((to_tip < far).sum())))
        labels[own[nearest[:taken]]] = number
    return labels
