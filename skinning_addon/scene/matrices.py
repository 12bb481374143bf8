"""The one place where a single `mathutils.Matrix` becomes a row-vector array."""

from __future__ import annotations

import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from ..core.errors import BindingError
from ..core.skeleton import invert_affine


def row_vectors(matrix: Matrix) -> NDArray[np.float64]:
    """Return `matrix`, which Blender writes for column vectors, as (4, 4) float64 for `v @ M`."""
    return np.array(matrix.transposed(), dtype=np.float64)


def inverse_of_object(matrix: NDArray[np.float64], object_name: str) -> NDArray[np.float64]:
    """Invert an object's (4, 4) matrix to the world.

    Raises:
        BindingError: the object is scaled to zero, so nothing can be expressed in its space.
    """
    inverse, usable = invert_affine(matrix[None])
    if not usable[0]:
        raise BindingError(
            f"'{object_name}' is scaled to zero along an axis, so it can't be skinned; scale it up."
        )
    return inverse[0]
