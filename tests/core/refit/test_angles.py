"""Angles summed up frame by frame, against all of them at once."""

from __future__ import annotations

import numpy as np
import pytest
from mathutils import Quaternion, Vector

from skinning_addon.core.refit.angles import Angles, Turned


def test_no_directions():
    angles = Angles()
    assert angles.turned() is None
    angles.take(np.empty((0, 3)), np.empty((0, 3)))
    assert angles.turned() is None


@pytest.mark.parametrize("degrees", [0.0, 1e-4, 0.37, 90.0, 150.0])
def test_one_known_angle(degrees: float):
    turn = Quaternion(Vector((1, 2, 3)).cross(Vector((0, 0, 1))), np.radians(degrees))
    one = Vector((1, 2, 3)).normalized()
    angles = Angles()
    angles.take(np.array([one]), np.array([turn @ one]))
    found = angles.turned()
    assert found is not None
    assert (found.largest, found.nearly_all) == (pytest.approx(degrees, abs=3e-4),) * 2


def test_as_all_angles_at_once():
    rng = np.random.default_rng(0)
    degrees = rng.gamma(1.0, 0.2, (8, 5000))
    angles = Angles()
    for each in degrees:
        other = np.stack([np.cos(np.radians(each)), np.sin(np.radians(each)), np.zeros(len(each))], axis=1)
        angles.take(np.tile([1.0, 0.0, 0.0], (len(each), 1)), other)
    found = angles.turned()
    assert isinstance(found, Turned)
    assert found.largest == pytest.approx(degrees.max(), abs=1e-9)
    assert found.nearly_all == pytest.approx(np.quantile(degrees, 0.999), abs=0.015)
