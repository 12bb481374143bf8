"""What candidates cost a vertex over the frames of a fit."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..maths.weight_costs import moved_by_each, weight_costs
from .wanted import Wanted


def costs(
    wanted: Wanted,
    joints: NDArray[np.int32],
    vertices: NDArray[np.intp],
    counts: NDArray[np.floating] | None = None,
) -> NDArray[np.float64]:
    """Return Q of vertices (n,) with candidate joints (n, C): (n, C, C), see `maths.weight_costs`.

    counts: (n, F), how much each frame counts for each vertex, one in the mean; as `wanted` says if left out.
    """
    moved = moved_by_each(wanted.by_joint, wanted.rest[vertices], joints)
    return weight_costs(moved, wanted.rows(vertices), wanted.counts[None] if counts is None else counts)
