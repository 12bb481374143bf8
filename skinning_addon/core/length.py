"""Lengths as people read and write them: a unit that reads well or that they chose on the way out, any on the way in."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from .deviation import EXACT_RELATIVE, Deviation
from .errors import UsageError
from .message import Message
from .words import brief

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
"""Keyboards differ in which of the two signs for micro they type; they look alike."""

TOLERANCE_DIGITS = 12
"""Digits of a tolerance that are shown: all that somebody typed, and none that conversion to metres added."""

NOISE = 1e-9
"""Metres, below which a length is nothing but rounding."""

MOST_DECIMALS = 4
"""Of lengths in columns."""


@dataclass(frozen=True)
class LengthStyle:
    """How lengths are written.

    unit: one of METRES_PER_UNIT_NAME; empty for the metric unit in which a length reads best.
    digits: significant digits.
    """

    unit: str = ""
    digits: int = 2

    def write(self, metres: float) -> str:
        """Write a length: '0.41 mm', '2.3 cm', '1.8 m'. Below a millionth of a millimetre it is noise: '0 mm'."""
        if not math.isfinite(metres):
            return Message("not a number") if math.isnan(metres) else Message("infinite")
        size = abs(metres)
        if size < NOISE:
            return f"0 {self.unit or 'mm'}"
        unit = self.unit or _best_unit(size, self.digits)
        return f"{_significant(metres / METRES_PER_UNIT_NAME[unit], self.digits)} {unit}"

    def write_together(self, metres: Sequence[float]) -> tuple[list[str], str]:
        """Write lengths that belong together, such as those of a vector, in one unit; return them and that unit.

        The largest decides on unit and decimals, of which there are no more than fit a narrow column.
        """
        finite = [abs(one) for one in metres if math.isfinite(one)]
        largest = max(finite, default=0.0)
        if largest < NOISE:
            return ["0" if math.isfinite(one) else self.write(one) for one in metres], self.unit or "mm"
        unit = self.unit or _best_unit(largest, self.digits)
        in_unit = METRES_PER_UNIT_NAME[unit]
        decimals = min(MOST_DECIMALS, _decimals(largest / in_unit, self.digits))
        # Adding zero turns what rounding makes of tiny negative numbers, -0.0, into 0.0.
        return [
            f"{round(one / in_unit, decimals) + 0.0:.{decimals}f}" if math.isfinite(one) else self.write(one)
            for one in metres
        ], unit


class Length(str):
    """A length in words, in the metric unit in which it reads best, that can be written in another `LengthStyle` too."""

    metres: float
    digits: int

    def __new__(cls, metres: float, digits: int = 2) -> Self:
        length = super().__new__(cls, LengthStyle(digits=digits).write(metres))
        length.metres, length.digits = metres, digits
        return length

    def __reduce__(self) -> tuple[type[Length], tuple[float, int]]:
        return Length, (self.metres, self.digits)


def format_length(metres: float, digits: int = 2) -> str:
    """Write a length in the metric unit in which it reads best; the interface writes it in the user's, being a `Length`.

    digits: significant digits.
    """
    if not math.isfinite(metres):
        return LengthStyle().write(metres)
    return Length(metres, digits)


def _best_unit(size: float, digits: int) -> str:
    # Rounded first: 0.999 m is shown as 1 m, and not as 100 cm.
    rounded = float(f"{size:.{digits - 1}e}")
    limits = {"µm": 1e-5, "mm": 1e-2, "cm": 1.0, "m": 1e4}
    return next((unit for unit, limit in limits.items() if rounded < limit), "km")


def _significant(value: float, digits: int) -> str:
    text = f"{value:.{_decimals(value, digits)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _decimals(value: float, digits: int) -> int:
    return max(0, digits - 1 - math.floor(math.log10(abs(value))))


@dataclass(frozen=True)
class Tolerance:
    """How far a result may lie from Blender's: in metres, or relative to the mesh's size and movement."""

    value: float
    relative: bool

    @classmethod
    def parse(cls, text: str) -> Tolerance:
        """Read '0.5mm', '2 cm', '1e-5' or '0.1%'; a number without unit is relative.

        Raises:
            UsageError: it is none of these, or not above 0.
        """
        match = re.fullmatch(
            r"\s*([-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?)\s*(%|[a-z\N{MICRO SIGN}\N{GREEK SMALL LETTER MU}]*)\s*",
            text,
        )
        unit = match[2] if match else ""
        try:
            value = float(match[1]) if match else math.nan
        except ValueError:
            value = math.nan
        # In metres, or as a share: what is above 0 before may be 0 or infinite afterwards.
        value *= {"": 1.0, "%": 0.01, **METRES_PER_UNIT_NAME}.get(unit, math.nan)
        if not 0 < value < math.inf:
            raise UsageError(
                "'{text}' is no tolerance; write a length (0.5mm, 2cm) or a share (1e-5, 0.1%) above 0.",
                text=brief(text),
            )
        return cls(value, relative=unit not in METRES_PER_UNIT_NAME)

    def allows(self, deviation: Deviation) -> bool:
        """Tell whether `deviation` stays within; NaN never does."""
        measured = deviation.relative if self.relative else deviation.metres(deviation.max)
        return measured <= self.value

    def __str__(self) -> str:
        """Write what was asked for: '1.25 mm', '1e-05'."""
        if self.relative:
            return f"{self.value:.{TOLERANCE_DIGITS}g}"
        unit = _best_unit(self.value, TOLERANCE_DIGITS)
        return f"{self.value / METRES_PER_UNIT_NAME[unit]:.{TOLERANCE_DIGITS}g} {unit}"


EXACT = Tolerance(EXACT_RELATIVE, relative=True)
"""The default where Blender itself is what we reproduce."""
