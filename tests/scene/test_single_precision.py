"""Matrices in single precision are those of Blender's own mathutils, to the last digit."""

from __future__ import annotations

import numpy as np
from mathutils import Matrix

from skinning_addon.core.maths.single_precision import inverted_safe, multiplied
from skinning_addon.scene.matrices import row_vectors


def drawn(count: int) -> np.ndarray:
    """Draw matrices (N, 4, 4) float32, row vectors: sheared, and most of them flat or thin as a needle."""
    random = np.random.default_rng(1)
    matrices = np.tile(np.eye(4), (count, 1, 1))
    matrices[:, :3, :3] = random.normal(size=(count, 3, 3)) * 10.0 ** random.integers(-5, 3, (count, 3, 1))
    matrices[:, :3, :3] = matrices[:, :3, :3] @ random.normal(size=(count, 3, 3))
    matrices[:, 3, :3] = random.normal(size=(count, 3))
    return matrices.astype(np.float32)


def of_blender(matrix: np.ndarray) -> Matrix:
    return Matrix(matrix.T.tolist())


def test_inverses_are_blenders_to_the_last_digit():
    matrices = drawn(1000)
    expected = [row_vectors(of_blender(one).inverted_safe()) for one in matrices]
    assert (inverted_safe(matrices) == np.array(expected)).all()


def test_products_are_blenders_to_the_last_digit():
    first, second = np.split(drawn(2000), 2)
    expected = [row_vectors(of_blender(b) @ of_blender(a)) for a, b in zip(first, second, strict=True)]
    assert (multiplied(first, second) == np.array(expected)).all()


def test_what_has_no_inverse_gets_blenders_nearby():
    """Nothing left at all, an axis of length zero, too small for a determinant, and parallel axes."""
    scales = [(0, 0, 0), (1, 0, 2), (1e-20, 1e-20, 1e-20), (1e-16, 1, 1)]
    matrices = np.array([np.diag([*one, 1.0]) for one in scales] + [np.eye(4)])
    matrices[-1, :3, :3] = [(1, 2, 3), (2, 4, 6), (0, 0, 1)]
    matrices[:, 3, :3] = 1, 2, 3
    expected = [row_vectors(of_blender(one).inverted_safe()) for one in matrices.astype(np.float32)]
    assert (inverted_safe(matrices) == np.array(expected)).all()
