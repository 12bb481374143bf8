"""Who and what is near each agent during a step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .fixed_point import UNIT, Floats, Indices, Integers, Mask
from .grid import Grid
from .settings import CrowdSettings
from .state import CrowdState


@dataclass(frozen=True, eq=False)
class Surroundings:
    """Pairs (P,) of agents that may meet within a step, or one of which may have to stop for the other.

    first, second: the agents. x, y: from first to second, in micrometres. apart: how far apart they are where
    they touch, in micrometres.
    """

    grid: Grid
    first: Indices
    second: Indices
    x: Floats
    y: Floats
    apart: Floats

    @classmethod
    def of(cls, state: CrowdState, settings: CrowdSettings) -> Surroundings:
        """Find the pairs at the beginning of a step."""
        reach = horizon(settings)
        grid = Grid(state.position, state.half, reach)
        first, second = grid.pairs()
        x, y = (axis[second] - axis[first] for axis in state.position)
        near = np.flatnonzero(x * x + y * y < reach * reach) if reach < 1 << 31 else np.arange(len(x))
        first, second = first[near], second[near]
        apart = touching(state.cast.radius[first], state.cast.radius[second])
        return cls(grid, first, second, x[near].astype(np.float64), y[near].astype(np.float64), apart)

    def closer(self, distance: int) -> Indices:
        """List the pairs that are less than a distance apart."""
        return np.flatnonzero(self.x * self.x + self.y * self.y < float(distance) * distance)

    def blocked(self, ways: Floats, heading: Integers) -> Mask:
        """Whether (N,) somebody stands in an agent's way, going `ways` (N,) micrometres straight ahead."""
        result = np.zeros(len(ways), dtype=np.bool_)
        for agent, sign in ((self.first, 1.0), (self.second, -1.0)):
            hit = in_the_way(sign * self.x, sign * self.y, heading[:, agent], ways[agent], self.apart)
            result[agent[hit]] = True
        return result


def touching(radius: Integers, other: Integers) -> Floats:
    """Return how far apart (P,) pairs of agents are where they touch, in micrometres."""
    return (radius + other).astype(np.float64)


def in_the_way(x: Floats, y: Floats, heading: Integers, ways: Floats, apart: Floats) -> Mask:
    """Whether (P,) someone at an offset is ahead, and comes too close on the way."""
    along = (x * heading[0] + y * heading[1]) / UNIT
    nearest = np.minimum(along, ways)
    closest = x * x + y * y - nearest * (2 * along - nearest)
    return (along > 0) & (closest < apart * apart)


def looks_ahead(speed: Floats, settings: CrowdSettings) -> Floats:
    """Return how far ahead agents look: as far as they need to stop. speed: micrometres a step."""
    return speed + settings.stopping(speed)


def leap(settings: CrowdSettings) -> int:
    """Return the most that a coordinate of an agent changes in a step."""
    return int(settings.fastest) + 1 + 2 * settings.widest // 16


def horizon(settings: CrowdSettings) -> int:
    """Return the distance up to which agents matter to each other within a step."""
    # Each moves by at most the square root of 2 times its leap.
    look = int(settings.fastest + settings.stopping(settings.fastest)) + 1
    return 2 * settings.widest + 1 + max(3 * leap(settings), look)
