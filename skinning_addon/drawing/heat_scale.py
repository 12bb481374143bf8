"""The heat map's scale: the colour for each distance. Pure numpy; lib/heat_scale.glsl computes the same.

The scale is fixed, never fitted to the data shown: the same colour means the same distance in every picture.
Three thresholds and a top divide it into four bands (invisible, good, look, fail), each a quarter of the
ramp, so that a
tenth of a millimetre and five millimetres can be told apart in one picture.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..core.verdicts.verdict import FAIL, GOOD, INVISIBLE

_RAMP_HEX = (
    "00224e 002e6a 1a386f 32436d 434e6c 535a6d 61656f 6f7073 7d7c78 "
    "8c8878 9b9476 aba072 bcae6c cdbb63 dec958 f0d846 fee838"
)

RAMP = np.frombuffer(bytes.fromhex(_RAMP_HEX), dtype=np.uint8).reshape(-1, 3) / np.float32(255)
"""(17, 3) sRGB: cividis, designed so that people with and without colour vision deficiency see the same order
(Nuñez,
Anderton, Renslow, PLOS ONE 13, 2018)."""


@dataclass(frozen=True)
class HeatScale:
    """thresholds: three distances, ascending, above 0. top: the end of the ramp, above them.

    By default they are metres, for a figure of `verdict.HEIGHT_OF_THRESHOLDS`; `scaled` converts them.
    """

    thresholds: tuple[float, float, float] = (INVISIBLE, GOOD, FAIL)
    top: float = 0.01

    def __post_init__(self) -> None:
        limits = (0.0, *self.thresholds, self.top)
        if not all(lower < upper for lower, upper in pairwise(limits)):
            raise ValueError(f"thresholds and top must ascend from 0: {limits}")

    def scaled(self, factor: float) -> HeatScale:
        """Return the scale with all distances multiplied, for another height or unit."""
        first, second, third = (factor * threshold for threshold in self.thresholds)
        return HeatScale((first, second, third), factor * self.top)

    @property
    def limits(self) -> tuple[float, float, float, float]:
        """The upper ends of the four bands."""
        return (*self.thresholds, self.top)

    def place(self, distances: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return the places on the ramp, 0 to 1, of distances in the scale's unit."""
        return np.interp(distances, (0.0, *self.limits), np.linspace(0, 1, 5))

    def packed(self) -> NDArray[np.float32]:
        """Return the numbers as lib/heat_scale.glsl declares them: (18, 4) float32."""
        block = np.zeros((1 + len(RAMP), 4), dtype=np.float32)
        block[0] = self.limits
        block[1:, :3] = RAMP
        return block


def ramp_color(place: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return the sRGB colours (..., 3), 0 to 1, of places on the ramp."""
    stops = np.linspace(0, 1, len(RAMP))
    return np.stack([np.interp(place, stops, channel) for channel in RAMP.T], axis=-1)
