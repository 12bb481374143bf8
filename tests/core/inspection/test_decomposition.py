from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given

from skinning_addon.core.inspection.decomposition import decompose
from tests.core.builders import (
    X,
    Y,
    Z,
    property_test,
    random_transform,
    rotation,
    scaling,
    seeds,
    translation,
)


def composed(parts) -> np.ndarray:
    matrix = scaling(*parts.scale)
    matrix[:3, :3] = matrix[:3, :3] @ parts.rotation
    matrix[3, :3] = parts.location
    return matrix


@property_test
@given(seed=seeds)
def test_without_shear_the_parts_make_the_matrix_again(seed):
    rng = np.random.default_rng(seed)
    matrix = random_transform(rng)
    parts = decompose(matrix)
    assert not parts.sheared
    assert composed(parts) == pytest.approx(matrix, abs=1e-12)
    x, y, z = np.radians(parts.euler)
    turned = rotation(X, math.degrees(x)) @ rotation(Y, math.degrees(y)) @ rotation(Z, math.degrees(z))
    assert turned[:3, :3] == pytest.approx(parts.rotation, abs=1e-9)
    axis, angle = parts.axis_angle
    assert rotation(axis, angle)[:3, :3] == pytest.approx(parts.rotation, abs=1e-9)
    assert 0 <= angle <= 180


def test_a_mirrored_matrix_has_negative_scale_and_a_rotation():
    matrix = scaling(-1, 2, 3) @ rotation((1, 2, 3), 70) @ translation(1, 2, 3)
    parts = decompose(matrix)
    assert (parts.scale < 0).all()
    assert np.linalg.det(parts.rotation) == pytest.approx(1)
    assert composed(parts) == pytest.approx(matrix, abs=1e-12)


@pytest.mark.parametrize("middle", [90, -90])
@pytest.mark.parametrize("outer", [0, 30, -110])
def test_where_two_axes_fall_together_the_angles_still_make_the_rotation(middle, outer):
    matrix = rotation(X, outer) @ rotation(Y, middle) @ rotation(Z, 20)
    x, y, z = decompose(matrix).euler
    again = rotation(X, x) @ rotation(Y, y) @ rotation(Z, z)
    assert again == pytest.approx(matrix, abs=1e-9)
    assert z == 0


def test_nothing_turned_is_no_angle():
    axis, angle = decompose(translation(1, 2, 3)).axis_angle
    assert angle == 0
    assert np.linalg.norm(axis) == 1


def test_shear_is_told_by_how_much():
    matrix = np.eye(4)
    # X leans by 10 degrees towards Y.
    matrix[0, :3] = math.cos(math.radians(10)), math.sin(math.radians(10)), 0
    parts = decompose(matrix)
    assert parts.sheared
    assert math.degrees(parts.shear) == pytest.approx(10)
    # The nearest rotation halves it.
    assert parts.euler == pytest.approx((0, 0, 5))
    assert not decompose(rotation(X, 20) @ scaling(1, 1, 1)).sheared


@pytest.mark.parametrize("scale", [(0, 1, 1), (0, 0, 2), (0, 0, 0)])
def test_a_bone_scaled_to_zero_still_has_a_rotation(scale):
    parts = decompose(scaling(*scale) @ rotation(Z, 30))
    assert parts.scale == pytest.approx(scale)
    assert np.linalg.det(parts.rotation) == pytest.approx(1)
    assert not parts.sheared
    assert np.isfinite(parts.euler).all()
