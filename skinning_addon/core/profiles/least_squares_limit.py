"""An influence limit chosen and weighted so that given poses keep their shape.

Keeping the largest weights ignores poses: it may drop a joint that moves far and keep two that move alike.
Here a vertex keeps the joints and weights that bring it closest to its full position over the given poses.

See `maths.weight_costs` for what a choice costs, and `maths.sparse_weights` for choosing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..maths.sparse_weights import sparse_weights
from ..maths.weight_costs import beside, moved_by_each, weight_costs
from ..maths.weight_problems import cost_of
from ..skinning.skin import Skin

RIDGE = 1e-6
"""Fraction of Q's mean diagonal added to it: joints that move alike would make it singular."""

VALUES_AT_ONCE = 4_000_000
"""How many coordinates are computed at once: 32 MB."""


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
    by_joint = beside(finals)
    parts = [_entries(largest, ~over)]
    for count in np.unique(whole.counts[over]).tolist():
        vertices = np.flatnonzero(whole.counts == count)
        step = max(1, VALUES_AT_ONCE // (3 * count * max(1, len(finals))))
        for start in range(0, len(vertices), step):
            chosen = vertices[start : start + step]
            parts.append(_reduced(whole, largest, positions, by_joint, chosen, influences=influences))
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
    by_joint: NDArray[np.float64],
    vertices: NDArray[np.intp],
    *,
    influences: int,
) -> Entries:
    """Choose for vertices that all have the same number of influences."""
    slots = whole.starts[vertices][:, None] + np.arange(int(whole.counts[vertices[0]]))
    joints, weights = whole.joints[slots], whole.weights[slots].astype(np.float64)
    moved = moved_by_each(by_joint, positions[vertices], joints)
    costs = weight_costs(moved, np.einsum("mn,mnf->mf", weights, moved))
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
