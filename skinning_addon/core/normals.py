"""Normals of skinned vertices: turned by the blended matrix.

Coordinates stand first, see `vectors`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .vectors import cross, dot, unit_length


def turned_by_cofactors(linear: NDArray[np.float32], normals: NDArray[np.float32]) -> NDArray[np.float32]:
    """Turn each normal by the cofactors of its own matrix, and make it unit length.

    linear: (3, 3, n), entry [r, c] is what coordinate c adds to coordinate r of the result. normals: (3, n).
    The cofactors are the inverse transpose times the determinant: right under non-uniform scale, and defined even
    where a joint is scaled to zero along one axis. A normal that collapses (scaled to zero) stays as it was.
    """
    x, y, z = linear
    # The rows of the cofactors are y x z, z x x and x x y; with the first two, the normal can be multiplied first.
    with_z = cross(z, normals)
    turned = np.empty_like(normals)
    turned[0] = dot(y, with_z)
    turned[1] = -dot(x, with_z)
    turned[2] = dot(cross(x, y), normals)
    return unit_length(turned, normals)


def cofactors(linear: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the cofactors of one (3, 3) matrix; `normal @ cofactors(linear)` goes with `v @ linear`."""
    return np.cross(linear[[1, 2, 0]], linear[[2, 0, 1]])
