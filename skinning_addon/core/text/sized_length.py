"""Deviations beside the size of their character, where either is so unusual that a unit may be wrong."""

from __future__ import annotations

from .length import format_length
from .message import Message

LARGE_SHARE = 0.25
"""Of a character's height: skinning that is just wrong stays below it, a wrong unit or scale does not."""

USUAL_HEIGHTS = (0.1, 10.0)
"""In metres; characters outside of that are often meant to be in centimetres or inches."""


def sized_length(metres: float, height: float) -> str:
    """Write a deviation: '4.1 mm', but '71 m on a character 1.8 m tall'.

    height: of the character, in metres; 0 if it is not known.
    """
    length = format_length(metres)
    least, most = USUAL_HEIGHTS
    if height <= 0 or (least <= height <= most and metres < LARGE_SHARE * height):
        return length
    return Message("{distance} on a character {height} tall", distance=length, height=format_length(height))
