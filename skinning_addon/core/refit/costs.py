"""What a vertex's choice of weights costs: a quadratic form of its candidates, gathered over frames.

With p_fj the vertex as moved by joint j alone in frame f, b_f where it is wanted, and weights w that add up to
one, the squared distance is w Q w with Q_jk = sum_f (p_fj - b_f) . (p_fk - b_f): the frames themselves are not
needed to solve for w.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .wanted import Wanted


def costs(wanted: Wanted, joints: NDArray[np.int32], vertices: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return Q of vertices (n,) with candidate joints (n, C): (n, C, C) float64, in squared units, the mean
    over the frames.
    """
    off = np.empty((*joints.shape, 3 * len(wanted.positions)))
    for joint in np.unique(joints).tolist():
        rows, columns = np.nonzero(joints == joint)
        off[rows, columns] = wanted.moved_by(joint, vertices[rows])
    off -= wanted.rows(vertices)[:, None]
    return off @ off.transpose(0, 2, 1) / len(wanted.positions)
