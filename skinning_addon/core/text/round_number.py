"""Round numbers: 1, 2 and 5 times powers of ten."""

from __future__ import annotations

import math

STEPS = (1.0, 2.0, 5.0, 10.0)


def nearest_round_number(value: float) -> float:
    """Return the nearest of ..., 0.1, 0.2, 0.5, 1, 2, 5, ... to a number above 0, by ratio."""
    decade = 10.0 ** math.floor(math.log10(value))
    return min((step * decade for step in STEPS), key=lambda one: abs(math.log(one / value)))
