"""Where a search for bones may begin. It ends at the best place nearby, so which that is depends on the start.

- Parts that move almost as rigid bodies: right for what has limbs.
- Parts that move without a turn, then the weights of many such bones: right for what bulges, slides or is
  sheared, where the turn of a small part means nothing.
- Two influences are too few to mend a wrong start. For them vertices between two rigid parts follow both from
  the beginning, and half as many bones are found first and then cut in two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from ..maths.sparse_weights import PAIRS
from .bone_search import SWEEPS as BETWEEN
from .bone_search import BoneSearch, axes_of
from .mesh_motion import MeshMotion
from .motion_clusters import cut_parts, motion_clusters
from .rigid_bones import shifting

SHIFTS = 8
"""How often bones that only move are weighed and moved."""

SWEEPS = 30
"""How often bones that share vertices from the beginning move before weights are found: they begin at rest."""


def first_bones(
    motion: MeshMotion, bones: int, influences: int, *, scale: bool, progress: Callable[[float], None]
) -> Iterator[BoneSearch]:
    """Yield searches at their beginnings. progress: called with the finished fraction; it may raise to stop."""
    labels, matrices = motion_clusters(motion, bones, lambda done: progress(0.5 * done))
    yield _following(motion, labels, matrices, influences, scale=scale)
    if influences == 1:
        return
    if influences == PAIRS:
        yield _between(motion, labels, bones, scale=scale)
        return
    labels, matrices = motion_clusters(motion, bones, lambda done: progress(0.5 + 0.5 * done), shifting)
    shifted = _following(motion, labels, matrices, influences, scale=scale)
    for _ in range(SHIFTS):
        shifted.weigh()
        shifted.move(BETWEEN, shifting)
    shifted.axes = axes_of(motion, shifted.weights)
    yield shifted


def more_bones(fewer: BoneSearch, bones: int) -> BoneSearch:
    """Return a search that begins with the bones of another, and more where these leave most: at most twice as
    many.
    """
    fewer.weigh()
    motion, before = fewer.motion, len(fewer.matrices)
    labels = fewer.weights.argmax(axis=1)
    cut = cut_parts(motion, labels, fewer.costs, before, bones)
    weights = np.pad(fewer.weights, ((0, 0), (0, bones - before)))
    matrices = np.concatenate([fewer.matrices, _at_rest(motion, bones - before)])
    axes = np.concatenate([fewer.axes, np.tile(np.eye(3), (bones - before, 1, 1))])
    for number in range(before, bones):
        own = np.flatnonzero(cut == number)
        if not len(own):
            continue
        # At first a new bone moves as the one that it is cut off does: so nothing gets worse.
        former = labels[own[0]]
        weights[own, number], weights[own, former] = weights[own, former], 0.0
        matrices[number], axes[number] = matrices[former], axes[former]
    search = BoneSearch(motion, fewer.influences, weights, matrices, axes, scale=fewer.scale)
    search.move(BETWEEN)
    return search


def _following(
    motion: MeshMotion,
    labels: NDArray[np.intp],
    matrices: NDArray[np.float64],
    influences: int,
    *,
    scale: bool,
) -> BoneSearch:
    """Let each vertex follow one bone alone, labels (U,)."""
    weights = (labels[:, None] == np.arange(len(matrices))).astype(np.float64)
    return BoneSearch(motion, influences, weights, matrices, axes_of(motion, weights), scale=scale)


def _between(motion: MeshMotion, labels: NDArray[np.intp], bones: int, *, scale: bool) -> BoneSearch:
    """Share vertices between the bones of the two nearest parts, by where they lie between their middles."""
    own = (labels[:, None] == np.arange(bones)).astype(np.float64)
    middles = own.T @ motion.rest / np.maximum(own.sum(axis=0), 1.0)[:, None]
    away = np.square(motion.rest[:, None] - middles).sum(axis=2)
    nearest = np.argsort(away, axis=1, kind="stable")
    first, second = nearest[:, 0], nearest[:, min(1, bones - 1)]
    from_first = middles[second] - middles[first]
    along = np.einsum("uc,uc->u", motion.rest - middles[first], from_first)
    share = np.clip(
        along / np.maximum(np.square(from_first).sum(axis=1), np.finfo(np.float64).tiny), 0.0, 1.0
    )
    rows = np.arange(len(labels))
    weights = np.zeros(own.shape)
    weights[rows, first] = 1 - share
    weights[rows, second] += share
    search = BoneSearch(
        motion, PAIRS, weights, _at_rest(motion, bones), axes_of(motion, weights), scale=scale
    )
    search.move(SWEEPS)
    return search


def _at_rest(motion: MeshMotion, bones: int) -> NDArray[np.float64]:
    return np.zeros((bones, 4, motion.frame_count, 3))
