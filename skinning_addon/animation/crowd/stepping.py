"""One step of a crowd, a 120th of a second: the order in which its parts act."""

from __future__ import annotations

import numpy as np

from .deciding import decide
from .fixed_point import UNIT
from .footsteps import Footstep, footsteps
from .gaits import advance_fades, advance_phases, begin_fades, speeds
from .held_feet import bodies, hold_feet
from .separation import separated
from .settings import CrowdSettings
from .state import CrowdState
from .surroundings import Surroundings
from .turning import Aim, turn


def step(state: CrowdState, settings: CrowdSettings) -> list[Footstep]:
    """Move a crowd on by a step, and list the footsteps in it. Cost: linear in the number of agents."""
    fades = advance_fades(state, settings)
    start = bodies(state, fades.before) if settings.foot_tables.counts.any() else None
    weight = fades.after
    speed, cadence = speeds(weight, state.cast)
    surroundings = Surroundings.of(state, settings)
    aim = Aim.of(state)
    turn(state, settings, aim)
    ahead = surroundings.ahead(state.heading)
    wanted = decide(state, settings, surroundings, ahead, aim.seen_from(state.heading), speed=speed)
    stopped = ahead.blocks(speed)
    way = np.rint(state.heading * (speed / UNIT)).astype(np.int64)
    wanted_position = state.position + way
    state.position = separated(
        state, settings, surroundings, np.where(stopped, state.position, wanted_position)
    )
    before = state.stride_phase
    told = footsteps(state, settings, weight, before, advance_phases(state, cadence))
    begin_fades(state, wanted, weight)
    if start is not None:
        hold_feet(state, settings, start, fades, (state.position == wanted_position).all(axis=0))
    state.step += 1
    return told
