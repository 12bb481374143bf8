"""The best two weights: every pair of candidates is tried, so none is better. See `sparse_weights`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

VALUES_AT_ONCE = 250_000
"""How many pairs are tried at once."""


def best_pairs(
    costs: NDArray[np.float64],
    allowed: NDArray[np.bool_],
    towards: NDArray[np.float64],
    pull: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the weights (n, C) float64 of n problems, at most two of each above zero, adding up to one.

    costs (n, C, C), allowed (n, C), towards (n, C), pull (n,): see `sparse_weights`.
    """
    count = allowed.shape[1]
    weights = np.zeros(allowed.shape)
    if count == 1:
        weights[:] = 1.0
        return weights
    one, other = np.triu_indices(count, 1)
    step = max(1, VALUES_AT_ONCE // len(one))
    for start in range(0, len(weights), step):
        rows = slice(start, start + step)
        both = allowed[rows][:, one] & allowed[rows][:, other]
        share, value = _best_shares(costs[rows], towards[rows], pull[rows, None], one, other)
        best = np.where(both, value, np.inf).argmin(axis=1)
        each = np.arange(len(best))
        found = weights[rows]
        found[each, one[best]] = share[each, best]
        found[each, other[best]] = 1 - share[each, best]
        alone = ~both.any(axis=1)
        found[alone] = allowed[rows][alone]
    return weights


def _best_shares(
    costs: NDArray[np.float64],
    towards: NDArray[np.float64],
    pull: NDArray[np.float64],
    one: NDArray[np.intp],
    other: NDArray[np.intp],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the best weight of the first of each pair (n, P), and what is then minimised (n, P), less what all
    pairs of a problem have in common.
    """
    own = np.einsum("nii->ni", costs)
    first, second, mixed = own[:, one], own[:, other], costs[:, one, other]
    to_first, to_second = towards[:, one], towards[:, other]
    curve = np.maximum(first + second - 2 * mixed, 0.0) + 2 * pull
    share = np.clip((second - mixed + pull * (to_first + 1 - to_second)) / curve, 0.0, 1.0)
    left = 1 - share
    deviating = share**2 * first + 2 * share * left * mixed + left**2 * second
    pulled = share * (share - 2 * to_first) + left * (left - 2 * to_second)
    return share, deviating + pull * pulled
