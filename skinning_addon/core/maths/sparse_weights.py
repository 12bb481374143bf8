"""The best few weights: not negative, adding up to one, at most so many of them not zero.

For many small problems at once: each has candidates 1..C, the costs of deviating (a quadratic form Q), and
weights towards which it is pulled, so that candidates that serve equally well don't take turns. We minimise

    w Q w + pull |w - towards|^2    with    sum(w) = 1,  w >= 0,  at most K of w not 0.

Without the last condition this is non-negative least squares. With it no quick way is exact. Candidates are
left out one by one, each time the one whose loss costs least, as in *Smooth Skinning Decomposition with Rigid
Bones* (Le and Deng, 2012), but by the exact cost of its loss. That fails where one candidate is a blend of
others: it goes first, since its loss costs nothing. So candidates are also taken one by one, each time the one
that helps most. The largest of the weights that it is pulled towards are tried, too: the result is never worse
than keeping those. From the best of the three, each one is exchanged for the best other, until no exchange
helps; with more than `THOROUGH` influences, only the one that promises most. With two influences all pairs are
tried (`weight_pairs`), which is exact.

For the minimum w of a quadratic form H on a set of candidates with sum(w) = 1, forcing w_k to 0 costs exactly
w_k^2 / G_kk, with G = H^-1 - H^-1 1 1' H^-1 / (1' H^-1 1): one inverse gives the price of every candidate.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .weight_pairs import best_pairs

NEGATIVE = -1e-9
"""Weights below this count as negative: a weight of zero comes out of an inverse with some rounding."""

PAIRS = 2
"""With so many influences every choice is tried."""

THOROUGH = 4
"""Up to this many influences each exchange is tried; with 8 that takes ten times as long, and no vertex of a
Rigify human comes closer by 0.1 mm."""

SWAPS = 3
"""With more influences: how often a candidate that was left out is tried in the place of another."""

EXCHANGES = 12
"""How often at most a candidate is exchanged, for each problem: few need more than five."""

HELPS = 1e-6
"""The part of the costs that an exchange must save: less is rounding."""

VALUES_AT_ONCE = 4_000_000
"""How many numbers the sets that are tried may have together: 32 MB."""

Weights = NDArray[np.float64]
Marks = NDArray[np.bool_]


def sparse_weights(
    costs: Weights,
    allowed: Marks,
    influences: int,
    *,
    towards: Weights,
    pull: Weights,
    thorough: bool = True,
) -> Weights:
    """Return the weights (n, C) float64 of n problems.

    costs: (n, C, C), symmetric and without negative eigenvalues. allowed: (n, C) the candidates to choose from,
    at least one for each problem. influences: how many of a problem's weights may be above zero, 1 or more.
    towards: (n, C). pull: (n,), in the unit of the costs, above 0. thorough: whether all exchanges are tried,
    which takes three times as long; weights that are found again and again need only `SWAPS`.
    """
    if influences == PAIRS:
        return best_pairs(costs, allowed, towards, pull)
    problem = _Problems(costs, towards, pull)
    _, weights = _left_out(problem, allowed, influences)
    _, of_others = _left_out(
        problem, _largest(np.where(allowed, towards, -1.0), allowed, influences), influences
    )
    weights = _better(problem, weights, of_others)
    if thorough and influences <= THOROUGH:
        weights = _better(problem, weights, _taken(problem, allowed, influences))
        _exchange(problem, allowed, weights, influences)
    else:
        _swap(problem, allowed, weights, influences)
    return weights


def cost_of(costs: Weights, weights: Weights) -> Weights:
    """Return w Q w of every problem, (n,)."""
    return np.einsum("ni,nij,nj->n", weights, costs, weights, optimize=True)


class _Problems:
    """n problems: H = Q + pull, and the linear term."""

    def __init__(self, costs: Weights, towards: Weights, pull: Weights) -> None:
        self.form = costs + pull[:, None, None] * np.eye(costs.shape[1])
        self.linear = pull[:, None] * towards
        self.size: int = costs.shape[1]
        self.constant = pull * np.einsum("ni,ni->n", towards, towards)

    def blocks(self, numbers_each: int) -> Iterator[NDArray[np.intp]]:
        """Yield the problems in blocks, for each of which so many numbers are needed."""
        step = max(1, VALUES_AT_ONCE // numbers_each)
        for start in range(0, len(self.form), step):
            yield np.arange(start, min(start + step, len(self.form)))

    def of(self, rows: NDArray[np.intp]) -> _Problems:
        """Return some of the problems."""
        chosen = object.__new__(_Problems)
        chosen.form, chosen.linear, chosen.size = self.form[rows], self.linear[rows], self.size
        chosen.constant = self.constant[rows]
        return chosen

    def value(self, weights: Weights) -> Weights:
        """Return what is minimised, (n,)."""
        return cost_of(self.form, weights) - 2 * np.einsum("ni,ni->n", self.linear, weights) + self.constant

    def slope(self, weights: Weights) -> Weights:
        """Return half of its gradient, (n, C)."""
        return np.einsum("nij,nj->ni", self.form, weights) - self.linear

    def minimum(self, kept: Marks) -> tuple[Weights, Weights]:
        """Return the weights of the kept candidates that add up to one, any sign, and the price (n, C) of
        leaving each of them out; infinite for those that are not kept.
        """
        both = kept[:, :, None] & kept[:, None, :]
        # A candidate that is left out is decoupled from the others.
        scale = np.einsum("nii->ni", self.form).max(axis=1)
        alone = np.where(kept, 0.0, scale[:, None])
        inverse = np.linalg.inv(np.where(both, self.form, 0.0) + alone[:, :, None] * np.eye(self.size))
        inverse = np.where(both, inverse, 0.0)
        ones = inverse.sum(axis=2)
        free = np.einsum("nij,nj->ni", inverse, np.where(kept, self.linear, 0.0))
        total = ones.sum(axis=1)
        weights = free + ones * ((1 - free.sum(axis=1)) / total)[:, None]
        room = np.einsum("nii->ni", inverse) - ones * (ones / total[:, None])
        with np.errstate(divide="ignore", invalid="ignore"):
            price = np.where(kept & (room > 0), weights**2 / room, np.inf)
        return weights, price

    def best_at(self, kept: NDArray[np.intp], place: int, allowed: Marks, below: Weights) -> _Found:
        """Put the best candidate at a place (0 to K - 1) of the sets kept (n, K), -1 for none. It helps if the
        set then costs less than `below` (n,) and none of its weights is negative.
        """
        rows, each = np.arange(len(kept)), np.arange(self.size)
        others = kept[:, np.arange(kept.shape[1]) != place]
        free = allowed & ~(others[:, None, :] == each[:, None]).any(axis=2)
        sets = np.repeat(kept[:, None], self.size, axis=1)
        sets[:, :, place] = np.where(free, each, -1)
        weights, costs = self._of_sets(sets)
        costs = np.where(free & (weights >= 0).all(axis=2), costs, np.inf)
        best = costs.argmin(axis=1)
        lowest = costs[rows, best]
        return _Found(sets[rows, best], weights[rows, best], lowest, lowest < below)

    def _of_sets(self, sets: NDArray[np.intp]) -> tuple[Weights, Weights]:
        """Return the weights (n, c, K), of any sign, that are best on sets of candidates (n, c, K), and what
        they cost (n, c). -1 is none: its weight is 0.
        """
        rows = np.arange(len(sets))[:, None, None]
        there = sets >= 0
        linear = np.where(there, self.linear[rows, sets], 0.0)
        form = self.form[rows[..., None], sets[..., :, None], sets[..., None, :]]
        # What is none is decoupled from the others.
        alone = np.einsum("nii->ni", self.form).max(axis=1)[:, None, None, None] * np.eye(sets.shape[2])
        form = np.where(there[..., :, None] & there[..., None, :], form, alone)
        found = np.linalg.solve(form, np.stack((linear, there.astype(np.float64)), axis=-1))
        free, ones = found[..., 0], found[..., 1]
        total = ones.sum(axis=-1)
        # H w = linear + level at the minimum.
        level = (1 - free.sum(axis=-1)) / np.where(total > 0, total, 1.0)
        weights = free + ones * level[..., None]
        return weights, level - np.einsum("nck,nck->nc", linear, weights) + self.constant[:, None]


def _left_out(problem: _Problems, allowed: Marks, influences: int) -> tuple[Marks, Weights]:
    """Leave out candidates until none has a negative weight and no more are left than `influences`."""
    kept = allowed.copy()
    weights = np.zeros(kept.shape)
    rows = np.arange(len(kept))
    while len(rows):
        own = kept[rows]
        found, price = problem.of(rows).minimum(own)
        weights[rows] = found
        lowest = found.argmin(axis=1)
        negative = found[np.arange(len(rows)), lowest] < NEGATIVE
        # The price is infinite for the only one that is kept, and argmin then takes the first: `many` is false.
        many = own.sum(axis=1) > influences
        out = price.argmin(axis=1)
        out[negative] = lowest[negative]
        goes_on = negative | many
        kept[rows[goes_on], out[goes_on]] = False
        rows = rows[goes_on]
    return kept, np.maximum(weights, 0.0)


def _largest(values: Weights, allowed: Marks, count: int) -> Marks:
    """Mark the `count` allowed candidates of the largest values."""
    chosen = np.zeros(values.shape, dtype=np.bool_)
    np.put_along_axis(chosen, np.argsort(-values, axis=1, kind="stable")[:, :count], True, axis=1)
    return chosen & allowed


def _swap(problem: _Problems, allowed: Marks, weights: Weights, influences: int) -> None:
    """Try the candidate that promises most among those left out, `SWAPS` times for each problem, in place."""
    kept = weights > 0
    rows = np.arange(len(kept))
    for _ in range(SWAPS):
        some = problem.of(rows)
        slope = some.slope(weights[rows])
        # At the minimum, the kept ones all have the same slope; one below it would lower the cost.
        level = np.einsum("ni,ni->n", weights[rows], slope)
        promise = np.where(allowed[rows] & ~kept[rows], level[:, None] - slope, 0.0)
        promise = promise / np.sqrt(np.einsum("nii->ni", some.form))
        best = promise.argmax(axis=1)
        rows, best = (one[promise.max(axis=1) > 0] for one in (rows, best))
        if not len(rows):
            break
        trial = kept[rows]
        trial[np.arange(len(rows)), best] = True
        some = problem.of(rows)
        trial, found = _left_out(some, trial, influences)
        better = some.value(found) < some.value(weights[rows])
        rows = rows[better]
        kept[rows], weights[rows] = trial[better], found[better]


def _better(problem: _Problems, one: Weights, other: Weights) -> Weights:
    return np.where((problem.value(other) < problem.value(one))[:, None], other, one)


def _taken(problem: _Problems, allowed: Marks, influences: int) -> Weights:
    """Take the best candidate, then the one that helps most beside it, and so on."""
    weights = np.zeros(allowed.shape)
    for rows in problem.blocks(allowed.shape[1] * influences**2):
        some = problem.of(rows)
        kept = np.full((len(rows), influences), -1, dtype=np.intp)
        best = np.full(len(rows), np.inf)
        for place in range(influences):
            found = some.best_at(kept, place, allowed[rows], best * (1 - HELPS))
            best = found.take(kept, best, weights, rows)
    return weights


def _exchange(problem: _Problems, allowed: Marks, weights: Weights, influences: int) -> None:
    """Exchange one candidate at a time for the one that saves most, in place."""
    for block in problem.blocks(allowed.shape[1] * influences**2):
        rows = block
        for _ in range(EXCHANGES):
            some = problem.of(rows)
            best = some.value(weights[rows])
            kept = np.argsort(-weights[rows], axis=1, kind="stable")[:, :influences]
            kept = np.where(np.take_along_axis(weights[rows], kept, axis=1) > 0, kept, -1)
            former = best
            exchanged = kept.copy()
            for place in range(influences):
                found = some.best_at(kept, place, allowed[rows], best - HELPS * former)
                best = found.take(exchanged, best, weights, rows)
            rows = rows[best < former]
            if not len(rows):
                break


@dataclass(frozen=True, eq=False)
class _Found:
    """The best sets for each problem: kept (n, K), its weights (n, K) and what it costs (n,). helps: (n,)."""

    kept: NDArray[np.intp]
    weights: Weights
    costs: Weights
    helps: Marks

    def take(
        self, kept: NDArray[np.intp], best: Weights, weights: Weights, rows: NDArray[np.intp]
    ) -> Weights:
        """Write what helps into `kept` and the `rows` of `weights`, and return the lowest costs so far."""
        of, helps = rows[self.helps], self.helps
        kept[helps] = self.kept[helps]
        weights[of] = 0.0
        there = self.kept[helps] >= 0
        which, _ = np.nonzero(there)
        weights[of[which], self.kept[helps][there]] = self.weights[helps][there]
        return np.where(helps, self.costs, best)
