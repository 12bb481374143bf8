"""Fewer joints for a palette, on limbs of which it is known which joints move alike."""

from __future__ import annotations

import numpy as np
import pytest

from skinning_addon.core.refit.fewer_joints import used_joints, with_fewer_joints
from skinning_addon.core.refit.wanted import Wanted
from tests.core.refit.limb import blended, dense, sparse, turns, wanted_of

JOINTS = 8
VERTICES = 40


def limb(joints: int = JOINTS, seed: int = 4) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """rest (V, 3), weights (V, 1 + J) of all joints, finals (F, 1 + J, 4, 4)."""
    random = np.random.default_rng(seed)
    weights = np.zeros((VERTICES, 1 + joints))
    weights[:, 1:] = random.dirichlet(np.full(joints, 0.3), VERTICES)
    return random.normal(size=(VERTICES, 3)), weights, turns(joints)


def wanted(rest: np.ndarray, weights: np.ndarray, finals: np.ndarray) -> Wanted:
    return wanted_of(rest, blended(rest, weights, finals), finals)


def alone(joints: int = JOINTS) -> np.ndarray:
    """No joint has one on another side."""
    return np.full(1 + joints, -1)


def test_joints_that_move_alike_become_one_and_nothing_moves():
    rest, weights, finals = limb()
    finals[:, 5], finals[:, 7] = finals[:, 2], finals[:, 1]
    found = with_fewer_joints(sparse(weights), wanted(rest, weights, finals), 6, alone())
    assert len(used_joints(found)) == 6
    moved = blended(rest, dense(found, 1 + JOINTS), finals)
    assert moved == pytest.approx(blended(rest, weights, finals), abs=1e-5)
    assert found.weight_sums == pytest.approx(np.ones(VERTICES), abs=1e-6)


def test_the_joint_goes_that_is_missed_least():
    """Two joints move their vertices differently from all others, one of them hardly any vertex."""
    rest, weights, finals = limb()
    weights[:, 3] *= 1e-3
    weights /= weights.sum(axis=1, keepdims=True)
    found = with_fewer_joints(sparse(weights), wanted(rest, weights, finals), JOINTS - 1, alone())
    assert set(range(1, 1 + JOINTS)) - set(used_joints(found).tolist()) == {3}


def test_it_costs_what_brute_force_finds_cheapest():
    rest, weights, finals = limb(5)
    target = wanted(rest, weights, finals)
    right = blended(rest, weights, finals)
    tried: dict[tuple[int, int], float] = {}
    for one in range(1, 6):
        for other in set(range(1, 6)) - {one}:
            merged = weights.copy()
            merged[:, other] += merged[:, one]
            merged[:, one] = 0.0
            tried[one, other] = float(np.square(blended(rest, merged, finals) - right).sum())
    found = dense(with_fewer_joints(sparse(weights), target, 4, alone(5)), 6)
    reached = float(np.square(blended(rest, found, finals) - right).sum())
    assert reached == pytest.approx(min(tried.values()), rel=1e-4)


def test_both_sides_keep_the_same_joints():
    rest, weights, finals = limb()
    # 1 and 2 in the middle; 3, 5 and 7 on one side of 4, 6 and 8.
    mirrored = np.array([0, 1, 2, 4, 3, 6, 5, 8, 7])
    weights[:, 3] *= 0.05
    weights /= weights.sum(axis=1, keepdims=True)
    target = wanted(rest, weights, finals)
    for count in range(2, JOINTS):
        used = used_joints(with_fewer_joints(sparse(weights), target, count, mirrored))
        assert set(mirrored[used]) == set(used)
        assert count - 1 <= len(used) <= count


def test_one_joint_can_be_left_of_two_sides():
    rest, weights, finals = limb(2)
    found = with_fewer_joints(sparse(weights), wanted(rest, weights, finals), 1, np.array([0, 2, 1]))
    assert len(used_joints(found)) == 1
    assert found.weight_sums == pytest.approx(np.ones(VERTICES), abs=1e-6)


def test_a_skin_that_fits_stays_to_the_last_bit():
    rest, weights, finals = limb()
    skin = sparse(weights)
    assert with_fewer_joints(skin, wanted(rest, weights, finals), JOINTS, alone()) is skin
