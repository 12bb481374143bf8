"""The last part of a step: agents are kept apart, inside the area and on walkable ground, wherever they wanted
to go.

Overlapping agents are pushed apart. Whoever still overlaps someone goes back to where the step began, and so
does whoever that leaves no room for. Where the step began everyone had room, so this ends, and its end is
without overlap.
"""

from __future__ import annotations

import numpy as np

from .fixed_point import Floats, Indices, Integers, Mask
from .settings import CrowdSettings
from .state import CrowdState, Mode
from .surroundings import Surroundings, leap

ROUNDS = 4

SLACK = 500
"""In micrometres; agents may overlap by as much, which is what rounding and pushing several at once leave."""


TOUCH = 100
"""In micrometres; agents that overlap by less are left alone: they only touch."""


def separated(
    state: CrowdState, settings: CrowdSettings, surroundings: Surroundings, wished: Integers
) -> Integers:
    """Return places (2, N) near the wished ones.

    A steered agent stays where it wishes; the others give way to it.
    """
    old = state.position
    room = state.half[:, None] - state.cast.radius
    low = np.maximum(old - leap(settings), -room)
    high = np.minimum(old + leap(settings), room)
    new = _grounded(state, np.minimum(np.maximum(wished, low), high))
    near = surroundings.closer(2 * settings.widest + 3 * leap(settings))
    first, second, apart = surroundings.first[near], surroundings.second[near], surroundings.apart[near]
    steered = state.mode == Mode.STEERED
    for _ in range(ROUNDS):
        met = _closer(new, first, second, apart - TOUCH)
        if not met.size:
            return new
        new = new + _pushes(new, first[met], second[met], steered, apart[met])
        new = _grounded(state, np.minimum(np.maximum(new, low), high))
    while True:
        met = _closer(new, first, second, apart - SLACK)
        if not met.size:
            return new
        back = np.concatenate((first[met], second[met]))
        new[:, back] = old[:, back]


def _grounded(state: CrowdState, places: Integers) -> Integers:
    """Return the places (2, N), of those beside the ground where the step began."""
    return places if state.ground is None else np.where(state.ground.holds(places), places, state.position)


def _closer(places: Integers, first: Indices, second: Indices, distance: Floats) -> Indices:
    x, y = (places[:, second] - places[:, first]).astype(np.float64)
    return np.flatnonzero(x * x + y * y < distance * distance)


def _pushes(places: Integers, first: Indices, second: Indices, steered: Mask, apart: Floats) -> Integers:
    """Return how (2, N) pairs that overlap have to move: both by half, or only the one that isn't steered."""
    x, y = (places[:, second] - places[:, first]).astype(np.float64)
    distance = np.maximum(np.sqrt(x * x + y * y), 1.0)
    share = 0.5 + 0.5 * (steered[first].astype(np.float64) - steered[second])
    result = np.zeros(places.shape, dtype=np.int64)
    for axis, along in enumerate((x, y)):
        push = along / distance * (apart - distance)
        for agent, part in ((first, np.rint(push * (share - 1))), (second, np.rint(push * share))):
            # Whole numbers: their sum is exact, in whatever order.
            result[axis] += np.bincount(agent, part, places.shape[1]).astype(np.int64)
    return result
