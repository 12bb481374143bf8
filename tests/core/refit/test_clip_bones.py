"""Clip bones: what a helper leaves in clips is found again, exactly where a translation, rotation and scale made it."""

from __future__ import annotations

import numpy as np
import pytest

from skinning_addon.core.refit.baked_motion import SkinnedTarget
from skinning_addon.core.refit.clip_bones import ClipBones, corrected
from tests.core.refit.limb import blended, sparse, turns, wanted_of

JOINTS, COUNT, HELPER = 3, 60, 3


@pytest.fixture
def rest() -> np.ndarray:
    return np.random.default_rng(5).normal(size=(COUNT, 3)) * (1.0, 2.0, 0.5)


@pytest.fixture
def weights() -> np.ndarray:
    """Weights (COUNT, 1 + JOINTS): each vertex follows the helper, the last joint, and one other."""
    random = np.random.default_rng(6)
    result = np.zeros((COUNT, 1 + JOINTS))
    result[:, HELPER] = random.uniform(0.4, 1.0, COUNT)
    result[np.arange(COUNT), random.choice((1, 2), COUNT)] = 1 - result[:, HELPER]
    return result


def nudged(driven: np.ndarray) -> np.ndarray:
    """Return finals with the helper moved on by a little turn and shift, the same in its own space at each frame."""
    angle = 0.05
    little = np.eye(4)
    little[:2, :2] = [[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]]
    little[3, :3] = (0.02, -0.01, 0.03)
    result = driven.copy()
    result[:, HELPER] = little @ driven[:, HELPER]
    return result


def found_for(rest: np.ndarray, weights: np.ndarray, driven: np.ndarray, real: np.ndarray) -> ClipBones:
    wanted = wanted_of(rest, blended(rest, weights, real), driven)
    return corrected([SkinnedTarget(wanted, sparse(weights), np.ones(COUNT))], driven, np.array([HELPER]))


SHEARED = np.array([[1.0, 0.2, 0.0, 0.0], [0.0, 0.8, 0.1, 0.0], [0.1, 0.0, 1.1, 0.0], [0.0, 0.0, 0.0, 1.0]])
"""A mean of matrices is sheared and shrinks."""


@pytest.mark.parametrize("blend", [np.eye(4), SHEARED], ids=["rigid", "sheared"])
def test_what_a_helper_lacks_is_found(rest: np.ndarray, weights: np.ndarray, blend: np.ndarray):
    driven = turns(JOINTS)
    driven[:, HELPER] = driven[:, HELPER] @ blend
    real = nudged(driven)
    found = found_for(rest, weights, driven, real)
    assert found.helpers.tolist() == [HELPER]
    without = np.abs(blended(rest, weights, driven) - blended(rest, weights, real)).max()
    played = driven.copy()
    played[:, HELPER] = found.finals[:, 0]
    left = np.abs(blended(rest, weights, played) - blended(rest, weights, real)).max()
    assert left < 0.02 * without


def test_channels_under_the_helper_are_what_the_bone_does(rest: np.ndarray, weights: np.ndarray):
    """The rule of Blender and engines, written out: a child's channels, its rest pose, then its parent's motion."""
    driven = turns(JOINTS)
    found = found_for(rest, weights, driven, nudged(driven))
    stands = found.rest_to_root[0]
    by_hand = np.linalg.inv(stands) @ found.channels.matrices()[:, 0] @ stands @ driven[:, HELPER]
    np.testing.assert_allclose(found.finals[:, 0], by_hand, atol=1e-9)
    axes = found.rest_to_root[0, :3, :3]
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-9)
    assert np.linalg.det(axes) == pytest.approx(1)


def test_a_helper_that_is_right_needs_nothing(rest: np.ndarray, weights: np.ndarray):
    driven = turns(JOINTS)
    found = found_for(rest, weights, driven, driven)
    np.testing.assert_allclose(found.finals[:, 0], driven[:, HELPER], atol=1e-5)
    np.testing.assert_allclose(found.channels.scales, 1, atol=1e-5)


def test_what_carries_too_little_gets_none(rest: np.ndarray, weights: np.ndarray):
    driven = turns(JOINTS)
    alone = np.zeros_like(weights)
    alone[:, 1] = 1.0
    alone[:3, HELPER], alone[:3, 1] = 0.5, 0.5
    found = found_for(rest, alone, driven, nudged(driven))
    assert found.helpers.size == 0
    assert found.finals.shape == (len(driven), 0, 4, 4)


def test_under_a_helper_that_is_scaled_to_zero_it_rests(rest: np.ndarray, weights: np.ndarray):
    driven = turns(JOINTS)
    driven[4, HELPER, :3, :3] = 0.0
    found = found_for(rest, weights, driven, nudged(turns(JOINTS)))
    assert np.isfinite(found.finals).all()
    np.testing.assert_allclose(found.channels.scales[4], 1)
    np.testing.assert_allclose(found.channels.translations[4], 0)
