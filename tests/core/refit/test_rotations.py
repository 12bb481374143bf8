"""Turns that go only so far, against mathutils."""

from __future__ import annotations

import numpy as np
import pytest
from mathutils import Matrix, Quaternion

from skinning_addon.core.refit.rotations import limited_turns


@pytest.mark.parametrize("degrees", [0.0, 1.0, 45.0, 180.0])
def test_about_the_same_axis_by_at_most_so_much(degrees: float):
    random = np.random.default_rng(2)
    axes, angles = random.normal(size=(50, 3)), [*random.uniform(0, np.pi, 48), 0.0, np.pi]
    turns = np.array([Matrix.Rotation(angle, 3, axis) for axis, angle in zip(axes, angles, strict=True)])
    found = limited_turns(turns, degrees)
    for one, axis, angle in zip(found[:49], axes, angles, strict=False):
        wanted = Quaternion(axis, min(angle, np.radians(degrees))).to_matrix()
        assert one == pytest.approx(np.array(wanted), abs=2e-5)
    half = Matrix(found[49]).to_quaternion()
    assert np.degrees(half.angle) == pytest.approx(degrees, abs=0.05)
    assert found[49] @ axes[49] == pytest.approx(axes[49], abs=1e-5), "either way around"
