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

from .fixed_point import UNIT, Floats, Indices, Integers, Mask, direction
from .kinds import IDLE, RUN, WALK
from .placing import draw, free_places, on_ground, places_of
from .settings import CrowdSettings
from .state import CrowdState, Mode
from .surroundings import Ahead, Surroundings, in_the_way, looks_ahead, touching
from .turning import Aim

STRAIGHT = 0.984807753012208
"""The cosine of 10 degrees."""

ROUGHLY = 0.5
"""The cosine of 60 degrees."""

CHOOSE_EVERY = 12
"""Steps until an agent whose target was not free draws another."""


def decide(
    state: CrowdState,
    settings: CrowdSettings,
    surroundings: Surroundings,
    ahead: Ahead,
    aim: Aim,
    *,
    speed: Floats,
) -> Integers:
    """Change modes and targets, and return the gait (N,) that each agent wants.

    ahead: by the headings as they are. speed: (N,) micrometres a step.
    """
    state.timer += 1
    mode, timer = state.mode, state.timer
    waits = mode == Mode.WAITING
    left = timer - np.where(waits, settings.wait, settings.idle)
    (due,) = np.nonzero((waits | (mode == Mode.IDLING)) & (left >= 0))
    due = due[left[due] % CHOOSE_EVERY == 0]
    gait_speed = state.cast.speed_in(state.gait)
    barred = _barred(state, ahead, aim, looks_ahead(gait_speed, settings))
    orbits = aim.on_a_circle(gait_speed, settings)
    new = _next_modes(state, aim, barred, orbits, speed * 1.5 + settings.stopping(speed))
    timer[new != mode] = 0
    state.mode = new
    _choose(state, settings, surroundings, due)
    goes = (state.mode == Mode.MOVING) | (state.mode == Mode.STEERED) & (aim.distance > 0) & ~barred
    return np.where(goes, state.gait, IDLE)


def _barred(state: CrowdState, ahead: Ahead, aim: Aim, look: Floats) -> Mask:
    """Whether (N,) somebody, the border or the ground's end is ahead, as near as an agent needs to stop: `look`
    (N,).
    """
    look = np.where(state.mode == Mode.STEERED, look, np.minimum(look, aim.distance))
    x, y = np.abs(state.position + state.heading * (look / UNIT))
    room_x, room_y = state.half[:, None] - state.cast.radius
    border = (x > room_x + 1) | (y > room_y + 1)
    if state.ground is not None:
        goes = (state.mode != Mode.IDLING) & (state.mode != Mode.WAITING)
        border |= ~state.ground.holds_way(state.position, state.heading, np.where(goes, look, 0.0))
    return border | ahead.blocks(look)


def _next_modes(state: CrowdState, aim: Aim, barred: Mask, orbits: Mask, end: Floats) -> Integers:
    """Return the modes (N,) that follow.

    barred: (N,) who has something ahead. orbits: (N,) who would go round its target. end: (N,) how near to it
    an agent begins to stop.
    """
    mode = state.mode
    moving, turning, pivoting = (mode == one for one in (Mode.MOVING, Mode.TURNING, Mode.PIVOTING))
    straight = aim.ahead >= STRAIGHT * aim.distance
    roughly = aim.ahead >= ROUGHLY * aim.distance
    # It goes this step and stops during the next ones; half a step more, to end as near before as behind.
    arrives = moving & (aim.distance <= end)
    free = ~barred & ~orbits
    result = mode.copy()
    # The last one that applies counts.
    result[(turning & roughly | pivoting & straight) & free] = Mode.MOVING
    result[moving & ~free] = Mode.PIVOTING
    result[(moving | turning | pivoting) & straight & barred] = Mode.WAITING
    result[arrives] = Mode.IDLING
    return result


def _choose(state: CrowdState, settings: CrowdSettings, surroundings: Surroundings, who: Indices) -> None:
    """Draw a target and a gait for some agents; those whose target is not free draw again later."""
    if not who.size:
        return
    plans = _Plans.drawn(state, settings, who)
    patience = np.where(state.mode[who] == Mode.IDLING, settings.idle, 0) + settings.patience
    accepted = free_places(state, plans.points, who, surroundings.grid)
    accepted &= on_ground(state, plans.points)
    (minds,) = np.nonzero(accepted & (state.timer[who] < patience))
    if minds.size:
        accepted[minds] = _is_clear(state, settings, surroundings, plans.only(minds))
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
        drawn = draw(state, settings, who, 3)
        points = places_of(state, who, drawn[:2])
        return cls(who, points, np.where(drawn[2] * 100 < settings.run_share, RUN, WALK))

    def only(self, which: Indices) -> _Plans:
        return _Plans(self.who[which], self.points[:, which], self.gaits[which])


def _is_clear(state: CrowdState, settings: CrowdSettings, surroundings: Surroundings, plans: _Plans) -> Mask:
    """Return (n,) whether each departing agent has a free path: no other agent, and walkable ground."""
    who = plans.who
    here = state.position[:, who]
    ways = (plans.points - here).astype(np.float64)
    # A point that is free is not where its agent stands.
    heading = direction(ways[0], np.where((ways[0] == 0) & (ways[1] == 0), 1.0, ways[1]))
    index, other = surroundings.grid.around(here)
    (besides,) = np.nonzero(other != who[index])
    near, others = index[besides], other[besides]
    x, y = (state.position[:, others] - here[:, near]).astype(np.float64)
    look = looks_ahead(state.cast.speeds[plans.gaits, who], settings)
    room = touching(state.cast.radius[who[near]], state.cast.radius[others])
    clear = np.ones(len(who), dtype=np.bool_)
    clear[near[in_the_way(x, y, heading[:, near], look[near], room)]] = False
    if state.ground is not None:
        clear &= state.ground.holds_way(here, heading, np.sqrt(ways[0] * ways[0] + ways[1] * ways[1]))
    return clear
