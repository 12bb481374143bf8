"""Places that are free: to begin at, and to go to."""

from __future__ import annotations

import math

import numpy as np

from ...core.text.errors import CrowdError
from .draws import fractions
from .fixed_point import MICROMETRES, Floats, Indices, Integers, Mask
from .grid import Grid
from .settings import CrowdSettings
from .state import CrowdState
from .surroundings import touching

TRIES = 1000

CLOSEST_PACKING = 3.4641016151377544
"""The area that a disc of radius 1 takes where discs are packed as closely as possible, 2 * sqrt(3)."""


def draw(state: CrowdState, settings: CrowdSettings, who: Indices, count: int) -> Floats:
    """Draw numbers (count, n) in [0, 1) for each of some agents."""
    drawn = state.draws[who]
    state.draws[who] = drawn + count
    return fractions(settings.seed, who, drawn + np.arange(count)[:, None])


def places_of(state: CrowdState, who: Indices, drawn: Floats) -> Integers:
    """Return the places (2, n) in the area that drawn numbers (2, n) are for some agents."""
    room = state.half[:, None] - state.cast.radius[who]
    return (drawn * (2 * room + 1)).astype(np.int64) - room


def on_ground(state: CrowdState, places: Integers) -> Mask:
    """Whether (n,) agents may be at places (2, n), as far as the ground matters."""
    if state.ground is None:
        return np.ones(len(places[0]), dtype=np.bool_)
    return state.ground.holds(places)


def free_places(state: CrowdState, points: Integers, who: Indices, grid: Grid) -> Mask:
    """Whether nobody stands in the way at points (2, n) of some agents (n,), themselves included. grid: of
    everybody's places.
    """
    point, agent = grid.around(points)
    taken = np.zeros(points.shape[1], dtype=np.bool_)
    taken[point[_overlap(points[:, point] - state.position[:, agent], state, who[point], agent)]] = True
    return ~taken


def place_agents(state: CrowdState, settings: CrowdSettings, who: Indices) -> None:
    """Put agents where they overlap nobody, drawing places until they do.

    Raises:
        CrowdError: no free place is found for one of them; some have moved then.
    """
    _check_room(state, settings)
    placed = np.ones(state.count, dtype=np.bool_)
    placed[who] = False
    for _ in range(TRIES):
        (left,) = np.nonzero(~placed)
        if not left.size:
            return
        state.position[:, left] = places_of(state, left, draw(state, settings, left, 2))
        there = np.ones(state.count, dtype=np.bool_)
        there[left] = on_ground(state, state.position[:, left])
        first, second = Grid(state.position, state.half, 2 * settings.widest).pairs()
        close = _overlap(state.position[:, first] - state.position[:, second], state, first, second)
        close &= there[first] & there[second]
        # Of two who have just drawn places that overlap, the first keeps its own.
        later, earlier = np.maximum(first[close], second[close]), np.minimum(first[close], second[close])
        refused = np.where(placed[later], earlier, later)
        placed[left] = there[left]
        placed[refused] = False
    raise no_room(state.count, state.half)


def no_room(count: int, half: Integers) -> CrowdError:
    """Say that an area is too small."""
    width, depth = (2 * one / MICROMETRES for one in half.tolist())
    return CrowdError(
        "There is no free place for {count:,} agents in an area of {width:g} by {depth:g}; choose a larger "
        "area, a smaller radius or fewer agents.",
        count=count,
        width=width,
        depth=depth,
    )


def _check_room(state: CrowdState, settings: CrowdSettings) -> None:
    if (state.half < settings.widest).any():
        raise no_room(state.count, state.half)
    width, depth = (2.0 * one for one in state.half.tolist())
    area = width * depth
    if state.ground is not None:
        # Their middles stay on it, their circles may reach beyond.
        shortest = 2.0 * settings.widest / state.ground.cell
        area = min(area, state.ground.area * (1 + shortest) * (1 + shortest))
    # Discs of one size leave gaps; those of several may fill them.
    radii = set(state.cast.radius.tolist())
    packing = CLOSEST_PACKING if len(radii) == 1 else math.pi
    if packing * sum(one * one for one in state.cast.radius.tolist()) > area:
        raise no_room(state.count, state.half)


def _overlap(offset: Integers, state: CrowdState, first: Indices, second: Indices) -> Mask:
    x, y = offset.astype(np.float64)
    apart = touching(state.cast.radius[first], state.cast.radius[second])
    return x * x + y * y < apart * apart
