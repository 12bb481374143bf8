"""The one place where `mathutils.Matrix` becomes a row-vector array."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from ..core.errors import BindingError
from ..core.skeleton import invert_affine

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer as Buffer


def row_vectors(matrix: Matrix) -> NDArray[np.float64]:
    """Return `matrix`, which Blender writes for column vectors, as (4, 4) float64 for `v @ M`."""
    return np.array(matrix.transposed(), dtype=np.float64)


def _is_buffer(matrix: Matrix) -> bool:
    try:
        memoryview(cast("Buffer", matrix))
    except TypeError:
        return False
    return True


MATRICES_ARE_BUFFERS = _is_buffer(Matrix())
"""From Blender 5.1 on a Matrix is a buffer, column by column, so again a row-vector matrix."""


def columns_to_rows(matrices: Sequence[Matrix]) -> NDArray[np.float64]:
    """Turn many affine `mathutils.Matrix` into (N, 4, 4) row-vector matrices in one go.

    Joining buffers is 200 times faster than `np.array` of matrices. Where they are none, they are read row by row: a slice
    of a row is a tuple, in a third of the time that its values take one by one. The last row is always the same.
    """
    if MATRICES_ARE_BUFFERS:
        flat = np.frombuffer(b"".join(cast("Sequence[Buffer]", matrices)), dtype=np.float32)
        return flat.reshape(-1, 4, 4).astype(np.float64)
    values: list[float] = []
    for matrix in matrices:
        values += matrix[0][:] + matrix[1][:] + matrix[2][:]
    rows = np.zeros((len(matrices), 4, 4))
    rows[:, :, :3] = np.array(array("d", values)).reshape(-1, 3, 4).transpose(0, 2, 1)
    rows[:, 3, 3] = 1.0
    return rows


def inverse_of_object(matrix: NDArray[np.float64], object_name: str) -> NDArray[np.float64]:
    """Invert an object's (4, 4) matrix to the world.

    Raises:
        BindingError: the object is scaled to zero, so nothing can be expressed in its space.
    """
    inverse, usable = invert_affine(matrix[None])
    if not usable[0]:
        raise BindingError(
            "'{object}' is scaled to zero along an axis, so it can't be skinned; scale it up.",
            object=object_name,
        )
    return inverse[0]
