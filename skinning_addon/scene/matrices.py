"""The only code that turns `mathutils.Matrix` into a row-vector array."""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, cast

import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from ..core.maths.arrays import sealed
from ..core.skinning.skeleton import invert_affine
from ..core.text.errors import BindingError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer as Buffer


EVEN = 1e-4
"""By how much the axes of an evenly scaled object may differ, as a part of the largest."""

SMALLEST_DETERMINANT = float(np.finfo(np.float32).tiny)
LARGEST_DETERMINANT = float(np.finfo(np.float32).max)
"""Limits of what Blender can invert. Beyond what float32 holds, at a uniform scale below 2e-13 or above 7e12,
Blender's inverse is zero or not a number."""


def row_vectors(matrix: Matrix) -> NDArray[np.float64]:
    """Return `matrix`, which Blender writes for column vectors, as (4, 4) float64 for `v @ M`.

    By slices, which are tuples: numpy takes three times as long to look into mathutils' own vectors.
    """
    return np.array([column[:] for column in matrix.col], dtype=np.float64)


def _is_buffer(matrix: Matrix) -> bool:
    try:
        memoryview(cast("Buffer", matrix))
    except TypeError:
        return False
    return True


MATRICES_ARE_BUFFERS = _is_buffer(Matrix())
"""From Blender 5.1 on a Matrix is a buffer, column by column, so again a row-vector matrix."""


def exact_key(matrix: Matrix) -> Hashable:
    """Return what is equal only for a matrix of the same numbers; comparing matrices overlooks last bits."""
    if MATRICES_ARE_BUFFERS:
        return bytes(cast("Buffer", matrix))
    return tuple(column[:] for column in matrix.col)


def columns_to_rows(matrices: Sequence[Matrix]) -> NDArray[np.float64]:
    """Turn many affine `mathutils.Matrix` into (N, 4, 4) row-vector matrices in one go.

    Joining buffers is 200 times faster than `np.array` of matrices. Where they are none, they are read row by
    row: a slice of a row is a tuple, in a third of the time that its values take one by one. The last row is
    always the same.
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


def relation(
    mesh_to_world: NDArray[np.float64], root_to_world: NDArray[np.float64], mesh_object: str, armature: str
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return mesh_to_root, root_to_mesh and world_to_root, (4, 4), from where a mesh and an armature object
    stand. Read-only.

    Raises:
        BindingError: an object is scaled to zero, or so far from the other that Blender can't invert their
        relation.
    """
    return _relation(mesh_to_world.tobytes(), root_to_world.tobytes(), mesh_object, armature)


@lru_cache(maxsize=4096)
def _relation(
    mesh: bytes, root: bytes, mesh_object: str, armature: str
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Compute `relation` once for all engines that the same mesh is bound for."""
    mesh_to_world, root_to_world = (np.frombuffer(one).reshape(4, 4) for one in (mesh, root))
    world_to_mesh = inverse_of_object(mesh_to_world, mesh_object)
    world_to_root = inverse_of_object(root_to_world, armature)
    mesh_to_root = mesh_to_world @ world_to_root
    # Blender inverts these two, in float32 and by their determinants.
    for inverted in (mesh_to_world, mesh_to_root):
        size = abs(float(np.linalg.det(inverted[:3, :3])))
        if not SMALLEST_DETERMINANT <= size <= LARGEST_DETERMINANT:
            raise BindingError(
                "'{mesh}' or '{armature}' has an extreme scale, {mesh_scale:.3g} and {armature_scale:.3g}, "
                "so Blender can't compute their relative position in float32 and shows no deformation; "
                "apply the scales.",
                rule="scale-beyond-precision",
                mesh=mesh_object,
                armature=armature,
                mesh_scale=largest_scale(mesh_to_world),
                armature_scale=largest_scale(root_to_world),
            )
    return sealed(mesh_to_root), sealed(root_to_world @ world_to_mesh), sealed(world_to_root)


def largest_scale(matrix: NDArray[np.float64]) -> float:
    """Return the length of a matrix' longest axis."""
    return float(scales(matrix).max())


def scales(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the lengths of a matrix' three axes, none negative. Blender's own, in float32, are 0 from 1e-20
    down.
    """
    return np.sqrt(np.einsum("rc,rc->r", matrix[:3, :3], matrix[:3, :3]))


def uneven_scale(matrix: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Return the axes (3, 3) of a matrix (4, 4), the longest of length one; None if it changes no shape, and
    lengths in its space are one factor from those outside.
    """
    axes = matrix[:3, :3] / largest_scale(matrix)
    return None if np.abs(axes @ axes.T - np.eye(3)).max() <= EVEN else axes


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
