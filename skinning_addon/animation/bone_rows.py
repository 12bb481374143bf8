"""Rows of a texture whose bones are relative to their parents: how they are stored, and what a reader makes
of two of them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .local_pose import LocalPose, compose
from .rotations import RotationBlend, interpolate


def local_rows(pose: LocalPose, bones: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return three pixels for each of the bones (N,) of a pose (D, n, B), (n, 3 N, 4): rotation x, y, z, w;
    translation and 1; scale and 0. A bone of -1 stays where it is.
    """
    frames = pose.rotation.shape[1]
    rows = np.zeros((frames, len(bones), 3, 4))
    real = bones >= 0
    w, x, y, z = pose.rotation[:, :, bones[real]]
    rows[:, real, 0] = np.stack((x, y, z, w), axis=-1)
    rows[:, real, 1, :3] = np.moveaxis(pose.translation[:, :, bones[real]], 0, -1)
    rows[:, real, 2, :3] = np.moveaxis(pose.scale[:, :, bones[real]], 0, -1)
    rows[:, ~real, 0, 3] = 1
    rows[:, ~real, 2, :3] = 1
    rows[..., 1, 3] = 1
    return rows.reshape(frames, -1, 4)


def blended_rows(
    one: NDArray[np.float64], other: NDArray[np.float64], share: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return what a reader makes of rows (n, N, 3, 4) of two samples, to_parent (n, N, 4, 4): rotations blended
    the shortest way and made unit length, the rest linearly. share: (n, 1, 1, 1), how far it is between them.
    """

    def rotation(rows: NDArray[np.float64]) -> NDArray[np.float64]:
        x, y, z, w = np.moveaxis(rows[..., 0, :], -1, 0)
        return np.stack((w, x, y, z))

    mixed = (1 - share) * one + share * other
    blended = interpolate(rotation(one), rotation(other), share[..., 0, 0], RotationBlend.NLERP)
    translation, scale = (np.moveaxis(mixed[..., row, :3], -1, 0) for row in (1, 2))
    return compose(LocalPose(translation, blended, scale)).astype(np.float64)


def with_ancestors(parents: NDArray[np.integer], bones: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return bones (N,), and all that they hang on, ascending."""
    found = set(bones.tolist())
    for bone in bones[bones >= 0].tolist():
        at = bone
        while at >= 0:
            found.add(at)
            at = int(parents[at])
    return np.array(sorted(found), dtype=np.intp)
