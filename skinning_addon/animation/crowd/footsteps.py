"""The keyed callbacks of a crowd: feet that come down, agent by agent."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .fixed_point import CYCLE, FULL, STEPS_PER_SECOND, Integers
from .kinds import RUN, WALK
from .settings import CrowdSettings
from .state import CrowdState


class Footstep(NamedTuple):
    """A foot that came down, or another marker of a gait's clip that was passed.

    time: seconds since the crowd's start. clip: that of the gait that is heard most. weight: of that gait, 0
    to 1.
    """

    time: float
    agent: int
    clip: str
    name: str
    weight: float


def footsteps(
    state: CrowdState, settings: CrowdSettings, weight: Integers, before: Integers, way: Integers
) -> list[Footstep]:
    """List the footsteps of a step, in order.

    weight: (3, N). before: (N,) phases at its start. way: (N,) how far they went.
    """
    told: list[Footstep] = []
    runs = weight[RUN] > weight[WALK]
    for number, kind in enumerate(settings.kinds):
        own = state.cast.kind == number
        for role, heard in ((WALK, own & ~runs), (RUN, own & runs)):
            gait = kind.gaits[role]
            for contact in gait.contacts:
                gap = (contact.phase - before - 1) & (CYCLE - 1)
                (who,) = np.nonzero(heard & (gap < way))
                if not who.size:
                    continue
                seconds = (state.step + (gap[who] + 1) / way[who]) / STEPS_PER_SECOND
                columns = seconds, who, weight[role, who] / FULL
                told += [
                    Footstep(time, agent, gait.clip, contact.name, share)
                    for time, agent, share in zip(*(one.tolist() for one in columns), strict=True)
                ]
    return sorted(told)
