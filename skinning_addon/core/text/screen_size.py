"""A length's size on screen: how much of a deviation a player would see."""

from __future__ import annotations

import math
from dataclasses import dataclass

from .message import Message


@dataclass(frozen=True)
class Screen:
    """A camera looking at something.

    distance: from the camera, in any unit. field_of_view: vertical, radians. rows: pixels from top to bottom.
    """

    distance: float = 2.0
    field_of_view: float = math.radians(60)
    rows: int = 1080

    def pixels(self, length: float) -> float:
        """Return how many pixels a length at right angles to the view covers; `length` has the unit of
        `distance`.
        """
        visible = 2 * self.distance * math.tan(self.field_of_view / 2)
        return length * self.rows / visible


def format_pixels(pixels: float) -> str:
    """Write a number of pixels readably: '1.9 px', '0.04 px', '120 px'."""
    if not math.isfinite(pixels):
        return Message("not a number") if math.isnan(pixels) else Message("infinite")
    if abs(pixels) < 0.005:
        return "0 px"
    return f"{float(f'{pixels:.2g}'):g} px"
