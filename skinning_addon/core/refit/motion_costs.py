"""What it costs a vertex to follow bones: quadratic forms of its weights, gathered over frames for all bones.

With p at rest and a one behind it, M_j a bone's matrix less the identity and d where the vertex is to go,
weights w that add up to one are off by w Q w, Q_jk = sum over frames of (p M_j - d) . (p M_k - d). The products
of two bones' matrices are the same for all vertices, so Q needs no pass over the frames for each pair.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .mesh_motion import MeshMotion


@dataclass(frozen=True, eq=False)
class MotionCosts:
    """with_one: (U, 4). pairs: (N, N, 4, 4), sums of M_j M_k'. towards: (U, N), sums of p M_j . d.
    still: (U,), sums of d . d. All are means over the frames.
    """

    with_one: NDArray[np.float64]
    pairs: NDArray[np.float64]
    towards: NDArray[np.float64]
    still: NDArray[np.float64]

    def alone(self) -> NDArray[np.float64]:
        """Return what it costs to follow one bone alone, (U, N): the mean square of the distance."""
        bones = np.arange(len(self.pairs))
        carried = np.einsum(
            "ua,nab,ub->un", self.with_one, self.pairs[bones, bones], self.with_one, optimize=True
        )
        return carried - 2 * self.towards + self.still[:, None]

    def forms(self, vertices: NDArray[np.intp], bones: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return Q (n, C, C) of vertices (n,) over the bones (n, C) that each may follow."""
        pairs = self.pairs[bones[:, :, None], bones[:, None]]
        points = self.with_one[vertices]
        carried = np.einsum("nijab,na,nb->nij", pairs, points, points, optimize=True)
        towards = np.take_along_axis(self.towards[vertices], bones, axis=1)
        return carried - towards[:, :, None] - towards[:, None] + self.still[vertices, None, None]


def motion_costs(
    motion: MeshMotion, matrices: NDArray[np.float64], weights: NDArray[np.float64] | None = None
) -> MotionCosts:
    """Gather the costs. matrices: (N, 4, F, 3), see `move_bones`. weights: (F,), how much each frame counts,
    1 on average; all alike if left out.
    """
    bones, count = len(matrices), motion.frame_count
    each = np.ones(count) if weights is None else weights
    weighted = matrices * each[:, None]
    pairs = weighted.reshape(4 * bones, -1) @ matrices.reshape(4 * bones, -1).T
    towards = np.zeros((len(motion.rest), bones))
    still = np.zeros(len(motion.rest))
    for frames, moved in motion.blocks():
        by_bone = np.ascontiguousarray(weighted[:, :, frames]).reshape(4 * bones, -1)
        along = (moved @ by_bone.T).reshape(len(moved), bones, 4)
        towards += np.einsum("una,ua->un", along, motion.with_one)
        squares = np.einsum("ufc,ufc->uf", *(moved.reshape(len(moved), -1, 3),) * 2)
        still += squares @ each[frames]
    return MotionCosts(
        motion.with_one,
        pairs.reshape(bones, 4, bones, 4).transpose(0, 2, 1, 3) / count,
        towards / count,
        still / count,
    )
