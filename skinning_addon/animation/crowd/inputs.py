"""What is done to a crowd from outside: recorded, and applied again whenever its time is played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from ...core.text.errors import CrowdError
from .draws import fractions
from .fixed_point import CYCLE, FULL, Indices, direction
from .ground import Ground
from .kinds import IDLE, RUN, WALK
from .placing import no_room, on_ground, place_agents
from .settings import MOST_AGENTS, CrowdSettings
from .state import BYTES_PER_AGENT, CrowdState, Mode


class InputKind(Enum):
    """What an input changes, and its values."""

    COUNT = "count"
    """The number of agents."""
    AREA = "area"
    """Half the area's size along X and Y, in micrometres. Agents outside of it get new places."""
    STEER = "steer"
    """An agent, the direction that it is to go in (X and Y, both 0 to stand), and its gait."""
    RELEASE = "release"
    """A steered agent, which goes on by itself."""
    GROUND = "ground"
    """What agents walk on: which of those recorded, -1 for a plane. Agents beside it get new places."""


VALUES = {
    InputKind.COUNT: 1,
    InputKind.AREA: 2,
    InputKind.STEER: 4,
    InputKind.RELEASE: 1,
    InputKind.GROUND: 1,
}


@dataclass(frozen=True)
class Input:
    """An input at a step: before that step is taken."""

    step: int
    kind: InputKind
    values: tuple[int, ...]

    def to_plain(self) -> list[Any]:
        """Return it as plain data."""
        return [self.step, self.kind.value, *self.values]

    @classmethod
    def from_plain(cls, plain: list[Any]) -> Input:
        """Undo `to_plain`. Invalid data raises any of LookupError, TypeError and ValueError."""
        step, kind, *values = plain
        result = cls(int(step), InputKind(kind), tuple(int(one) for one in values))
        if result.step < 0 or len(values) != VALUES[result.kind]:
            raise ValueError("an input has the wrong number of values")
        return result


def after_input(
    state: CrowdState, settings: CrowdSettings, given: Input, grounds: Sequence[Ground]
) -> CrowdState:
    """Return the state that an input makes of a state, which stays as it is. grounds: that were recorded.

    Raises:
        CrowdError: there is no such agent or ground, or no room.
    """
    new = state.copy()
    if given.kind is InputKind.COUNT:
        _count(new, settings, given.values[0])
    elif given.kind is InputKind.AREA:
        _area(new, settings, given.values)
    elif given.kind is InputKind.GROUND:
        _ground(new, settings, given.values[0], grounds)
    else:
        _steer(new, given)
    return new


def _count(state: CrowdState, settings: CrowdSettings, count: int) -> None:
    if not 1 <= count <= MOST_AGENTS:
        raise CrowdError(
            "A crowd of {count:,} agents needs {megabytes:,.0f} MB for a state alone; ask for 1 to {most:,}.",
            count=count,
            megabytes=max(count, 0) * BYTES_PER_AGENT / 1e6,
            most=MOST_AGENTS,
        )
    if count <= state.count:
        state.truncate(count)
        return
    who = state.append(np.zeros((2, count - state.count), np.int64), settings)
    place_agents(state, settings, who)
    state.target[:, who] = state.position[:, who]
    x, y, idle, phase = (fractions(settings.seed, who, state.draws[who] + one) for one in range(4))
    state.draws[who] += 4
    # Never both zero.
    state.heading[:, who] = direction(2 * x - 1, 2 * y - 1 + 2.0**-60)
    # They don't all set out at once.
    state.timer[who] = (idle * settings.idle).astype(np.int64)
    state.idle_phase[who] = (phase * CYCLE).astype(np.int64)


def _area(state: CrowdState, settings: CrowdSettings, half: tuple[int, ...]) -> None:
    state.half = np.array(half, dtype=np.int64)
    if (state.half < settings.widest).any():
        raise no_room(state.count, state.half)
    room = state.half[:, None] - state.cast.radius
    (outside,) = np.nonzero((np.abs(state.position) > room).any(axis=0))
    # Out of the way of those that stay, and inside, which the search relies on.
    state.position[:, outside] = 0
    place_agents(state, settings, outside)
    _stand(state, outside[state.mode[outside] != Mode.STEERED])


def _ground(state: CrowdState, settings: CrowdSettings, which: int, grounds: Sequence[Ground]) -> None:
    if not -1 <= which < len(grounds):
        raise CrowdError("There is no ground {which}; it was not recorded.", which=which)
    state.ground = grounds[which] if which >= 0 else None
    (beside,) = np.nonzero(~on_ground(state, state.position))
    place_agents(state, settings, beside)
    _stand(state, beside[state.mode[beside] != Mode.STEERED])


def _stand(state: CrowdState, who: Indices) -> None:
    state.mode[who] = Mode.IDLING
    state.timer[who] = 0
    state.role[who] = IDLE
    state.fade[who] = 0
    state.begin[:, who] = 0
    state.begin[IDLE, who] = FULL


def _steer(state: CrowdState, given: Input) -> None:
    agent = given.values[0]
    if not 0 <= agent < state.count:
        raise CrowdError(
            "There is no agent {agent}; choose one from 0 to {last}.", agent=agent, last=state.count - 1
        )
    if given.kind is InputKind.RELEASE:
        if state.mode[agent] == Mode.STEERED:
            state.mode[agent] = Mode.WAITING
            state.timer[agent] = 0
        return
    x, y, gait = given.values[1:]
    if gait not in {WALK, RUN}:
        raise CrowdError("An agent can't be steered in gait {gait}; choose walk or run.", gait=gait)
    state.mode[agent] = Mode.STEERED
    state.steering[:, agent] = x, y
    state.gait[agent] = gait
