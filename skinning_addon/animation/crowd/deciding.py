"""What agents do next: the states of a crowd.

    IDLING  -> TURNING                after a while, once a target is found
    TURNING -> MOVING                 as soon as the target is roughly ahead
    MOVING  -> IDLING                 at the target
    MOVING  -> PIVOTING               no room for the curve: the target is within the turning circle, or
                                      something is beside the way
    PIVOTING -> MOVING                once the target is straight ahead
    TURNING, PIVOTING, MOVING -> WAITING   something is in the way straight ahead
    WAITING -> TURNING                after a second or more, once another target is found

Source: the states of DirectX's MultiAnimation sample, where agents orbit targets within their turning circle,
and begin inside one another.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .draws import fractions
from .fixed_point import UNIT, Floats, Indices, Integers, Mask, direction
from .kinds import IDLE, RUN, WALK
from .placing import free_places, on_ground, random_places
from .settings import CrowdSettings
from .state import CrowdState, Mode
from .surroundings import Surroundings, in_the_way, looks_ahead, touching
from .turning import Aim

STRAIGHT = 0.984807753012208
"""The cosine of 10 degrees."""

ROUGHLY = 0.5
"""The cosine of 60 degrees."""

CHOOSE_EVERY = 12
"""Steps until an agent whose target was not free draws another."""


def decide(
    state: CrowdState, settings: CrowdSettings, surroundings: Surroundings, aim: Aim, speed: Floats
) -> Integers:
    """Change modes and targets, and return the gait (N,) that each agent wants.

    speed: (N,) micrometres a step.
    """
    state.timer += 1
    mode, timer = state.mode, state.timer
    left = timer - np.where(mode == Mode.WAITING, settings.wait, settings.idle)
    stands = (mode == Mode.IDLING) | (mode == Mode.WAITING)
    due = stands & (left >= 0) & (left % CHOOSE_EVERY == 0)
    barred = _barred(state, settings, surroundings, aim)
    new = _next_modes(state, settings, aim, barred, speed)
    timer[new != mode] = 0
    state.mode = new
    _choose(state, settings, surroundings, np.flatnonzero(due))
    steered = (state.mode == Mode.STEERED) & (aim.distance > 0) & ~barred
    return np.where((state.mode == Mode.MOVING) | steered, state.gait, IDLE)


def _barred(state: CrowdState, settings: CrowdSettings, surroundings: Surroundings, aim: Aim) -> Mask:
    """Whether (N,) somebody, the border or the ground's end is ahead, as near as an agent needs to stop."""
    look = looks_ahead(state.cast.speed_in(state.gait), settings)
    look = np.where(state.mode == Mode.STEERED, look, np.minimum(look, aim.distance))
    x, y = np.abs(state.position + state.heading * (look / UNIT))
    room_x, room_y = state.half[:, None] - state.cast.radius
    border = (x > room_x + 1) | (y > room_y + 1)
    if state.ground is not None:
        goes = (state.mode != Mode.IDLING) & (state.mode != Mode.WAITING)
        border |= ~state.ground.holds_way(state.position, state.heading, np.where(goes, look, 0.0))
    return border | surroundings.blocked(look, state.heading)


def _next_modes(
    state: CrowdState, settings: CrowdSettings, aim: Aim, barred: Mask, speed: Floats
) -> Integers:
    mode = state.mode
    moving, turning, pivoting = (mode == one for one in (Mode.MOVING, Mode.TURNING, Mode.PIVOTING))
    straight = aim.ahead >= STRAIGHT * aim.distance
    roughly = aim.ahead >= ROUGHLY * aim.distance
    orbits = aim.on_a_circle(state.cast.speed_in(state.gait), settings)
    # It goes this step and stops during the next ones; half a step more, to end as near before as behind.
    arrives = moving & (aim.distance <= speed * 1.5 + settings.stopping(speed))
    free = ~barred & ~orbits
    return np.select(
        [
            arrives,
            (moving | turning | pivoting) & straight & barred,
            moving & ~free,
            (turning & roughly | pivoting & straight) & free,
        ],
        [Mode.IDLING, Mode.WAITING, Mode.PIVOTING, Mode.MOVING],
        mode,
    )


def _choose(state: CrowdState, settings: CrowdSettings, surroundings: Surroundings, who: Indices) -> None:
    """Draw a target and a gait for some agents; those whose target is not free draw again later."""
    if not who.size:
        return
    plans = _Plans.drawn(state, settings, who)
    patience = np.where(state.mode[who] == Mode.IDLING, settings.idle, 0) + settings.patience
    accepted = free_places(state, plans.points, who, surroundings.grid)
    accepted &= on_ground(state, plans.points)
    accepted &= (state.timer[who] >= patience) | _is_clear(state, settings, surroundings, plans)
    chosen = who[accepted]
    state.target[:, chosen] = plans.points[:, accepted]
    state.gait[chosen] = plans.gaits[accepted]
    state.mode[chosen] = Mode.TURNING
    state.timer[chosen] = 0


@dataclass(frozen=True, eq=False)
class _Plans:
    """Where (2, n) some agents, `who` (n,), would go, and in which gait (n,)."""

    who: Indices
    points: Integers
    gaits: Integers

    @classmethod
    def drawn(cls, state: CrowdState, settings: CrowdSettings, who: Indices) -> _Plans:
        points = random_places(state, settings, who)
        runs = fractions(settings.seed, who, state.draws[who]) * 100 < settings.run_share
        state.draws[who] += 1
        return cls(who, points, np.where(runs, RUN, WALK))


def _is_clear(state: CrowdState, settings: CrowdSettings, surroundings: Surroundings, plans: _Plans) -> Mask:
    """Return (n,) whether each departing agent has a free path: no other agent, and walkable ground."""
    who = plans.who
    here = state.position[:, who]
    ways = (plans.points - here).astype(np.float64)
    # A point that is free is not where its agent stands.
    heading = direction(ways[0], np.where((ways == 0).all(axis=0), 1.0, ways[1]))
    index, other = surroundings.grid.around(here)
    near, others = index[other != who[index]], other[other != who[index]]
    x, y = (state.position[:, others] - here[:, near]).astype(np.float64)
    look = looks_ahead(state.cast.speeds[plans.gaits, who], settings)
    room = touching(state.cast.radius[who[near]], state.cast.radius[others])
    clear = np.ones(len(who), dtype=np.bool_)
    clear[near[in_the_way(x, y, heading[:, near], look[near], room)]] = False
    if state.ground is not None:
        clear &= state.ground.holds_way(here, heading, np.sqrt(ways[0] * ways[0] + ways[1] * ways[1]))
    return clear
