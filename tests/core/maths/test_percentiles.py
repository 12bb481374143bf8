"""Percentiles against numpy's."""

from __future__ import annotations

import math

import numpy as np
import pytest

from skinning_addon.core.maths.percentiles import percentile


@pytest.mark.parametrize("count", [1, 2, 3, 99, 100, 101, 5000])
@pytest.mark.parametrize("percent", [0, 37.5, 50, 99, 99.9, 100])
def test_percentiles_are_numpys(count: int, percent: float):
    values = np.random.default_rng(count).exponential(size=count)
    assert percentile(values, percent) == pytest.approx(np.percentile(values, percent), rel=1e-12)


def test_numbers_that_are_not_finite_count_as_numpy_counts_them():
    assert math.isnan(percentile(np.array([1.0, math.nan, 2.0]), 10))
    assert percentile(np.array([1.0, 2.0, math.inf, math.inf]), 99) == math.inf
    assert percentile(np.array([1.0, 2.0, math.inf, math.inf]), 25) == 1.75


def test_nothing_has_a_percentile_of_zero():
    assert percentile(np.empty(0), 99) == 0.0
