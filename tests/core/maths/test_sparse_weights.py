"""The best few weights, against every possible choice tried in turn."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from skinning_addon.core.maths.sparse_weights import sparse_weights
from skinning_addon.core.maths.weight_problems import cost_of

CANDIDATES, PROBLEMS = 7, 60
PULL = 1e-3


def problems(seed: int):
    """Forms of candidates that move alike in part, as bones of a body do."""
    random = np.random.default_rng(seed)
    shared = random.normal(size=(PROBLEMS, 3, 40))
    mix = random.normal(size=(PROBLEMS, CANDIDATES, 3))
    moved = mix @ shared + 0.2 * random.normal(size=(PROBLEMS, CANDIDATES, 40))
    towards = random.dirichlet(np.full(CANDIDATES, 0.5), PROBLEMS)
    wanted = np.einsum("nc,ncf->nf", towards, moved) + 0.3 * random.normal(size=(PROBLEMS, 40))
    off = moved - wanted[:, None]
    return off @ off.transpose(0, 2, 1), towards


def value(form, towards, weights):
    return weights @ form @ weights + PULL * ((weights - towards) ** 2).sum()


def best_by_trying(form, towards, influences):
    """The least value over all sets of candidates; the minimum lies on one of them with no negative weight."""
    least = np.inf
    for size in range(1, influences + 1):
        for chosen in map(list, combinations(range(len(form)), size)):
            system = np.zeros((size + 1, size + 1))
            system[:size, :size] = 2 * (form[np.ix_(chosen, chosen)] + PULL * np.eye(size))
            system[:size, size] = system[size, :size] = 1
            weights = np.zeros(len(form))
            weights[chosen] = np.linalg.solve(system, np.append(2 * PULL * towards[chosen], 1))[:size]
            if (weights >= 0).all():
                least = min(least, value(form, towards, weights))
    return least


@pytest.mark.parametrize(("influences", "best_of_all"), [(1, 1.0), (2, 1.0), (4, 0.9), (CANDIDATES, 1.0)])
def test_no_other_choice_is_much_better(influences, best_of_all):
    """best_of_all: how many of the results are the best there is."""
    forms, towards = problems(influences)
    allowed = np.ones(towards.shape, dtype=bool)
    pull = np.full(PROBLEMS, PULL)
    found = sparse_weights(forms, allowed, influences, towards=towards, pull=pull)
    assert found.min() >= 0
    assert found.sum(axis=1) == pytest.approx(1)
    assert ((found > 0).sum(axis=1) <= influences).all()
    values = np.array([value(*each) for each in zip(forms, towards, found, strict=True)])
    least = np.array(
        [best_by_trying(form, each, influences) for form, each in zip(forms, towards, strict=True)]
    )
    ratio = values / least
    assert ratio.min() > 1 - 1e-9, "nothing can be better than the best"
    assert np.quantile(ratio, best_of_all) < 1 + 1e-6


@pytest.mark.parametrize("candidates", [1, 2, 3])
@pytest.mark.parametrize("influences", [2, 4, 8])
def test_fewer_candidates_than_influences_are_all_there_is_to_choose_from(candidates, influences):
    forms, towards = problems(7)
    forms, towards = forms[:, :candidates, :candidates], towards[:, :candidates]
    found = sparse_weights(
        forms,
        np.ones(towards.shape, dtype=bool),
        influences,
        towards=towards,
        pull=np.full(PROBLEMS, PULL),
    )
    assert found.sum(axis=1) == pytest.approx(1)
    for form, each, weights in zip(forms, towards, found, strict=True):
        least = best_by_trying(form, each, min(influences, candidates))
        assert value(form, each, weights) == pytest.approx(least, rel=1e-6)


def test_candidates_that_are_blends_of_others_take_their_place():
    """Leaving one out costs nothing at first, since others can do the same; two of those can't."""
    random = np.random.default_rng(8)
    moved = random.normal(size=(PROBLEMS, CANDIDATES, 40))
    moved[:, 5], moved[:, 6] = moved[:, 0:2].mean(axis=1), moved[:, 2:5].mean(axis=1)
    wanted = 0.4 * moved[:, 5] + 0.6 * moved[:, 6]
    off = moved - wanted[:, None]
    found = sparse_weights(
        off @ off.transpose(0, 2, 1),
        np.ones((PROBLEMS, CANDIDATES), dtype=bool),
        2,
        towards=np.full((PROBLEMS, CANDIDATES), 1 / CANDIDATES),
        pull=np.full(PROBLEMS, 1e-9),
    )
    expected = np.zeros(CANDIDATES)
    expected[5:] = 0.4, 0.6
    assert np.abs(found - expected).max() < 1e-6


@pytest.mark.parametrize("influences", [1, 2, 4])
def test_the_largest_of_what_it_is_pulled_towards_are_never_better(influences):
    forms, towards = problems(9)
    found = sparse_weights(
        forms, np.ones(towards.shape, bool), influences, towards=towards, pull=np.full(PROBLEMS, PULL)
    )
    largest = np.where(towards >= np.sort(towards, axis=1)[:, [-influences]], towards, 0.0)
    largest /= largest.sum(axis=1, keepdims=True)
    for form, each, one, other in zip(forms, towards, found, largest, strict=True):
        assert value(form, each, one) <= value(form, each, other) * (1 + 1e-9)


def test_only_allowed_candidates_get_weight():
    forms, towards = problems(5)
    allowed = np.random.default_rng(6).random(towards.shape) < 0.4
    allowed[:, 0] = True
    found = sparse_weights(forms, allowed, 3, towards=towards, pull=np.full(PROBLEMS, PULL))
    assert not found[~allowed].any()
    assert found.sum(axis=1) == pytest.approx(1)


def test_candidates_that_move_alike_keep_what_they_are_pulled_towards():
    form = np.zeros((1, 2, 2))
    towards = np.array([[0.3, 0.7]])
    found = sparse_weights(form, np.ones((1, 2), bool), 2, towards=towards, pull=np.array([1e-6]))
    assert found[0] == pytest.approx([0.3, 0.7])


def test_the_cost_is_the_form_of_the_weights():
    form = np.array([[[2.0, 1.0], [1.0, 3.0]]])
    assert cost_of(form, np.array([[0.5, 0.5]])) == pytest.approx(0.25 * (2 + 1 + 1 + 3))
