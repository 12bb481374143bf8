"""Where agents want to go, seen from them, and turning there at a limited speed, the shorter way round."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .fixed_point import UNIT, Floats, Integers, Mask, direction
from .settings import CrowdSettings
from .state import CrowdState, Mode


@dataclass(frozen=True, eq=False)
class Aim:
    """The wanted way (N,) of each agent: to its target, or as it is steered.

    x, y: in micrometres, of length UNIT if steered. distance: its length. ahead, left: its parts along the
    heading and to the left of it.
    """

    x: Floats
    y: Floats
    distance: Floats
    ahead: Floats
    left: Floats

    @classmethod
    def of(cls, state: CrowdState) -> Aim:
        """Compute it for the places and headings as they are."""
        way = state.target - state.position
        steered = state.mode == Mode.STEERED
        if steered.any():
            way = np.where(steered, state.steering, way)
        x, y = way.astype(np.float64)
        return cls._seen(x, y, np.sqrt(x * x + y * y), state.heading)

    def seen_from(self, heading: Integers) -> Aim:
        """Return the same ways seen from other headings (2, N)."""
        return self._seen(self.x, self.y, self.distance, heading)

    @classmethod
    def _seen(cls, x: Floats, y: Floats, distance: Floats, heading: Integers) -> Aim:
        along, across = heading / float(UNIT)
        return cls(x, y, distance, along * x + across * y, along * y - across * x)

    def on_a_circle(self, speeds: Floats, settings: CrowdSettings) -> Mask:
        """Whether (N,) the target lies within one of the two circles that an agent turns on at `speeds`.

        It would go round such a target forever. A circle of radius r that touches the heading contains a
        point at a distance d, a to the side, if d² < 2 r |a|.
        """
        radius = speeds / settings.radians
        return self.distance * self.distance < 2 * radius * np.abs(self.left)


def turn(state: CrowdState, settings: CrowdSettings, aim: Aim) -> None:
    """Turn those who want to go somewhere by as much as a step allows."""
    goes = (state.mode != Mode.IDLING) & (state.mode != Mode.WAITING)
    (who,) = np.nonzero(goes & (aim.distance > 0))
    cosine, sine = settings.turn
    ahead, left = aim.ahead[who], aim.left[who]
    within = (ahead > 0) & (np.abs(left) * cosine <= ahead * sine)
    # One straight behind turns left.
    sines = np.where(left >= 0, sine, -sine)
    x, y = state.heading[:, who].astype(np.float64)
    state.heading[:, who] = direction(
        np.where(within, aim.x[who], x * cosine - y * sines),
        np.where(within, aim.y[who], x * sines + y * cosine),
    )
