"""The best few weights: not negative, adding up to one, at most so many of them not zero.

For many small problems at once: each has candidates 1..C, the costs of deviating (a quadratic form Q), and
weights towards which it is pulled, so that candidates that serve equally well don't take turns. We minimise

    w Q w + pull |w - towards|^2    with    sum(w) = 1,  w >= 0,  at most K of w not 0.

Without the last condition this is non-negative least squares. With it no quick way is exact; here candidates
are left out one by one, each time the one whose loss costs least, as in *Smooth Skinning Decomposition with
Rigid Bones* (Le and Deng, 2012), but by the exact cost of its loss; then one of those left out is tried in the
place of one that is kept, while that helps. The largest of the weights that it is pulled towards are tried,
too: the result is never worse than keeping those.

For the minimum w of a quadratic form H on a set of candidates with sum(w) = 1, forcing w_k to 0 costs exactly
w_k^2 / G_kk, with G = H^-1 - H^-1 1 1' H^-1 / (1' H^-1 1): one inverse gives the price of every candidate.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

NEGATIVE = -1e-9
"""Weights below this count as negative: a weight of zero comes out of an inverse with some rounding."""

SWAPS = 3
"""How often a candidate that was left out is tried in the place of another, for each problem."""

Weights = NDArray[np.float64]
Marks = NDArray[np.bool_]


def sparse_weights(
    costs: Weights, allowed: Marks, influences: int, *, towards: Weights, pull: Weights
) -> Weights:
    """Return the weights (n, C) float64 of n problems.

    costs: (n, C, C), symmetric and without negative eigenvalues. allowed: (n, C) the candidates to choose from,
    at least one for each problem. influences: how many of a problem's weights may be above zero, 1 or more.
    towards: (n, C). pull: (n,), in the unit of the costs, above 0.
    """
    problem = _Problems(costs, towards, pull)
    kept, weights = _left_out(problem, allowed, influences)
    _swap(problem, allowed, kept, weights, influences)
    others = _largest(np.where(allowed, towards, -1.0), allowed, influences)
    _, of_others = _left_out(problem, others, influences)
    better = problem.value(of_others) < problem.value(weights)
    return np.where(better[:, None], of_others, weights)


def cost_of(costs: Weights, weights: Weights) -> Weights:
    """Return w Q w of every problem, (n,)."""
    return np.einsum("ni,nij,nj->n", weights, costs, weights, optimize=True)


class _Problems:
    """n problems: H = Q + pull, and the linear term."""

    def __init__(self, costs: Weights, towards: Weights, pull: Weights) -> None:
        self.form = costs + pull[:, None, None] * np.eye(costs.shape[1])
        self.linear = pull[:, None] * towards
        self.size = costs.shape[1]

    def of(self, rows: NDArray[np.intp]) -> _Problems:
        """Return some of the problems."""
        chosen = object.__new__(_Problems)
        chosen.form, chosen.linear, chosen.size = self.form[rows], self.linear[rows], self.size
        return chosen

    def value(self, weights: Weights) -> Weights:
        """Return what is minimised, but for a constant, (n,)."""
        return cost_of(self.form, weights) - 2 * np.einsum("ni,ni->n", self.linear, weights)

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


def _swap(problem: _Problems, allowed: Marks, kept: Marks, weights: Weights, influences: int) -> None:
    """Try the candidate that promises most among those left out, `SWAPS` times for each problem."""
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
