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
    runs, goes = weight[RUN] > weight[WALK], way > 0
    for number, kind in enumerate(settings.kinds):
        own = goes & (state.cast.kind == number)
        for role, heard in ((WALK, own & ~runs), (RUN, own & runs)):
            gait = kind.gaits[role]
            (who,) = np.nonzero(heard)
            names = [one.name for one in gait.contacts]
            gap = (settings.contact_phases[number][role] - before[who] - 1) & (CYCLE - 1)
            contact, near = np.nonzero(gap < way[who])
            if not near.size:
                continue
            agent = who[near]
            seconds = (state.step + (gap[contact, near] + 1) / way[agent]) / STEPS_PER_SECOND
            columns = seconds, agent, contact, weight[role, agent] / FULL
            told += [
                Footstep(time, one, gait.clip, names[foot], share)
                for time, one, foot, share in zip(*(column.tolist() for column in columns), strict=True)
            ]
    return sorted(told)
