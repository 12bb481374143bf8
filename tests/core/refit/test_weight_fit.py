"""Fitted weights: recovered where they are known, and never worse than what they are fitted to replace."""

from __future__ import annotations

import numpy as np
import pytest

from skinning_addon.core.refit.judging import (
    better_of,
    cut_to,
    distances,
    figures,
    figures_by_source,
    joined,
    needs_fit,
)
from skinning_addon.core.refit.wanted import Wanted
from skinning_addon.core.refit.weight_fit import Sides, fit_weights
from skinning_addon.core.text.errors import InvalidArrayError
from tests.core.refit.limb import blended, chain, dense, sparse, turns, wanted_of

COUNT, JOINTS = 40, 6


def rest_row(count: int = COUNT, seed: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(count, 3))


def random_weights(influences: int, seed: int = 4) -> np.ndarray:
    """(COUNT, 1 + JOINTS), `influences` of each row above zero."""
    random = np.random.default_rng(seed)
    weights = np.zeros((COUNT, 1 + JOINTS))
    for row in weights:
        joints = 1 + random.permutation(JOINTS)[:influences]
        row[joints] = random.dirichlet(np.full(influences, 3.0))
    return weights


def test_weights_that_made_the_positions_are_found_again():
    """Authored with other weights of the same joints; the positions were made with two of them each."""
    rest, true, finals = rest_row(), random_weights(2), turns(JOINTS)
    authored = np.where(np.arange(1 + JOINTS) > 0, 1 / JOINTS, 0.0) * np.ones((COUNT, 1))
    wanted = wanted_of(rest, blended(rest, true, finals), finals)
    fitted = fit_weights(wanted, sparse(authored), chain(COUNT), 2)
    assert dense(fitted, 1 + JOINTS) == pytest.approx(true, abs=1e-4)


def test_a_joint_that_only_a_neighbour_has_is_found():
    """The true joint is two edges away from where it has been authored."""
    rest, finals = rest_row(5), turns(2)
    authored = np.zeros((5, 3))
    authored[:, 1] = 1
    authored[4, 1:] = 0, 1
    true = authored.copy()
    true[2, 1:] = 0.25, 0.75
    fitted = fit_weights(wanted_of(rest, blended(rest, true, finals), finals), sparse(authored), chain(5), 4)
    assert dense(fitted, 3) == pytest.approx(true, abs=1e-4)


@pytest.mark.parametrize("influences", [1, 2, 4])
def test_fitted_weights_are_nearer_than_the_largest(influences):
    rest, true, finals = rest_row(), random_weights(6), turns(JOINTS)
    wanted = wanted_of(rest, blended(rest, true, finals), finals)
    authored = sparse(true)
    fitted = fit_weights(wanted, authored, chain(COUNT), influences)
    largest = authored.limited(influences).normalised()
    assert fitted.largest_count <= influences
    assert fitted.weight_sums == pytest.approx(1)
    mean = [np.square(distances(wanted, one)).mean(axis=1) for one in (fitted, largest)]
    # The pull towards authored weights counts as well.
    assert (mean[0] <= mean[1] * (1 + 1e-4)).all()
    assert mean[0].sum() < 0.99 * mean[1].sum()


def test_a_seam_stays_closed():
    """Two parts share a place and its motion, but not their weights: one was cut to a single joint."""
    rest, finals = rest_row(), turns(JOINTS)
    true = random_weights(3)
    rest[COUNT // 2 :] = rest[: COUNT // 2]
    true[COUNT // 2 :] = true[: COUNT // 2]
    authored = true.copy()
    authored[COUNT // 2 :] = np.eye(1 + JOINTS)[authored[COUNT // 2 :].argmax(axis=1)]
    edges = np.concatenate([chain(COUNT // 2), COUNT // 2 + chain(COUNT // 2)])
    wanted = wanted_of(rest, blended(rest, true, finals), finals)
    weights = dense(fit_weights(wanted, sparse(authored), edges, 2), 1 + JOINTS)
    assert np.array_equal(weights[: COUNT // 2], weights[COUNT // 2 :])


def test_lips_that_touch_at_rest_may_part():
    rest, finals = np.zeros((2, 3)), turns(2)
    rest = np.concatenate([rest, [[1.0, 0, 0]]])
    true = np.array([[0, 1.0, 0], [0, 0, 1.0], [0, 1.0, 0]])
    fitted = fit_weights(
        wanted_of(rest, blended(rest, true, finals), finals), sparse(true), np.array([[0, 2], [1, 2]]), 2
    )
    assert dense(fitted, 3) == pytest.approx(true, abs=1e-4)


def test_both_sides_of_a_symmetric_limb_get_mirrored_weights():
    """The motion is not symmetric, so fitted apart the sides would differ."""
    half = rest_row(10) + np.array([3.0, 0, 0])
    rest = np.concatenate([half, half * [-1, 1, 1]])
    random = np.random.default_rng(8)
    left = np.zeros((10, 5))
    left[:, 1:4] = random.dirichlet(np.ones(3), 10)
    mirrored_joints = np.array([0, 1, 4, 3, 2])
    authored = np.concatenate([left, left[:, mirrored_joints]])
    finals = turns(4)
    edges = np.concatenate([chain(10), 10 + chain(10)])
    wanted = wanted_of(rest, blended(rest, authored, finals), finals)
    apart = dense(fit_weights(wanted, sparse(authored), edges, 2), 5)
    together = dense(fit_weights(wanted, sparse(authored), edges, 2, sides=Sides(mirrored_joints)), 5)
    assert np.abs(apart[:10] - apart[10:][:, mirrored_joints]).max() > 0.01
    assert together[:10] == pytest.approx(together[10:][:, mirrored_joints], abs=1e-7)


def test_former_weights_come_back_where_unseen_frames_are_worse():
    """Distances of three vertices over two seen frames and an unseen one."""
    before = np.array([[3.0, 3, 3], [3, 3, 3], [9, 3, 3]], dtype=np.float32)
    after = np.array([[1.0, 1, 1], [1, 1, 4], [1, 1, 4]], dtype=np.float32)
    judged = better_of(before, after, np.array([False, False, True]), np.array([0, 0, 0]), 1.0)
    assert judged.returned.tolist() == [False, True, False]
    assert judged.worse.tolist() == [False, False, True], "nearer where it was furthest off"


def test_only_vertices_that_are_off_need_a_fit():
    rest, finals = rest_row(), turns(JOINTS)
    true = random_weights(4)
    wanted = wanted_of(rest, blended(rest, true, finals), finals)
    former = cut_to(sparse(true), 4)
    assert not needs_fit(wanted, distances(wanted, former)).any()
    assert former.weights.tobytes() == sparse(true).weights.tobytes(), "nothing was cut, nothing changes"
    off = needs_fit(wanted, distances(wanted, cut_to(sparse(true), 3)))
    assert off.all()
    only = np.arange(COUNT) % 2 == 0
    fitted = fit_weights(wanted, sparse(true), chain(COUNT), 3, only=only)
    both = joined(fitted, former, ~only)
    assert (fitted.counts[~only] == 0).all()
    assert dense(both, 1 + JOINTS)[~only] == pytest.approx(true[~only])


def test_figures_are_those_of_the_distances():
    rest, finals = np.zeros((1000, 3)), np.tile(np.eye(4), (2, 1, 1, 1))
    positions = np.zeros((2, 1000, 3))
    positions[1, 0] = 3, 4, 0
    wanted = Wanted(rest, positions.astype(np.float32), finals, np.array([0, 1]), ("still", "moved"))
    found = distances(wanted, sparse(np.ones((1000, 1))))
    assert figures(found).largest == pytest.approx(5)
    assert figures(found).root_mean_square == pytest.approx(np.sqrt(25 / 2000))
    assert figures_by_source(wanted, found)["still"].largest == 0


def test_a_fit_can_be_stopped():
    rest, finals = rest_row(), turns(JOINTS)

    def stop(fraction: float) -> None:
        assert 0 < fraction <= 1
        raise KeyboardInterrupt

    true = random_weights(3)
    wanted = wanted_of(rest, blended(rest, true, finals), finals)
    with pytest.raises(KeyboardInterrupt):
        fit_weights(wanted, sparse(true), chain(COUNT), 2, progress=stop)


def test_what_cannot_be_fitted_is_refused():
    rest, finals = rest_row(), turns(JOINTS)
    positions = blended(rest, random_weights(2), finals)
    with pytest.raises(InvalidArrayError, match="no frames"):
        wanted_of(rest, positions[:0], finals[:0])
    with pytest.raises(InvalidArrayError, match="same frames"):
        wanted_of(rest, positions, finals[:-1])
    positions[0, 0, 0] = np.nan
    with pytest.raises(InvalidArrayError, match="finite"):
        wanted_of(rest, positions, finals)
