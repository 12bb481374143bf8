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

    linear: (3, 3, ...), entry [r, c] is coordinate c's contribution to coordinate r of the result. normals:
    (3, ...).
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

    final: (F, J, 4, 4), at F frames. normals: (V, 3). Result: (F, V, 3). A joint scaled to zero is ignored.
    """
    frames, count = len(final), len(normals)
    vertex = skin.vertex_of_influence
    at_rest = normals.astype(np.float32).T
    # (coordinate, coordinate of the result, frame, influence)
    by_joint = cofactors(final[..., :3, :3])[:, skin.joints].transpose(2, 3, 0, 1)
    turned = np.stack([dot(by_joint[:, row], at_rest[:, vertex]) for row in range(3)])
    turned = unit_length(turned, np.zeros_like(turned)) * skin.weights
    place = (np.arange(frames)[:, None] * count + vertex).reshape(-1)
    blended = np.stack([np.bincount(place, one.reshape(-1), minlength=frames * count) for one in turned])
    instead = np.broadcast_to(at_rest[:, None], (3, frames, count))
    return unit_length(blended.astype(np.float32).reshape(3, frames, count), instead).transpose(1, 2, 0)


def turned_by_last_joint(
    skin: Skin, final: NDArray[np.float32], normals: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Turn each normal by the matrix of its vertex's last influence, or leave it unchanged if there is none.

    final: (F, J, 4, 4), at F frames. normals: (V, 3). Result: (F, V, 3).
    """
    moved = skin.counts > 0
    at_rest = np.broadcast_to(normals.astype(np.float32).T[:, None], (3, len(final), len(normals)))
    last = skin.joints[skin.starts[1:][moved] - 1]
    by_vertex = final[:, last, :3, :3].transpose(2, 3, 0, 1)
    turned = at_rest.copy()
    turned[:, :, moved] = [dot(by_vertex[:, row], at_rest[:, :, moved]) for row in range(3)]
    return unit_length(turned, at_rest).transpose(1, 2, 0)


def degrees_between(a: NDArray[np.floating], b: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return the angles (...) between directions (..., 3) of any length; 0 if one has zero length."""
    one, other = (np.ascontiguousarray(np.moveaxis(each, -1, 0), dtype=np.float64) for each in (a, b))
    across = cross(one, other)
    return np.degrees(np.arctan2(np.sqrt(dot(across, across)), dot(one, other)))


def cofactors(linear: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the cofactors of (..., 3, 3) matrices; `normal @ cofactors(linear)` goes with `v @ linear`."""
    return np.cross(linear[..., [1, 2, 0], :], linear[..., [2, 0, 1], :])
