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

    first, second: the agents. x, y: from first to second, in micrometres.
    """

    grid: Grid
    first: Indices
    second: Indices
    x: Floats
    y: Floats

    @classmethod
    def of(cls, state: CrowdState, settings: CrowdSettings) -> Surroundings:
        """Find the pairs at the beginning of a step."""
        reach = horizon(settings)
        grid = Grid(state.position, state.half, reach)
        first, second = grid.pairs()
        x, y = (axis[second] - axis[first] for axis in state.position)
        near = np.flatnonzero(x * x + y * y < reach * reach) if reach < 1 << 31 else np.arange(len(x))
        return cls(grid, first[near], second[near], x[near].astype(np.float64), y[near].astype(np.float64))

    def closer(self, distance: int) -> Indices:
        """List the pairs that are less than a distance apart."""
        return np.flatnonzero(self.x * self.x + self.y * self.y < float(distance) * distance)

    def blocked(self, ways: Floats, heading: Integers, apart: int) -> Mask:
        """Whether (N,) somebody stands in an agent's way, going `ways` (N,) micrometres straight ahead."""
        result = np.zeros(len(ways), dtype=np.bool_)
        for agent, sign in ((self.first, 1.0), (self.second, -1.0)):
            hit = in_the_way(sign * self.x, sign * self.y, heading[:, agent], ways[agent], apart)
            result[agent[hit]] = True
        return result


def in_the_way(x: Floats, y: Floats, heading: Integers, ways: Floats, apart: int) -> Mask:
    """Whether (P,) someone at an offset is ahead, and comes too close on the way."""
    along = (x * heading[0] + y * heading[1]) / UNIT
    nearest = np.minimum(along, ways)
    closest = x * x + y * y - nearest * (2 * along - nearest)
    return (along > 0) & (closest < float(apart) * apart)


def looks_ahead(settings: CrowdSettings) -> Floats:
    """Return how far (3,) ahead an agent looks in each gait: as far as it needs to stop."""
    return settings.speeds + settings.stopping(settings.speeds)


def leap(settings: CrowdSettings) -> int:
    """Return the most that a coordinate of an agent changes in a step."""
    return int(settings.speeds.max()) + 1 + settings.apart // 16


def horizon(settings: CrowdSettings) -> int:
    """Return the distance up to which agents matter to each other within a step."""
    # Each moves by at most the square root of 2 times its leap.
    return settings.apart + 1 + max(3 * leap(settings), int(looks_ahead(settings).max()) + 1)
