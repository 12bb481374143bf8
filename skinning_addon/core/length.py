"""Lengths as people read and write them: an automatic unit on the way out, any unit on the way in."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from .deviation import EXACT_RELATIVE, Deviation
from .errors import UsageError

METRES_PER_UNIT_NAME = {"um": 1e-6, "µm": 1e-6, "mm": 1e-3, "cm": 1e-2, "m": 1.0, "km": 1e3}


def format_length(metres: float, digits: int = 2) -> str:
    """Write a length with the unit in which it reads best: '0.41 mm', '2.3 cm', '1.8 m'.

    digits: significant digits. Lengths below a millionth of a millimetre read as '0 mm'; they are noise.
    """
    if not math.isfinite(metres):
        return "not a number" if math.isnan(metres) else "infinite"
    size = abs(metres)
    if size < 1e-9:
        return "0 mm"
    unit = "µm" if size < 1e-5 else "mm" if size < 1e-2 else "cm" if size < 1 else "m" if size < 1e4 else "km"
    return f"{_significant(metres / METRES_PER_UNIT_NAME[unit], digits)} {unit}"


def _significant(value: float, digits: int) -> str:
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    text = f"{value:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


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
        match = re.fullmatch(r"\s*([-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?)\s*(%|[a-zµ]*)\s*", text)
        unit = match[2] if match else ""
        try:
            value = float(match[1]) if match else math.nan
        except ValueError:
            value = math.nan
        known = unit in ("", "%") or unit in METRES_PER_UNIT_NAME
        if not (known and math.isfinite(value) and value > 0):
            raise UsageError(f"'{text}' is no tolerance; write a length (0.5mm, 2cm) or a share (1e-5, 0.1%) above 0.")
        if unit in METRES_PER_UNIT_NAME:
            return cls(value * METRES_PER_UNIT_NAME[unit], relative=False)
        return cls(value / 100 if unit == "%" else value, relative=True)

    def allows(self, deviation: Deviation) -> bool:
        """Tell whether `deviation` stays within; NaN never does."""
        measured = deviation.relative if self.relative else deviation.metres(deviation.max)
        return measured <= self.value

    def __str__(self) -> str:
        return f"{self.value:g}" if self.relative else format_length(self.value)


EXACT = Tolerance(EXACT_RELATIVE, relative=True)
"""The default where Blender itself is what we reproduce."""
