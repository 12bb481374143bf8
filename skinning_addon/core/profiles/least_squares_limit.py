"""An influence limit chosen and weighted so that given poses keep their shape.

Keeping the largest weights ignores poses: it may drop a joint that moves far and keep two that move alike.
Here a vertex keeps the joints and weights that bring it closest to its full position over the given poses.

With p_fj the vertex as moved by joint j alone in pose f, b_f as moved by all, and weights w that add up to
one, the squared distance is w Q w with Q_jk = sum_f (p_fj - b_f) . (p_fk - b_f), see `maths.sparse_weights`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..maths.sparse_weights import cost_of, sparse_weights
from ..skinning.skin import Skin

RIDGE = 1e-6
"""Fraction of Q's mean diagonal added to it: joints that move alike would make it singular."""

VERTICES_AT_ONCE = 2048


def limited_by_least_squares(
    skin: Skin, positions: NDArray[np.floating], finals: NDArray[np.floating], influences: int
) -> Skin:
    """Return the skin with at most `influences` (1 or more) a vertex, in stored order, weights adding up to
    one.

    positions: (V, 3) at rest. finals: (F, J, 4, 4), palettes of the poses. Over these poses no vertex lies
    further off, in the mean square, than with its largest weights kept. Vertices that have no more than that
    stay as they are, normalised.

    Raises:
        InvalidArrayError: the limit is below 1.
    """
    whole = skin.normalised()
    largest = whole.limited(influences).normalised()
    over = whole.counts > influences
    parts = [_entries(largest, ~over)]
    for count in np.unique(whole.counts[over]).tolist():
        vertices = np.flatnonzero(whole.counts == count)
        for start in range(0, len(vertices), VERTICES_AT_ONCE):
            chosen = vertices[start : start + VERTICES_AT_ONCE]
            parts.append(_reduced(whole, largest, positions, finals, chosen, influences=influences))
    vertices, joints, weights = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Skin.from_entries(vertices, joints, weights, skin.vertex_count)


Entries = tuple[NDArray[np.intp], NDArray[np.int32], NDArray[np.float64]]


def _entries(skin: Skin, vertices: NDArray[np.bool_]) -> Entries:
    kept = vertices[skin.vertex_of_influence]
    return skin.vertex_of_influence[kept], skin.joints[kept], skin.weights[kept].astype(np.float64)


def _reduced(
    whole: Skin,
    largest: Skin,
    positions: NDArray[np.floating],
    finals: NDArray[np.floating],
    vertices: NDArray[np.intp],
    *,
    influences: int,
) -> Entries:
    """Choose for vertices that all have the same number of influences."""
    slots = whole.starts[vertices][:, None] + np.arange(int(whole.counts[vertices[0]]))
    joints, weights = whole.joints[slots], whole.weights[slots].astype(np.float64)
    costs = _costs(positions[vertices], joints, weights, finals)
    found = sparse_weights(
        costs,
        np.ones(joints.shape, dtype=np.bool_),
        influences,
        towards=np.zeros_like(weights),
        pull=RIDGE * np.einsum("mnn->m", costs) / costs.shape[1] + np.finfo(np.float64).tiny ** 0.5,
    )
    kept = np.zeros_like(weights)
    for row, vertex in enumerate(vertices.tolist()):
        own = slice(largest.starts[vertex], largest.starts[vertex + 1])
        kept[row, np.isin(joints[row], largest.joints[own])] = 1
    kept = kept * weights
    kept /= kept.sum(axis=1, keepdims=True)
    better = cost_of(costs, found) < cost_of(costs, kept)
    result = np.where(better[:, None], found, kept)
    rows, indices = np.nonzero(result)
    return vertices[rows], joints[rows, indices], result[rows, indices]


def _costs(
    positions: NDArray[np.floating],
    joints: NDArray[np.int32],
    weights: NDArray[np.float64],
    finals: NDArray[np.floating],
) -> NDArray[np.float64]:
    """Q of every vertex, (m, n, n)."""
    costs = np.zeros((*joints.shape, joints.shape[1]))
    at_rest = positions.astype(np.float64)
    for final in finals:
        own = final[joints].astype(np.float64)
        moved = np.einsum("mr,mnrc->mnc", at_rest, own[:, :, :3, :3]) + own[:, :, 3, :3]
        off = moved - np.einsum("mn,mnc->mc", weights, moved)[:, None]
        costs += off @ off.transpose(0, 2, 1)
    return costs
