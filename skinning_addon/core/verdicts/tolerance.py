"""A tolerance on the difference from Blender's result: a length or a share, as users write it."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from ..skinning.deviation import EXACT_RELATIVE, Deviation
from ..text.errors import UsageError
from ..text.length import METRES_PER_UNIT_NAME, best_unit
from ..text.quoted import brief

TOLERANCE_DIGITS = 12
"""Digits shown of a tolerance: all that the user typed, and none added by the conversion to metres."""


@dataclass(frozen=True)
class Tolerance:
    """The allowed difference from Blender's result: in metres, or relative to the mesh's size and
    movement.
    """

    value: float
    relative: bool

    @classmethod
    def parse(cls, text: str) -> Tolerance:
        """Parse '0.5mm', '2 cm', '1e-5' or '0.1%'; a number without a unit is relative.

        Raises:
            UsageError: the text is not a length or a share, or not above 0.
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
        # In metres, or as a share: the conversion may turn a value above 0 into 0 or infinity.
        value *= {"": 1.0, "%": 0.01, **METRES_PER_UNIT_NAME}.get(unit, math.nan)
        if not 0 < value < math.inf:
            raise UsageError(
                "'{text}' is not a tolerance; write a length (0.5mm, 2cm) or a share (1e-5, 0.1%) above 0.",
                text=brief(text),
            )
        return cls(value, relative=unit not in METRES_PER_UNIT_NAME)

    def allows(self, deviation: Deviation) -> bool:
        """Tell whether `deviation` is within the tolerance; NaN never is."""
        measured = deviation.relative if self.relative else deviation.metres(deviation.max)
        return measured <= self.value

    def __str__(self) -> str:
        """Return the tolerance as text: '1.25 mm', '1e-05'."""
        if self.relative:
            return f"{self.value:.{TOLERANCE_DIGITS}g}"
        unit = best_unit(self.value, TOLERANCE_DIGITS)
        return f"{self.value / METRES_PER_UNIT_NAME[unit]:.{TOLERANCE_DIGITS}g} {unit}"


EXACT = Tolerance(EXACT_RELATIVE, relative=True)
"""The default when reproducing Blender itself."""
