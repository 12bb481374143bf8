"""Which joints remain, and with which weights, in cases with an obvious answer."""

from __future__ import annotations

import numpy as np
import pytest

from skinning_addon.core.profiles.least_squares_limit import limited_by_least_squares
from skinning_addon.core.skinning.skin import Skin
from skinning_addon.core.text.errors import InvalidArrayError
from tests.core.builders import translation


def one_vertex(*weights: float):
    count = len(weights)
    return Skin.from_entries(np.zeros(count, dtype=int), np.arange(1, count + 1), np.array(weights), 1)


def test_joints_that_move_alike_count_as_one():
    """Two of weight 0.3 move together, one of 0.4 elsewhere: the largest two would lose half of the first
    pair.
    """
    skin = one_vertex(0.4, 0.3, 0.3)
    poses = np.array(
        [
            [np.eye(4), translation(place, 0, 0), translation(0, 1, 0), translation(0, 1, 0)]
            for place in (1, 2, 5)
        ]
    )
    fitted = limited_by_least_squares(skin, np.zeros((1, 3)), poses, 2)
    weights = dict(zip(fitted.joints.tolist(), fitted.weights.tolist(), strict=True))
    assert len(weights) == 2
    assert weights.pop(1) == pytest.approx(0.4, abs=1e-4)
    assert list(weights.values()) == pytest.approx([0.6], abs=1e-4)


def test_a_pose_in_which_nothing_moves_keeps_the_largest():
    skin = one_vertex(0.1, 0.4, 0.2, 0.3)
    fitted = limited_by_least_squares(skin, np.zeros((1, 3)), np.tile(np.eye(4), (2, 5, 1, 1)), 2)
    assert fitted.joints.tolist() == [2, 4]
    assert fitted.weights == pytest.approx([4 / 7, 3 / 7])


def test_vertices_within_the_limit_stay_as_they_are():
    skin = Skin.from_entries(np.array([0, 0, 2]), np.array([1, 2, 1]), np.array([0.5, 1.5, 0.7]), 3)
    fitted = limited_by_least_squares(skin, np.zeros((3, 3)), np.tile(np.eye(4), (1, 3, 1, 1)), 4)
    whole = skin.normalised()
    assert np.array_equal(fitted.starts, whole.starts)
    assert np.array_equal(fitted.joints, whole.joints)
    assert np.array_equal(fitted.weights, whole.weights)


def test_a_limit_of_none_is_refused():
    with pytest.raises(InvalidArrayError, match="can't be limited to 0 influences"):
        limited_by_least_squares(one_vertex(1.0), np.zeros((1, 3)), np.eye(4)[None, None], 0)
