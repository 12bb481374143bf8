"""Percentiles, as numpy has them: of a few hundred numbers numpy's own take ten times as long to ask for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def percentile(values: NDArray[np.floating], percent: float) -> float:
    """Return what so many percent of `values` are at most, between the two nearest of them; 0 if there are
    none, NaN if any is.

    percent: 0 to 100.
    """
    count = values.size
    if not count:
        return 0.0
    place = (count - 1) * percent / 100
    below = int(place)
    above = min(below + 1, count - 1)
    # NaN is sorted to the end.
    parted = np.partition(values, sorted({below, above, count - 1}), axis=None)
    if np.isnan(parted[-1]):
        return float("nan")
    low, high = float(parted[below]), float(parted[above])
    # Infinity less infinity is no number.
    return low if low == high else low + (high - low) * (place - below)
