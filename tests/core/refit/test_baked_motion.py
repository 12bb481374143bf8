"""The motion of free bones: that which made the positions is found again, and held bones keep theirs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from mathutils import Matrix

from skinning_addon.core.refit.baked_motion import SkinnedTarget, moved_freely, urgency
from skinning_addon.core.refit.free_bones import DriftLimit, FreeBones, axes_of_followers, free_joints
from tests.core.refit.limb import FRAMES, blended, sparse, turns, wanted_of

JOINTS, COUNT = 4, 80


@pytest.fixture
def rest() -> np.ndarray:
    return np.random.default_rng(3).normal(size=(COUNT, 3))


@pytest.fixture
def weights() -> np.ndarray:
    """Weights (COUNT, 1 + JOINTS): each vertex follows two joints, none the joint 0."""
    random = np.random.default_rng(4)
    result = np.zeros((COUNT, 1 + JOINTS))
    for row in result:
        one, other = random.choice(np.arange(1, 1 + JOINTS), 2, replace=False)
        row[one] = random.uniform(0.3, 0.7)
        row[other] = 1 - row[one]
    return result


def pushed(finals: np.ndarray, joint: int, scale: tuple[float, float, float] | None = None) -> np.ndarray:
    """Return finals with one joint turned a little, and moved, and scaled along the axes at rest if asked for."""
    turn, _ = np.linalg.qr(np.eye(3) + 0.1 * np.random.default_rng(7).normal(size=(3, 3)))
    further = np.eye(4)
    further[:3, :3], further[3, :3] = turn * np.sign(np.diag(turn)), (0.1, -0.2, 0.05)
    further[:3, :3] *= np.sign(np.linalg.det(further[:3, :3]))
    result = finals.copy()
    result[:, joint] = np.diag([*(scale or (1, 1, 1)), 1.0]) @ finals[:, joint] @ further
    return result


def free(finals: np.ndarray, joints: list[int], helpers: list[int]) -> FreeBones:
    count = len(joints)
    return FreeBones(
        np.array(joints),
        np.isin(joints, helpers),
        np.tile(np.eye(3), (count, 1, 1)),
        np.zeros((count, 3)),
        np.full(count, 1e-3),
        finals[:, joints],
    )


def off(rest: np.ndarray, weights: np.ndarray, one: np.ndarray, other: np.ndarray) -> float:
    return float(np.abs(blended(rest, weights, one) - blended(rest, weights, other)).max())


def test_a_helper_that_was_turned_moved_and_scaled_is_found(rest: np.ndarray, weights: np.ndarray):
    authored = turns(JOINTS)
    real = pushed(authored, 2, (1.1, 0.9, 1.2))
    target = SkinnedTarget(
        wanted_of(rest, blended(rest, weights, real), authored), sparse(weights), np.ones(COUNT)
    )
    found = moved_freely([target], authored, free(authored, [2], [2]))
    assert off(rest, weights, found, real) < 0.02 * off(rest, weights, authored, real)
    others = [0, 1, 3, 4]
    assert np.array_equal(found[:, others], authored[:, others])


def test_an_authored_bone_turns_and_moves_but_keeps_its_scale(rest: np.ndarray, weights: np.ndarray):
    """And comes only so far as what holds it lets it."""
    authored = turns(JOINTS)
    authored[:, 3] = np.diag([1.0, 0.8, 1.1, 1.0]) @ authored[:, 3]
    real = pushed(authored, 3)
    target = SkinnedTarget(
        wanted_of(rest, blended(rest, weights, real), authored), sparse(weights), np.ones(COUNT)
    )
    found = moved_freely([target], authored, free(authored, [3], []))
    assert 0.001 < off(rest, weights, found, real) / off(rest, weights, authored, real) < 0.1
    lengths = np.linalg.norm(found[:, 3, :3, :3], axis=2)
    assert lengths == pytest.approx(np.tile([1.0, 0.8, 1.1], (FRAMES, 1)), abs=1e-9)


@pytest.mark.parametrize(("distance", "degrees"), [(0.05, 180.0), (np.inf, 2.0), (0.02, 1.0), (0.0, 0.0)])
def test_an_authored_bone_goes_no_further_than_its_limit(
    rest: np.ndarray, weights: np.ndarray, distance: float, degrees: float
):
    """And a helper goes where it is wanted."""
    authored = turns(JOINTS)
    real = pushed(pushed(authored, 3), 2)
    target = SkinnedTarget(
        wanted_of(rest, blended(rest, weights, real), authored), sparse(weights), np.ones(COUNT)
    )
    limit = DriftLimit(distance, degrees)
    found = moved_freely([target], authored, replace(free(authored, [2, 3], [2]), limit=limit))
    away = np.linalg.norm((found - authored)[:, 3, 3, :3], axis=1)
    assert away.max() <= distance + 1e-12
    turned = [
        (Matrix(a.T).inverted() @ Matrix(b.T)).to_quaternion().angle for a, b in _linear(authored, found)
    ]
    assert np.degrees(max(turned)) <= degrees + 0.05
    assert np.linalg.norm((found - authored)[:, 2, 3, :3], axis=1).max() > 0.1
    assert off(rest, weights, found, real) <= off(rest, weights, authored, real)


def _linear(authored: np.ndarray, found: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    yield from zip(authored[:, 3, :3, :3], found[:, 3, :3, :3], strict=True)


def test_nothing_is_off_so_nothing_moves(rest: np.ndarray, weights: np.ndarray):
    authored = turns(JOINTS)
    wanted = wanted_of(rest, blended(rest, weights, authored), authored)
    found = moved_freely(
        [SkinnedTarget(wanted, sparse(weights), np.ones(COUNT))], authored, free(authored, [1, 2], [2])
    )
    assert found == pytest.approx(authored, abs=1e-4)


def test_two_meshes_that_follow_a_bone_are_moved_as_one(rest: np.ndarray, weights: np.ndarray):
    authored = turns(JOINTS)
    real = pushed(authored, 2)
    half = COUNT // 2
    parts = [(rest[:half], weights[:half]), (rest[half:], weights[half:])]
    targets = [
        SkinnedTarget(wanted_of(one, blended(one, own, real), authored), sparse(own), np.ones(half))
        for one, own in parts
    ]
    whole = SkinnedTarget(
        wanted_of(rest, blended(rest, weights, real), authored), sparse(weights), np.ones(COUNT)
    )
    bones = free(authored, [2], [2])
    apart, joined = (moved_freely(some, authored, bones) for some in (targets, [whole]))
    assert apart == pytest.approx(joined, abs=1e-4)


def test_what_is_furthest_off_counts_most_and_nothing_counts_less_than_one():
    found = urgency(np.array([[0.1, 0.2], [4.0, 1.0], [0.0, 0.0]], dtype=np.float32))
    assert found[0] == found[2] == 1.0
    assert found[1] > 1.5
    assert urgency(np.zeros((2, 3))).tolist() == [1.0, 1.0]


def test_only_bones_that_what_is_off_follows_are_free():
    skin = sparse(np.array([[0, 0.5, 0.5, 0, 0], [0, 0, 0, 1.0, 0], [0, 0, 0, 0, 1.0]]))
    held = np.array([True, False, True, False, False])
    found = free_joints([skin], [np.array([True, False, False])], held, np.array([False] * 4 + [True]))
    assert found.tolist() == [1, 4]


def test_the_axes_of_followers_begin_with_the_longest(rest: np.ndarray):
    along = rest * (0.1, 3.0, 1.0)
    weights = np.zeros((COUNT, 2))
    weights[:, 1] = 1.0
    axes = axes_of_followers([sparse(weights)], [along], 1)
    assert axes is not None
    assert np.abs(axes[0]) == pytest.approx((0, 1, 0), abs=0.05)
    assert np.linalg.det(axes) == pytest.approx(1.0)
    assert axes_of_followers([sparse(weights)], [along], 0) is None
