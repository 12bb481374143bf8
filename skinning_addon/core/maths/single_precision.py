"""Matrices as Blender's mathutils inverts and multiplies them: in single precision, in its order of operations,
to the last digit.

That matters where rounding grows, below bones that are almost flat or thin as a needle (`local_for_fbx`). Read
in Blender's mathutils_Matrix.cc (`matrix_invert_safe_internal`, `Matrix @ Matrix`) and math_matrix_c.cc
(`adjoint_m4_m4`, `determinant_m4`); `tests/scene/test_single_precision.py` compares.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Singles = NDArray[np.float32]

SINGULAR_PLUS = np.float32(1e-8)
"""What mathutils adds to the diagonal of a singular matrix to invert it."""

_OTHERS = ((1, 2), (0, 2), (0, 1))
"""The rows, or columns, besides each."""


def inverted_safe(matrices: NDArray[np.floating]) -> Singles:
    """Invert affine row-vector matrices (..., 4, 4) as `Matrix.inverted_safe` does.

    A matrix whose determinant is zero is inverted with 1e-8 added to its diagonal; without one then too, it
    becomes the identity.
    """
    # Blender's own matrices are single, so this loses nothing of them.
    with np.errstate(all="ignore"):
        singles = np.asarray(matrices).astype(np.float32)
        elements = np.ascontiguousarray(np.moveaxis(singles, (-2, -1), (0, 1)))
        adjugate, determinant = _adjugate(elements)
        singular = determinant == 0
        if singular.any():
            diagonal = (SINGULAR_PLUS * np.eye(4)).astype(np.float32)
            nearby = elements[:, :, singular] + diagonal[:, :, None]
            adjugate[:, :, singular], determinant[singular] = _adjugate(nearby)
        adjugate /= determinant
    result = np.ascontiguousarray(np.moveaxis(adjugate, (0, 1), (-2, -1)))
    result[determinant == 0] = np.eye(4)
    return result


def multiplied(first: NDArray[np.floating], second: NDArray[np.floating]) -> Singles:
    """Return first @ second, row-vector matrices (..., 4, 4), as mathutils' `second @ first`: numbers are
    multiplied in single precision, and added in double.
    """
    first, second = first.astype(np.float32), second.astype(np.float32)
    total = np.zeros(np.broadcast_shapes(first.shape, second.shape))
    with np.errstate(all="ignore"):
        for each in range(4):
            total += first[..., :, each, None] * second[..., None, each, :]
        return total.astype(np.float32)


def _adjugate(m: Singles) -> tuple[Singles, Singles]:
    """Return the adjugates (4, 4, ...) and determinants (...) of affine matrices (4, 4, ...)."""
    result = np.zeros_like(m)
    for row, (p, q) in enumerate(_OTHERS):
        for column, (u, v) in enumerate(_OTHERS):
            minor = m[p, u] * m[q, v] - m[p, v] * m[q, u]
            result[column, row] = minor if (row + column) % 2 == 0 else -minor
        (ap, bp, cp), (aq, bq, cq), (at, bt, ct) = m[p, :3], m[q, :3], m[3, :3]
        minor = ap * (bq * ct - bt * cq) - bp * (aq * ct - at * cq) + cp * (aq * bt - at * bq)
        result[3, row] = minor if row == 1 else -minor
    a, b, c = m[0, :3]
    determinant = np.asarray(a * result[0, 0] + b * result[1, 0] + c * result[2, 0])
    result[3, 3] = determinant
    return result, determinant
