"""The heat map's scale: the colour for each number. Pure numpy; lib/heat_scale.glsl computes the same.

The scale is fixed, never fitted to the data shown: the same colour means the same distance in every picture.
Limits divide it into bands that take equal parts of the ramp, so that a tenth of a millimetre and thirty
centimetres can be told apart in one picture.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..core.text.round_number import nearest_round_number
from ..core.verdicts.verdict import FAIL, GOOD, INVISIBLE

TWO_RANGES = (
    "3f74ad 5285b8 6695c1 7aa5c9 8fb5d2 a5c5da bdd5e2 d5e6ea "
    "ffe680 fcd452 f7bd3c f09f2f e67d22 d15b18 b13e12 8c250d 62110a"
)
"""For numbers with a threshold: blue below it, the brighter the nearer; from yellow to dark red beyond. Both
ranges keep their order, and differ from each other, for people with colour vision deficiency. The blue is
bright enough for shading to show."""

SEQUENCE = (
    "41619b 4f6a9a 5d7299 6b7a98 768198 828998 8d9097 989791 a39e89 "
    "afa782 bcb07a c8b971 d2c268 ddcb5e e8d553 f3df46 fee838"
)
"""For numbers without one: from blue to yellow, brighter throughout."""

STOPS = 17
MOST_LIMITS = 8
ROWS = 3 + STOPS
"""Rows of `HeatScale.packed`."""


@dataclass(frozen=True)
class HeatScale:
    """limits: the upper ends of the bands, ascending from 0, an even number of them, at most MOST_LIMITS.
    ramp: TWO_RANGES, whose threshold is the limit in the middle, or SEQUENCE.

    By default they are metres, for a figure of `verdict.HEIGHT_OF_THRESHOLDS`; `scaled` converts them.
    """

    limits: tuple[float, ...] = (INVISIBLE, GOOD, FAIL, 0.02, 0.1, 0.5)
    ramp: str = TWO_RANGES

    def __post_init__(self) -> None:
        if not all(lower < upper for lower, upper in pairwise((0.0, *self.limits))):
            raise ValueError(f"the limits must ascend from 0: {self.limits}")
        if len(self.limits) % 2 or not 2 <= len(self.limits) <= MOST_LIMITS:
            raise ValueError(f"an even number of limits up to {MOST_LIMITS} is needed: {self.limits}")

    @staticmethod
    @lru_cache(maxsize=16)
    def of_thresholds(invisible: float, good: float, fail: float, top: float) -> HeatScale:
        """Return the scale of deviations with these limits, and two more between `fail` and `top`: in equal
        ratios, at round numbers if possible.
        """
        ratio = (top / fail) ** (1 / 3)
        exact = fail * ratio, fail * ratio**2
        rounded = nearest_round_number(exact[0]), nearest_round_number(exact[1])
        between = rounded if fail < rounded[0] < rounded[1] < top else exact
        return HeatScale((invisible, good, fail, *between, top))

    @property
    def threshold(self) -> float:
        """The number from which on it is too much; in the middle of the ramp."""
        return self.limits[len(self.limits) // 2 - 1]

    @property
    def top(self) -> float:
        """The end of the ramp."""
        return self.limits[-1]

    @lru_cache(maxsize=64)  # noqa: B019 - what it keeps are a few numbers
    def scaled(self, factor: float) -> HeatScale:
        """Return the scale with all limits multiplied, for another height or unit."""
        return replace(self, limits=tuple(factor * limit for limit in self.limits))

    def place(self, numbers: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return the places on the ramp, 0 to 1, of numbers in the scale's unit."""
        return np.interp(numbers, (0.0, *self.limits), np.linspace(0, 1, len(self.limits) + 1))

    @lru_cache(maxsize=16)  # noqa: B019 - as above
    def packed(self) -> NDArray[np.float32]:
        """Return the numbers as lib/heat_scale.glsl declares them: (ROWS, 4) float32."""
        block = np.zeros((ROWS, 4), dtype=np.float32)
        count = len(self.limits)
        block[:2].reshape(-1)[:] = (*self.limits, *(self.top * (2.0 + np.arange(MOST_LIMITS - count))))
        block[2, :2] = count, 0.5 if self.ramp == TWO_RANGES else -1.0
        block[3:, :3] = ramp_stops(self.ramp)
        block.flags.writeable = False
        return block


def ramp_stops(ramp: str = TWO_RANGES) -> NDArray[np.float64]:
    """Return the (STOPS, 3) sRGB colours of a ramp, at equal distances."""
    return np.array([list(bytes.fromhex(color)) for color in ramp.split()]) / 255


def ramp_color(place: NDArray[np.floating], ramp: str = TWO_RANGES) -> NDArray[np.float64]:
    """Return the sRGB colours (..., 3), 0 to 1, of places on a ramp."""
    stops = np.linspace(0, 1, STOPS)
    return np.stack([np.interp(place, stops, channel) for channel in ramp_stops(ramp).T], axis=-1)
