"""The classes of influence counts: what an engine takes in blue, what is beyond its limit in warm colours."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..core.text.message import Message

NONE_HEX = "d81b60"
"""sRGB, of vertices that no bone moves: magenta, on its own."""

WITHIN_HEX = ("1b3a5c", "2f6690", "4f97bd", "8fc4dc")
BEYOND_HEX = ("f3e26b", "f2b134", "e57c23", "b8430f", "6b1d0a")
"""sRGB: within the limit from dark to light blue, beyond it from yellow to dark red. Neighbours differ in
lightness alone."""

MOST_WITHOUT_LIMIT = 8
"""Where there is no limit, higher counts are one class."""


@dataclass(frozen=True)
class CountClass:
    """Counts from `first` up to the next class's, in one colour. color: sRGB, 0 to 1."""

    first: int
    label: str
    color: tuple[float, float, float]


@lru_cache(maxsize=64)
def count_classes(limit: int | None) -> tuple[CountClass, ...]:
    """Return the classes for an engine that takes `limit` influences; None if it takes any number.

    Counts within the limit are at most four classes. Beyond it each has a class of its own up to the fourth.
    """
    most = limit or MOST_WITHOUT_LIMIT
    width = -(-most // len(WITHIN_HEX))
    starts = range(1, most + 1, width)
    hexes = [WITHIN_HEX[round(place)] for place in np.linspace(0, len(WITHIN_HEX) - 1, len(starts))]
    classes = [_class(0, "0", NONE_HEX)]
    for first, color in zip(starts, hexes, strict=True):
        last = min(first + width - 1, most)
        counts = f"{first}" if last == first else f"{first}\N{EN DASH}{last}"
        if last == most:
            counts = f"\N{GREATER-THAN OR EQUAL TO} {first}" if limit is None else _limit(counts)
        classes.append(_class(first, counts, color))
    if limit is None:
        return tuple(classes)
    for number, color in enumerate(BEYOND_HEX, 1):
        label = f"{most + number}" if number < len(BEYOND_HEX) else f"> {most + number - 1}"
        classes.append(_class(most + number, label, color))
    return tuple(classes)


def class_colors(counts: NDArray[np.integer], limit: int | None) -> NDArray[np.float64]:
    """Return the sRGB colours (V, 3) of influence counts (V,)."""
    classes = count_classes(limit)
    which = np.searchsorted([one.first for one in classes], counts, side="right") - 1
    return np.array([one.color for one in classes])[which]


def _limit(counts: str) -> str:
    return Message("{counts} (limit)", counts=counts)


def _class(first: int, label: str, color: str) -> CountClass:
    red, green, blue = bytes.fromhex(color)
    return CountClass(first, label, (red / 255, green / 255, blue / 255))
