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

    def ahead(self, heading: Integers) -> Ahead:
        """Return the pairs of which one agent is in front of the other. heading: (2, N) of all."""
        agent = np.concatenate((self.first, self.second))
        x, y = np.concatenate((self.x, -self.x)), np.concatenate((self.y, -self.y))
        along = _along(x, y, heading[:, agent])
        (some,) = np.nonzero(along > 0)
        x, y, apart = x[some], y[some], np.concatenate((self.apart, self.apart))[some]
        return Ahead(agent[some], along[some], x * x + y * y, apart * apart)


@dataclass(frozen=True, eq=False)
class Ahead:
    """Pairs (P,) of agents in which the second is in front of the first.

    agent: the first. along: how far in front of it the second is. square: the distance between them, squared.
    near: the distance at which they touch, squared.
    """

    agent: Indices
    along: Floats
    square: Floats
    near: Floats

    def blocks(self, ways: Floats) -> Mask:
        """Whether (N,) somebody stands in an agent's way, going `ways` (N,) micrometres straight ahead."""
        result = np.zeros(len(ways), dtype=np.bool_)
        result[self.agent[_nearest(self.along, ways[self.agent], self.square) < self.near]] = True
        return result


def touching(radius: Integers, other: Integers) -> Floats:
    """Return how far apart (P,) pairs of agents are where they touch, in micrometres."""
    return (radius + other).astype(np.float64)


def in_the_way(x: Floats, y: Floats, heading: Integers, ways: Floats, apart: Floats) -> Mask:
    """Whether (P,) someone at an offset is ahead, and comes too close on the way."""
    along = _along(x, y, heading)
    return (along > 0) & (_nearest(along, ways, x * x + y * y) < apart * apart)


def _along(x: Floats, y: Floats, heading: Integers) -> Floats:
    """Return how far (P,) offsets are along headings (2, P)."""
    return (x * heading[0] + y * heading[1]) / UNIT


def _nearest(along: Floats, ways: Floats, square: Floats) -> Floats:
    """Return how near (P,) someone comes to another on the way, squared; `square` is that at its start."""
    nearest = np.minimum(along, ways)
    return square - nearest * (2 * along - nearest)


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
