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
w_k^2 / G_kk, with G = H^-1 - H^-1 1 1' H^-1 / (1' H^-1 1): one inverse gives the price of every candidate, and
the inverse without candidate k is H^-1 - H^-1 e_k e_k' H^-1 / (H^-1)_kk: none is inverted again.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .weight_pairs import best_pairs
from .weight_problems import Marks, WeightProblems, Weights, diagonal

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

INVERSES_AT_ONCE = 400_000
"""How many numbers the inverses may have that candidates are left out of together, 3 MB: a processor's nearer
memory holds them."""

ROUNDED = 1e-8
"""What is left of an inverse after candidates were left out is taken for rounding, and inverted again, where a
value of its diagonal is less than this part of the largest before.
"""


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
    which takes longer; weights that are found again and again need only `SWAPS`.
    """
    influences = min(influences, allowed.shape[1])
    if influences == PAIRS:
        return best_pairs(costs, allowed, towards, pull)
    problem = WeightProblems(costs, towards, pull)
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


def _left_out(problem: WeightProblems, allowed: Marks, influences: int) -> tuple[Marks, Weights]:
    """Leave out candidates until none has a negative weight and no more are left than `influences`."""
    kept = allowed.copy()
    weights = np.zeros(kept.shape)
    for rows in problem.blocks(problem.size**2, INVERSES_AT_ONCE):
        some = problem.of(rows)
        kept[rows] = _few(some, allowed[rows], influences)
        # Rounding adds up while candidates are left out one after another.
        weights[rows], _ = some.minimum(some.inverse(kept[rows]), kept[rows])
    return kept, np.maximum(weights, 0.0)


def _few(problem: WeightProblems, allowed: Marks, influences: int) -> Marks:
    """Return which candidates are left, see `_left_out`."""
    kept = allowed.copy()
    rows = np.arange(len(kept))
    own, inverse = kept, problem.inverse(kept)
    largest = diagonal(inverse).max(axis=1)
    while True:
        found, price = problem.minimum(inverse, own)
        each = np.arange(len(rows))
        lowest = found.argmin(axis=1)
        negative = found[each, lowest] < NEGATIVE
        # The price is infinite for the only one that is kept, and argmin then takes the first: `many` is false.
        many = own.sum(axis=1) > influences
        out = price.argmin(axis=1)
        out[negative] = lowest[negative]
        goes_on = negative | many
        if not goes_on.any():
            return kept
        if not goes_on.all():
            problem = problem.of(np.flatnonzero(goes_on))
            rows, out = rows[goes_on], out[goes_on]
            inverse, largest = inverse[goes_on], largest[goes_on]
        kept[rows, out] = False
        own = kept[rows]
        _leave_out(inverse, out)
        rounded = np.where(own, diagonal(inverse), np.inf).min(axis=1) < ROUNDED * largest
        if rounded.any():
            inverse[rounded] = problem.of(np.flatnonzero(rounded)).inverse(own[rounded])
            largest[rounded] = diagonal(inverse[rounded]).max(axis=1)


def _leave_out(inverse: Weights, out: NDArray[np.intp]) -> None:
    """Make inverses those without a candidate of each problem, in place: its Schur complement."""
    each = np.arange(len(out))
    column = inverse[each, :, out]
    # It is above zero; rounding is seen to by who calls.
    divided = column / np.where(column[each, out] > 0, column[each, out], np.inf)[:, None]
    inverse -= column[:, :, None] * divided[:, None, :]
    inverse[each, :, out] = 0.0
    inverse[each, out, :] = 0.0


def _largest(values: Weights, allowed: Marks, count: int) -> Marks:
    """Mark the `count` allowed candidates of the largest values."""
    chosen = np.zeros(values.shape, dtype=np.bool_)
    np.put_along_axis(chosen, np.argsort(-values, axis=1, kind="stable")[:, :count], True, axis=1)
    return chosen & allowed


def _swap(problem: WeightProblems, allowed: Marks, weights: Weights, influences: int) -> None:
    """Try the candidate that promises most among those left out, `SWAPS` times for each problem, in place."""
    kept = weights > 0
    rows = np.arange(len(kept))
    for _ in range(SWAPS):
        some = problem.of(rows)
        slope = some.slope(weights[rows])
        # At the minimum, the kept ones all have the same slope; one below it would lower the cost.
        level = np.einsum("ni,ni->n", weights[rows], slope)
        promise = np.where(allowed[rows] & ~kept[rows], level[:, None] - slope, 0.0)
        promise = promise / np.sqrt(diagonal(some.form))
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


def _better(problem: WeightProblems, one: Weights, other: Weights) -> Weights:
    return np.where((problem.value(other) < problem.value(one))[:, None], other, one)


def _taken(problem: WeightProblems, allowed: Marks, influences: int) -> Weights:
    """Take the best candidate, then the one that helps most beside it, and so on."""
    weights = np.zeros(allowed.shape)
    for rows in problem.blocks(allowed.shape[1] * influences**2, VALUES_AT_ONCE):
        some = problem.of(rows)
        kept = np.full((len(rows), influences), -1, dtype=np.intp)
        best = np.full(len(rows), np.inf)
        for place in range(influences):
            found = some.best_at(kept, place, allowed[rows], best * (1 - HELPS))
            best = found.take(kept, best, weights, rows)
    return weights


def _exchange(problem: WeightProblems, allowed: Marks, weights: Weights, influences: int) -> None:
    """Exchange one candidate at a time for the one that saves most, in place."""
    for block in problem.blocks(allowed.shape[1] * influences**2, VALUES_AT_ONCE):
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
