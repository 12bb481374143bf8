"""Matrices of many instances side by side: the top-down pass for a crowd.

An array (B, 4, 3, I) holds to_parent or to_root of B bones of I instances: four rows, and three columns, since
the last is always (0, 0, 0, 1). Instances are innermost in memory. Multiplying small matrices one at a time
costs numpy more in overhead than in arithmetic; here each multiplication runs along all instances. A matrix
shared by all of them, such as an offset, even takes just one ordinary matrix product per bone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.skinning.skeleton import Skeleton
from .local_pose import LocalPose
from .rotations import to_rows

Matrices = NDArray[np.float32]
"""(B, 4, 3, I)."""


def compose_instances(pose: LocalPose) -> Matrices:
    """Return to_parent of poses (D, I, B), as `local_pose.compose` does, laid out for a crowd."""
    _, instances, bones = pose.rotation.shape
    matrices = np.empty((bones, 4, 3, instances), dtype=np.float32)
    by_axis = matrices.transpose(1, 2, 3, 0)
    for row, axis in enumerate(to_rows(pose.rotation)):
        for column, values in enumerate(axis):
            np.multiply(pose.scale[row], values, out=by_axis[row, column])
    by_axis[3] = pose.translation
    return matrices


def run_down(skeleton: Skeleton, to_parent: Matrices) -> Matrices:
    """Convert to_parent to to_root, in place: to_root(i) = to_parent(i) @ to_root(parent(i)), level by
    level.
    """
    for level in skeleton.levels[1:]:
        above = to_parent[skeleton.parents[level]]
        to_root = np.einsum("brki,bkci->brci", to_parent[level], above[:, :3])
        to_root[:, 3] += above[:, 3]
        to_parent[level] = to_root
    return to_parent


def carried_on(matrices: Matrices, further: ArrayLike) -> Matrices:
    """Return matrices @ further, with one affine matrix (4, 4) for all."""
    matrix = np.asarray(further, dtype=np.float32)
    carried = np.einsum("brki,kc->brci", matrices, matrix[:3, :3])
    carried[:, 3] += matrix[3, :3, None]
    return carried


def carried_each(matrices: Matrices, further: NDArray[np.floating]) -> Matrices:
    """Return matrices @ further, with one affine matrix (I, 4, 4) for each instance."""
    # Instances innermost in memory: a tenth of the time.
    each = np.moveaxis(further, 0, -1).astype(np.float32, order="C")
    carried = np.einsum("brki,kci->brci", matrices, each[:3, :3])
    carried[:, 3] += each[3, :3]
    return carried


def led_up_to(first: NDArray[np.float32], matrices: Matrices) -> Matrices:
    """Return first @ matrices, with one matrix per bone (B, 4, 4) for all instances."""
    bones, rows, columns, instances = matrices.shape
    return (first @ matrices.reshape(bones, rows, columns * instances)).reshape(matrices.shape)
