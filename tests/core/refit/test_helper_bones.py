"""Helper bones: the blends that made positions are found again, and lose as little as they must."""

from __future__ import annotations

import numpy as np
import pytest

from skinning_addon.core.refit.candidates import candidates
from skinning_addon.core.refit.helper_bones import Blends, hang, without_shear
from skinning_addon.core.refit.helper_search import find_blends
from skinning_addon.core.refit.mirroring import Twins, find_twins
from skinning_addon.core.refit.wanted import Wanted
from tests.core.refit.limb import blended, chain, sparse, turns, wanted_of

JOINTS, COUNT = 8, 60
MIRROR = np.diag([-1.0, 1.0, 1.0, 1.0])


def belly(seed: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """Weights (COUNT, 1 + JOINTS) of vertices that follow one blend of four joints and one more, and the blend."""
    random = np.random.default_rng(seed)
    blend = np.zeros(1 + JOINTS)
    blend[[1, 3, 4, 6]] = 0.4, 0.3, 0.2, 0.1
    part = random.uniform(0.4, 0.8, size=(COUNT, 1))
    weights = part * blend
    for row, left in zip(weights, 1 - part[:, 0], strict=True):
        row[random.choice([2, 5, 7, 8])] += left
    return weights, blend


def blends_of_one_side(
    wanted: Wanted, weights: np.ndarray, *, influences: int, most: int, off: np.ndarray | None = None
) -> Blends:
    """Return at most `most` blends for a mesh without symmetry. off: (COUNT,) float64 how far each vertex is off,
    all alike if left out.
    """
    nobody = np.empty(0, dtype=np.intp)
    return find_blends(
        wanted,
        candidates(sparse(weights), chain(COUNT)),
        np.ones(COUNT) if off is None else off,
        influences,
        most,
        twins=Twins(nobody, nobody),
        mirrored_joints=np.full(1 + JOINTS, -1),
    )


def test_a_blend_that_vertices_follow_is_found():
    rest = np.random.default_rng(3).normal(size=(COUNT, 3))
    weights, blend = belly()
    finals = turns(JOINTS)
    wanted = wanted_of(rest, blended(rest, weights, finals), finals)
    found = blends_of_one_side(wanted, weights, influences=2, most=1)
    assert found.shares == pytest.approx(blend[None], abs=1e-3)
    assert found.mirrored.tolist() == [0]


def test_helpers_of_both_sides_are_alike():
    """Joint j on one side is joint JOINTS + j on the other."""
    random = np.random.default_rng(3)
    rest = random.normal(size=(COUNT, 3)) + np.array([4.0, 0.0, 0.0])
    weights, _ = belly()
    finals = turns(JOINTS)
    both_finals = np.concatenate([finals, MIRROR @ finals[:, 1:] @ MIRROR], axis=1)
    both_rest = np.concatenate([rest, rest * (-1, 1, 1)])
    both_weights = np.zeros((2 * COUNT, 1 + 2 * JOINTS))
    both_weights[:COUNT, : 1 + JOINTS] = weights
    both_weights[COUNT:, 1 + JOINTS :] = weights[:, 1:]
    wanted = wanted_of(both_rest, blended(both_rest, both_weights, both_finals), both_finals)
    mirrored = np.concatenate([[0], JOINTS + 1 + np.arange(JOINTS), 1 + np.arange(JOINTS)])
    edges = np.concatenate([chain(COUNT), COUNT + chain(COUNT)])
    chosen = candidates(sparse(both_weights), edges)
    twins = find_twins(wanted.rest, wanted.size, chosen, mirrored)
    assert len(twins.one) == COUNT
    found = find_blends(wanted, chosen, np.ones(2 * COUNT), 3, 2, twins=twins, mirrored_joints=mirrored)
    assert found.mirrored.tolist() == [1, 0]
    assert found.shares[1] == pytest.approx(found.shares[0][mirrored])
    # The last of three would be half of a pair.
    found = find_blends(wanted, chosen, np.ones(2 * COUNT), 3, 1, twins=twins, mirrored_joints=mirrored)
    assert not len(found), "one alone would be half of a pair"
    found = find_blends(wanted, chosen, np.ones(2 * COUNT), 3, 3, twins=twins, mirrored_joints=mirrored)
    assert len(found) == 2


def test_a_helper_of_the_middle_stays_one_though_vertices_beside_it_would_pull_it_to_their_side():
    """It is its own mirror image, and would be two as soon as it is not."""
    random = np.random.default_rng(2)
    side, joints = 30, 4
    beside = random.normal(size=(side, 3)) + np.array([3.0, 0.0, 0.0])
    rest = np.concatenate([beside, beside * (-1, 1, 1), np.c_[np.zeros(side), random.normal(size=(side, 2))]])
    of_side = random.dirichlet(np.full(2 * joints, 1.5), side)
    common = random.dirichlet(np.full(joints, 1.5))
    of_side = 0.5 * of_side + 0.25 * np.r_[common, common]
    middle = random.dirichlet(np.full(joints, 1.5), side) / 2
    weights = np.zeros((3 * side, 1 + 2 * joints))
    weights[:side, 1:] = of_side
    weights[side : 2 * side, 1:] = np.concatenate([of_side[:, joints:], of_side[:, :joints]], axis=1)
    weights[2 * side :, 1:] = np.concatenate([middle, middle], axis=1)
    finals = turns(joints, seed=2)
    finals = np.concatenate([finals, MIRROR @ finals[:, 1:] @ MIRROR], axis=1)
    mirrored = np.concatenate([[0], joints + 1 + np.arange(joints), 1 + np.arange(joints)])
    wanted = wanted_of(rest, blended(rest, weights, finals), finals)
    chosen = candidates(sparse(weights), chain(len(rest)))
    twins = find_twins(wanted.rest, wanted.size, chosen, mirrored)
    found = find_blends(wanted, chosen, np.ones(len(rest)), 2, 4, twins=twins, mirrored_joints=mirrored)
    assert 1 <= len(found) <= 4
    assert found.shares[found.mirrored] == pytest.approx(found.shares[:, mirrored], abs=2e-3)


def test_no_more_than_four_joints_drive_a_helper():
    rest = np.random.default_rng(3).normal(size=(COUNT, 3))
    weights = np.random.default_rng(4).dirichlet(np.full(JOINTS, 2.0), COUNT)
    weights = np.c_[np.zeros(COUNT), weights]
    finals = turns(JOINTS)
    wanted = wanted_of(rest, blended(rest, weights, finals), finals)
    found = blends_of_one_side(wanted, weights, influences=2, most=5)
    assert 1 <= len(found) <= 5
    assert ((found.shares > 0).sum(axis=1) <= 4).all()
    assert found.shares.sum(axis=1) == pytest.approx(1)
    assert not found.shares[:, 0].any(), "what does not move can't drive"


def test_vertices_that_are_not_off_get_no_helpers():
    rest = np.random.default_rng(3).normal(size=(COUNT, 3))
    weights, _ = belly()
    finals = turns(JOINTS)
    found = blends_of_one_side(
        wanted_of(rest, blended(rest, weights, finals), finals),
        weights,
        influences=3,
        most=4,
        off=np.zeros(COUNT),
    )
    assert len(found) == 0


def test_at_rest_a_helper_is_at_rest():
    rest_to_root = turns(3, frames=1, seed=2)[0]
    still = np.tile(rest_to_root, (2, 1, 1, 1))
    shares = np.array([0, 0.5, 0.3, 0.2])
    unmoved = np.tile(np.eye(4), (2, 1, 1))
    hung = hang(shares, unmoved, np.array([1.0, 2.0, 3.0]), still, rest_to_root)
    assert hung.to_root == pytest.approx(np.tile(hung.rest_to_root, (2, 1, 1)))
    assert hung.channels.matrices() == pytest.approx(np.tile(np.eye(4), (2, 1, 1)))


def test_a_helper_without_shear_moves_as_the_mean():
    """Drivers that turn alike are only moved apart, and their mean is a translation between them."""
    random = np.random.default_rng(7)
    rest_to_root = turns(3, frames=1, seed=2)[0]
    finals = np.tile(np.eye(4), (5, 4, 1, 1))
    finals[:, 1:, 3, :3] = random.normal(size=(5, 3, 3))
    shares = np.array([0, 0.5, 0.3, 0.2])
    blends = Blends(shares[None], np.zeros(1, dtype=np.intp), np.zeros(1, dtype=np.bool_))
    moved = blends.finals(finals, rest_to_root)[:, 0]
    hung = hang(shares, moved, np.array([1.0, 2.0, 3.0]), rest_to_root @ finals, rest_to_root)
    assert hung.to_root == pytest.approx(hung.rest_to_root @ moved)


def test_shear_is_lost_but_not_volume_nor_the_y_axis():
    random = np.random.default_rng(1)
    matrices = np.tile(np.eye(4), (50, 1, 1))
    matrices[:, :3, :3] += 0.3 * random.normal(size=(50, 3, 3))
    found = without_shear(matrices)
    axes = found[:, :3, :3]
    products = axes @ axes.transpose(0, 2, 1)
    assert products[:, [0, 0, 1], [1, 2, 2]] == pytest.approx(0, abs=1e-12)
    assert axes[:, 1] == pytest.approx(matrices[:, 1, :3])
    assert np.linalg.det(axes) == pytest.approx(np.linalg.det(matrices[:, :3, :3]))
