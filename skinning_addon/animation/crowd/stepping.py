"""One step of a crowd, a 120th of a second: the order in which its parts act."""

from __future__ import annotations

import numpy as np

from .deciding import decide
from .fixed_point import UNIT
from .footsteps import Footstep, footsteps
from .gaits import advance_phases, begin_fades, speeds, weights
from .held_feet import bodies, hold_feet
from .separation import separated
from .settings import CrowdSettings
from .state import CrowdState
from .surroundings import Surroundings
from .turning import Aim, turn


def step(state: CrowdState, settings: CrowdSettings) -> list[Footstep]:
    """Move a crowd on by a step, and list the footsteps in it. Cost: linear in the number of agents."""
    start = bodies(state, weights(state, settings)) if settings.foot_tables.counts.any() else None
    np.minimum(state.fade + 1, settings.fade, out=state.fade)
    weight = weights(state, settings)
    speed, cadence = speeds(weight, state.cast)
    surroundings = Surroundings.of(state, settings)
    turn(state, settings, Aim.of(state))
    wanted = decide(state, settings, surroundings, Aim.of(state), speed)
    stopped = surroundings.blocked(speed, state.heading)
    way = np.rint(state.heading * (speed / UNIT)).astype(np.int64)
    wanted_position = state.position + way
    state.position = separated(
        state, settings, surroundings, np.where(stopped, state.position, wanted_position)
    )
    before = state.stride_phase
    told = footsteps(state, settings, weight, before, advance_phases(state, cadence))
    begin_fades(state, wanted, weight)
    if start is not None:
        hold_feet(state, settings, start, weight, (state.position == wanted_position).all(axis=0))
    state.step += 1
    return told
