"""Values that change over time in closed form: from one value to another, linearly or easing in and out.

Nothing is stepped. A ramp's value and integral are known at any time, so that results do not depend on how
often it is evaluated.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

SHORTEST = 1e-9
"""In seconds. Shorter transitions happen at once."""


class Transition(Enum):
    """The shape of a transition between values."""

    LINEAR = "linear"
    EASE = "ease"
    """In and out, x² (3 - 2x): at rest at both ends."""


@dataclass(eq=False)
class Ramps:
    """Many ramps, one per instance and track. Arrays of the same shape, modified in place.

    start: seconds. duration: seconds; 0 for a jump. begin, end: values. eases: bool, whether the ramp is
    eased.
    Before its start a ramp has the value `begin`, after its end `end`.
    """

    start: Array
    duration: Array
    begin: Array
    end: Array
    eases: NDArray[np.bool_]

    @classmethod
    def constant(cls, shape: tuple[int, ...], value: float) -> Ramps:
        """Make ramps that have always been at `value`."""
        return cls(
            np.zeros(shape),
            np.zeros(shape),
            np.full(shape, value),
            np.full(shape, value),
            np.zeros(shape, bool),
        )

    def at(self, index: Any) -> Ramps:
        """Select some; a copy if the index is an array."""
        return Ramps(*(getattr(self, one.name)[index] for one in fields(self)))

    def set(
        self, index: Any, time: float, value: float | Array, duration: float, transition: Transition
    ) -> None:
        """Make the ramps at `index` go to `value` from their values at `time`."""
        picked = self.at(index)
        self.begin[index] = picked.value(time)
        self.start[index] = time
        self.duration[index] = duration if duration >= SHORTEST else 0.0
        self.end[index] = value
        self.eases[index] = transition is Transition.EASE

    def earlier_by(self, seconds: float) -> None:
        """Shift all ramps back in time. Those that end before 0 become constant at their end value."""
        self.start -= seconds
        over = self.start + self.duration <= 0
        self.begin[over] = self.end[over]
        self.start[over] = self.duration[over] = 0.0

    def value(self, time: float | Array) -> Array:
        """Return the values at `time`."""
        elapsed = time - self.start
        x = self._share(elapsed)
        way = np.where(self.eases, x * x * (3 - 2 * x), x)
        # A finished ramp is exactly at its end value, regardless of rounding.
        return np.where(elapsed >= self.duration, self.end, self.begin + (self.end - self.begin) * way)

    def integral(self, time: float | Array) -> Array:
        """Return the integral of the values from each ramp's start to `time`, which must not lie before it."""
        elapsed = time - self.start
        x = self._share(elapsed)
        way = np.where(self.eases, x * x * x * (1 - x / 2), x * x / 2)
        after = np.maximum(elapsed - self.duration, 0)
        on_the_way = np.minimum(elapsed, self.duration)
        return on_the_way * self.begin + self.duration * (self.end - self.begin) * way + after * self.end

    def zero_time(self) -> Array:
        """Return when each ramp's value crosses 0; NaN if it does not."""
        crosses = (self.begin * self.end < 0) & (self.duration > 0)
        way = np.where(crosses, self.begin / np.where(crosses, self.begin - self.end, 1), np.nan)
        # The inverse of x² (3 - 2x), in closed form.
        eased = 0.5 - np.sin(np.arcsin(np.clip(1 - 2 * way, -1, 1)) / 3)
        return self.start + self.duration * np.where(self.eases, eased, way)

    def _share(self, elapsed: Array) -> Array:
        some = self.duration > 0
        return np.where(some, np.clip(elapsed / np.where(some, self.duration, 1), 0, 1), elapsed >= 0)
