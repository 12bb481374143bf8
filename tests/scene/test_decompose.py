"""Matrices are decomposed as Blender does."""

from __future__ import annotations

import numpy as np
import pytest
from mathutils import Matrix

from skinning_addon.core.profiles.transform_parts import take_apart


@pytest.mark.parametrize("mirrored", [False, True])
def test_sheared_matrices(mirrored: bool):
    rng = np.random.default_rng(3)
    for _ in range(300):
        matrix = np.eye(4)
        # Turned, stretched and sheared, as far as rigs do it.
        turned, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        matrix[:3, :3] = turned @ (np.eye(3) + rng.uniform(-0.3, 0.3, (3, 3)))
        matrix[:3, 3] = rng.normal(size=3)
        if (np.linalg.det(matrix) < 0) != mirrored:
            matrix[:3, 0] *= -1
        location, rotation, scale = Matrix(matrix.tolist()).decompose()
        parts = take_apart(matrix.T[None])
        # Blender leaves a few of them a little off unit length.
        rotation.normalize()
        expected = np.array((*rotation[1:], rotation[0]))
        assert abs(parts.rotation[0] @ expected) == pytest.approx(1, abs=1e-6)
        assert parts.scale[0] == pytest.approx(np.array(scale), rel=1e-5)
        assert parts.translation[0] == pytest.approx(np.array(location), rel=1e-5)
