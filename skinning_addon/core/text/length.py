"""Lengths as people read and write them: output in a readable or chosen unit, input in any unit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from .message import Message

METRES_PER_UNIT_NAME = {
    "um": 1e-6,
    "\N{MICRO SIGN}m": 1e-6,
    "\N{GREEK SMALL LETTER MU}m": 1e-6,
    "mm": 1e-3,
    "cm": 1e-2,
    "m": 1.0,
    "km": 1e3,
    "thou": 0.0254e-3,
    "in": 0.0254,
    "ft": 0.3048,
    "mi": 1609.344,
}
"""Keyboards type one of two micro signs, which look alike."""

NOISE = 1e-9
"""In metres; shorter lengths are just rounding."""

MOST_DECIMALS = 4
"""The most decimals of a length in a column."""


@dataclass(frozen=True)
class LengthStyle:
    """How lengths are written.

    unit: one of METRES_PER_UNIT_NAME; empty to pick the most readable metric unit.
    digits: significant digits.
    """

    unit: str = ""
    digits: int = 2

    def write(self, metres: float) -> str:
        """Write a length: '0.41 mm', '2.3 cm', '1.8 m'. Below a millionth of a millimetre it is noise: '0
        mm'.
        """
        if not math.isfinite(metres):
            return Message("not a number") if math.isnan(metres) else Message("infinite")
        size = abs(metres)
        if size < NOISE:
            return f"0 {self.unit or 'mm'}"
        unit = self.unit or best_unit(size, self.digits)
        return f"{_significant(metres / METRES_PER_UNIT_NAME[unit], self.digits)} {unit}"

    def write_together(self, metres: Sequence[float]) -> tuple[list[str], str]:
        """Write lengths that belong together, such as those of a vector, in one unit; return them and that
        unit.

        The largest decides the unit and the number of decimals, which is capped to fit a narrow column.
        """
        finite = [abs(one) for one in metres if math.isfinite(one)]
        largest = max(finite, default=0.0)
        if largest < NOISE:
            return ["0" if math.isfinite(one) else self.write(one) for one in metres], self.unit or "mm"
        unit = self.unit or best_unit(largest, self.digits)
        in_unit = METRES_PER_UNIT_NAME[unit]
        decimals = min(MOST_DECIMALS, _decimals(largest / in_unit, self.digits))
        # Tiny negative numbers round to -0.0; adding zero makes that 0.0.
        return [
            f"{round(one / in_unit, decimals) + 0.0:.{decimals}f}" if math.isfinite(one) else self.write(one)
            for one in metres
        ], unit


class Length(str):
    """A length as text, in the most readable metric unit, that can be rewritten in another `LengthStyle`."""

    metres: float
    digits: int

    def __new__(cls, metres: float, digits: int = 2) -> Self:
        length = super().__new__(cls, LengthStyle(digits=digits).write(metres))
        length.metres, length.digits = metres, digits
        return length

    def __reduce__(self) -> tuple[type[Length], tuple[float, int]]:
        return Length, (self.metres, self.digits)


def format_length(metres: float, digits: int = 2) -> str:
    """Write a length in the most readable metric unit; being a `Length`, the interface shows it in the user's
    unit.

    digits: significant digits.
    """
    if not math.isfinite(metres):
        return LengthStyle().write(metres)
    return Length(metres, digits)


def best_unit(size: float, digits: int) -> str:
    """Return the most readable metric unit for a length with this many digits. size: metres, not negative."""
    # Rounded first: 0.999 m is shown as 1 m, not 100 cm.
    rounded = float(f"{size:.{digits - 1}e}")
    limits = {"µm": 1e-5, "mm": 1e-2, "cm": 1.0, "m": 1e4}
    return next((unit for unit, limit in limits.items() if rounded < limit), "km")


def _significant(value: float, digits: int) -> str:
    text = f"{value:.{_decimals(value, digits)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _decimals(value: float, digits: int) -> int:
    return max(0, digits - 1 - math.floor(math.log10(abs(value))))
