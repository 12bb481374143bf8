"""Normals of skinned vertices: turned by the blended matrix, or as engines turn them.

Coordinates come first, see `vectors`.
"""

from __future__ import annotations

from enum import Enum

import numpy as np
from numpy.typing import NDArray

from ..maths.vectors import cross, dot, unit_length
from .skin import Skin


class Normals(Enum):
    """An engine's way of turning normals in its shader."""

    MATRIX = "matrix"
    """By the blended matrix itself."""
    COFACTORS = "cofactors"
    """By the cofactors (inverse transpose) of the blended matrix."""
    JOINT_COFACTORS = "joint-cofactors"
    """By the cofactors of each joint's matrix, each made unit length, then blended."""
    LAST_JOINT = "last-joint"
    """By the matrix of the last influence alone, whatever its weight: each joint's result overwrites the one
    before."""


def turned_by_cofactors(linear: NDArray[np.float32], normals: NDArray[np.float32]) -> NDArray[np.float32]:
    """Turn each normal by the cofactors of its own matrix, and make it unit length.

    linear: (3, 3, n), entry [r, c] is coordinate c's contribution to coordinate r of the result. normals: (3,
    n).
    The cofactors are the inverse transpose times the determinant: correct under non-uniform scale, and
    defined even if a joint is scaled to zero along one axis. A normal that collapses (scaled to zero) is left
    unchanged.
    """
    x, y, z = linear
    # The rows of the cofactors are y x z, z x x and x x y; with the first two, the normal can be multiplied
    # first.
    with_z = cross(z, normals)
    turned = np.empty_like(normals)
    turned[0] = dot(y, with_z)
    turned[1] = -dot(x, with_z)
    turned[2] = dot(cross(x, y), normals)
    return unit_length(turned, normals)


def turned_by_matrix(linear: NDArray[np.float32], normals: NDArray[np.float32]) -> NDArray[np.float32]:
    """Turn each normal by its own matrix, and make it unit length; shapes as in `turned_by_cofactors`."""
    turned = np.stack([dot(row, normals) for row in linear])
    return unit_length(turned, normals)


def turned_by_joints(
    skin: Skin, final: NDArray[np.float32], normals: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Turn each normal by the cofactors of every joint that moves its vertex, and blend the normalised
    results.

    final: (J, 4, 4). normals and result: (V, 3). A joint scaled to zero is ignored.
    """
    by_joint = np.stack([cofactors(one[:3, :3]) for one in final])
    vertex = skin.vertex_of_influence
    turned = np.einsum("nc,ncr->rn", normals[vertex], by_joint[skin.joints])
    turned = unit_length(turned, np.zeros_like(turned)) * skin.weights
    blended = np.stack([np.bincount(vertex, one, minlength=len(normals)) for one in turned])
    return unit_length(blended.astype(np.float32), normals.T.astype(np.float32)).T


def turned_by_last_joint(
    skin: Skin, final: NDArray[np.float32], normals: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Turn each normal by the matrix of its vertex's last influence, or leave it unchanged if there is none.

    final: (J, 4, 4). normals and result: (V, 3).
    """
    moved = skin.counts > 0
    turned = normals.astype(np.float32)
    last = skin.joints[skin.starts[1:][moved] - 1]
    turned[moved] = np.einsum("vc,vcr->vr", turned[moved], final[last, :3, :3])
    return unit_length(turned.T, normals.T.astype(np.float32)).T


def degrees_between(a: NDArray[np.floating], b: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return the angles (V,) between directions (V, 3) of any length; 0 if one has zero length."""
    one, other = a.astype(np.float64), b.astype(np.float64)
    across = np.linalg.norm(np.cross(one, other), axis=1)
    return np.degrees(np.arctan2(across, np.einsum("vc,vc->v", one, other)))


def cofactors(linear: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the cofactors of one (3, 3) matrix; `normal @ cofactors(linear)` goes with `v @ linear`."""
    return np.cross(linear[[1, 2, 0]], linear[[2, 0, 1]])
