"""Which objects scale lengths unevenly."""

from __future__ import annotations

import numpy as np
import pytest
from mathutils import Euler, Matrix, Vector

from skinning_addon.scene.matrices import row_vectors, uneven_scale

TURNED = Matrix.LocRotScale(Vector((1.0, 2.0, 3.0)), Euler((0.3, 0.8, -1.1)), None)


@pytest.mark.parametrize("scale", [1.0, 0.01, 250.0, -3.0])
def test_one_scale_for_all_axes_is_even(scale: float):
    assert uneven_scale(row_vectors(TURNED @ Matrix.Scale(scale, 4))) is None


def test_lengths_are_those_in_the_world_but_for_the_longest_axis():
    matrix = TURNED @ Matrix.Diagonal((2.0, 0.5, 1.3, 1.0))
    axes = uneven_scale(row_vectors(matrix))
    assert axes is not None
    for way in np.eye(3):
        in_world = (matrix.to_3x3() @ Vector(way)).length
        assert 2.0 * np.linalg.norm(way @ axes) == pytest.approx(in_world, rel=1e-6)


def test_shear_without_scale_is_uneven():
    turned = Matrix.Rotation(0.7, 4, "X")
    sheared = Matrix.Diagonal((1.0, 2.0, 1.0, 1.0)) @ turned @ Matrix.Diagonal((1.0, 0.5, 1.0, 1.0))
    assert uneven_scale(row_vectors(sheared)) is not None
