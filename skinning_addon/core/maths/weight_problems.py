"""Many small problems of weights that add up to one, and what their quadratic forms say of sets of candidates.

`sparse_weights` chooses the sets.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

BLENDED = 1e-12
"""A candidate that others don't blend leaves at least this part of what it costs; less is rounding."""

LEAST_ROOM = 1e-200
"""What a price is divided by at least, so that it stays finite."""

Weights = NDArray[np.float64]
Marks = NDArray[np.bool_]


def cost_of(costs: Weights, weights: Weights) -> Weights:
    """Return w Q w of every problem, (n,)."""
    return np.einsum("ni,nij,nj->n", weights, costs, weights, optimize=True)


def diagonal(matrices: Weights) -> Weights:
    """Return the diagonals (n, C) of matrices (n, C, C), a view."""
    return np.einsum("nii->ni", matrices)


class WeightProblems:
    """n problems: H = Q + pull, and the linear term."""

    def __init__(self, costs: Weights, towards: Weights, pull: Weights) -> None:
        self.form = costs + pull[:, None, None] * np.eye(costs.shape[1])
        self.linear = pull[:, None] * towards
        self.size: int = costs.shape[1]
        self.constant = pull * np.einsum("ni,ni->n", towards, towards)

    def blocks(self, numbers_each: int, at_once: int) -> Iterator[NDArray[np.intp]]:
        """Yield the problems in blocks that need so many numbers together, `numbers_each` for each."""
        step = max(1, at_once // numbers_each)
        for start in range(0, len(self.form), step):
            yield np.arange(start, min(start + step, len(self.form)))

    def of(self, rows: NDArray[np.intp]) -> WeightProblems:
        """Return some of the problems."""
        chosen = object.__new__(WeightProblems)
        chosen.form, chosen.linear, chosen.size = self.form[rows], self.linear[rows], self.size
        chosen.constant = self.constant[rows]
        return chosen

    def value(self, weights: Weights) -> Weights:
        """Return what is minimised, (n,)."""
        return cost_of(self.form, weights) - 2 * np.einsum("ni,ni->n", self.linear, weights) + self.constant

    def slope(self, weights: Weights) -> Weights:
        """Return half of its gradient, (n, C)."""
        return np.einsum("nij,nj->ni", self.form, weights) - self.linear

    def inverse(self, kept: Marks) -> Weights:
        """Return the inverse (n, C, C) of H on the kept candidates, 0 elsewhere."""
        most = int(kept.sum(axis=1).max(initial=0))
        which = np.argsort(~kept, axis=1, kind="stable")[:, :most]
        inverse = np.zeros_like(self.form)
        rows = np.arange(len(kept))[:, None, None]
        inverse[rows, which[:, :, None], which[:, None, :]] = self._inverse_on(
            which, np.take_along_axis(kept, which, axis=1)
        )
        return inverse

    def _inverse_on(self, which: NDArray[np.intp], there: Marks) -> Weights:
        """Return the inverse (n, K, K) of H on some candidates (n, K), 0 for those that are not there."""
        both = there[:, :, None] & there[:, None, :]
        form = self.form[np.arange(len(which))[:, None, None], which[:, :, None], which[:, None, :]]
        # What is not there is decoupled from the others.
        alone = diagonal(self.form).max(axis=1)[:, None, None] * np.eye(which.shape[1])
        return np.where(both, np.linalg.inv(np.where(both, form, alone)), 0.0)

    def minimum(self, inverse: Weights, kept: Marks) -> tuple[Weights, Weights]:
        """Return the weights of the kept candidates that add up to one, any sign, and the price (n, C) of
        leaving each of them out; infinite for those that are not kept. inverse: of `inverse`.
        """
        # The inverse is 0 where a candidate is not kept.
        both = inverse @ np.stack((self.linear, np.ones_like(self.linear)), axis=2)
        free, ones = both[..., 0], both[..., 1]
        total = ones.sum(axis=1)
        weights = free + ones * ((1 - free.sum(axis=1)) / total)[:, None]
        room = diagonal(inverse) - ones * (ones / total[:, None])
        # Rounding may leave no room where candidates move alike.
        return weights, np.where(kept, weights**2 / np.maximum(room, LEAST_ROOM), np.inf)

    def best_at(self, kept: NDArray[np.intp], place: int, allowed: Marks, below: Weights) -> Found:
        """Put the best candidate at a place (0 to K - 1) of the sets kept (n, K), -1 for none. It helps if the
        set then costs less than `below` (n,) and none of its weights is negative.
        """
        rows = np.arange(len(kept))
        elsewhere = [one for one in range(kept.shape[1]) if one != place]
        others = kept[:, elsewhere]
        of_others, own, costs = self._beside(others)
        costs = np.where(allowed & (own >= 0) & (of_others >= 0).all(axis=1), costs, np.inf)
        best = costs.argmin(axis=1)
        sets, weights = kept.copy(), np.empty(kept.shape)
        sets[:, place], weights[:, place] = best, own[rows, best]
        weights[:, elsewhere] = of_others[rows, :, best]
        lowest = costs[rows, best]
        return Found(sets, weights, lowest, lowest < below)

    def _beside(self, others: NDArray[np.intp]) -> tuple[Weights, Weights, Weights]:
        """Return the best weights, of any sign, of sets of candidates (n, K) and one more, each in turn:
        those of the set (n, K, C), that of the one (n, C), and what they cost (n, C), infinite if it is in the
        set already. -1 is none: its weight is 0.
        """
        there = others >= 0
        rows = np.arange(len(others))[:, None]
        between = np.where(there[..., None], self.form[rows, others], 0.0)
        inverse = self._inverse_on(others, there)
        # H^-1 with one more row, by blocks. What the others blend already, but for rounding, is no choice.
        reach = inverse @ between
        own_form = diagonal(self.form)
        room = own_form - np.einsum("nkc,nkc->nc", between, reach)
        other = room > BLENDED * own_form
        room = np.where(other, room, np.inf)
        linear = np.where(there, self.linear[rows, others], 0.0)
        free = (self.linear - (linear[:, None] @ reach)[:, 0]) / room
        ones = (1 - reach.sum(axis=1)) / room
        free_others = np.einsum("nkj,nj->nk", inverse, linear)[..., None] - reach * free[:, None]
        ones_others = inverse.sum(axis=2)[..., None] - reach * ones[:, None]
        # H w = linear + level at the minimum.
        total = ones + ones_others.sum(axis=1)
        level = (1 - free - free_others.sum(axis=1)) / np.where(other, total, 1.0)
        own = free + ones * level
        weights = free_others + ones_others * level[:, None]
        costs = level - self.linear * own - (linear[:, None] @ weights)[:, 0] + self.constant[:, None]
        return weights, own, np.where(other, costs, np.inf)


@dataclass(frozen=True, eq=False)
class Found:
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
