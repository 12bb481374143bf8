"""Keeps planted feet where they stand while an agent fades, turns, stops or is pushed aside.

Clips have no steps for that: by themselves they would drag feet over the ground. So a foot that a gait has on
the ground stays at its place until the gait lifts it, or until it is too far from where it belongs: then it is
lifted and put down there, or a little further on if the agent is turning. Going straight ahead, feet are where
clips have them.

State is in whole numbers, as all of a crowd's; what comes of it is shown by `standing`.
"""

from __future__ import annotations

import numpy as np

from .fixed_point import FULL, SCALE, UNIT, Floats, Indices, Integers, Mask
from .foot_tables import Bodies
from .gaits import fading
from .kinds import IDLE, MOST_FEET, RUN, STANDS, SWINGS, WALK
from .settings import CrowdSettings
from .state import CrowdState

STEP_LASTS = 30
"""Steps of the crowd, a quarter of a second, from lifting a foot to putting it down."""

HIGH = 18
"""Of these, the last in which a foot is far above the ground."""

HURRY = 3
"""Of these, as many in one of the crowd, once an agent goes."""

LIFTING = 3
"""Of these, the first, in which a foot is not yet clear of the ground."""

RELEASED = 8
"""Of what a foot is off, this part is left behind in a step of the crowd while its gait swings it."""

AWAY_STANDING, AWAY_TURNING, AWAY_MOVING = 600, 30, 28
"""A foot is put down elsewhere if it is farther off than this part of the height."""

FARTHEST_AHEAD = 12
"""A foot is put down ahead of where it belongs by at most this part of the height, along X and along Y."""

RADIAN = 1_000_000_000
"""In units of `foot_yaw`."""

STRAIGHT = RADIAN // 100_000
"""An agent that turns by no more in a step of the crowd goes straight ahead: it keeps its target ahead."""

TURNED_STANDING, TURNED = RADIAN // 50, RADIAN // 3
"""A foot is put down elsewhere if it is turned by more."""


def bodies(state: CrowdState, weight: Integers) -> Bodies:
    """Return the agents as they are; changes of the state don't reach them. weight: (3, N) of their gaits."""
    return Bodies(
        state.cast.kind,
        state.cast.scale,
        state.position.copy(),
        state.heading.copy(),
        state.stride_phase.copy(),
        state.idle_phase.copy(),
        weight,
    )


def hold_feet(
    state: CrowdState, settings: CrowdSettings, before: Bodies, weight: Integers, goes: Mask
) -> None:
    """Move feet on by a step of the crowd.

    before: the agents at its start. weight: (3, N) of gaits at its end. goes: (N,) who went as far as its gait
    takes it, neither stopped nor pushed.
    """
    turned = np.abs(_turned(before.heading, state.heading)) > STRAIGHT
    free = goes & ~turned & ~fading(weight) & ~fading(before.weight)
    off = (state.foot_offset != 0).any(axis=0) | (state.foot_yaw != 0).any(axis=0)
    (who,) = np.nonzero(~free | off | (state.foot_step != 0).any(axis=0))
    if who.size:
        moved = _of(before, who), _of(bodies(state, weight), who)
        feet = _Feet(state, settings, who, moved, free[who])
        feet.hold()
        feet.release()
        feet.lift()
        feet.put_down()
        feet.store(state)


class _Feet:
    """The feet of n agents in a step of the crowd.

    offset: (2, F, n) float64. yaw: (F, n) float64. step: (F, n). See `CrowdState`.
    """

    def __init__(
        self,
        state: CrowdState,
        settings: CrowdSettings,
        who: Indices,
        moved: tuple[Bodies, Bodies],
        free: Mask,
    ) -> None:
        """moved: the agents before and after. free: (n,) whose feet move as clips have them."""
        (before, after), tables = moved, settings.foot_tables
        self._who, self._after, self._free = who, after, free
        self.offset = state.foot_offset[:, who].astype(np.float64).reshape(2, MOST_FEET, -1)
        self.yaw = state.foot_yaw[:, who].astype(np.float64)
        self.step = state.foot_step[:, who]
        role = state.role[who]
        self.contact = after.contact(tables, role)
        self.raised = _raised(state, settings, who, before, after)
        # How far each foot would be dragged, and turned, if it weren't held.
        as_it_is = free & (self.offset == 0).all(axis=0) & (self.yaw == 0) & (self.step == 0)
        self.dragged = np.where(as_it_is, 0.0, after.places(tables) - before.places(tables))
        self.turned = np.where(as_it_is, 0.0, _turned(before.heading, after.heading))
        self.counts = tables.counts[after.kind]
        self.height = tables.heights[after.kind] * (after.scale / float(SCALE))

    def hold(self) -> None:
        held = (self.contact != SWINGS) & (self.step == 0) | (self.step > 0) & (self.step <= LIFTING)
        held |= self._lands
        self.offset -= np.where(held, self.dragged, 0.0)
        self.yaw -= np.where(held, self.turned, 0.0)

    @property
    def _lands(self) -> Mask:
        """Whether (F, n) feet of agents that go come down in their gait before their step is over."""
        goes = self._after.weight[IDLE] == 0
        return goes & (self.contact != SWINGS) & (self.step >= HIGH)

    def release(self) -> None:
        """Let feet that their gait swings go where it has them."""
        swings = (self.contact == SWINGS) & (self.step == 0)
        kept = np.where(swings, (RELEASED - 1) / RELEASED, 1.0)
        self.offset, self.yaw = np.trunc(self.offset * kept), np.trunc(self.yaw * kept)
        # Whatever is left would have them held again where they come down.
        near = (np.abs(self.offset) <= self.height / AWAY_STANDING).all(axis=0)
        there = swings & near & (np.abs(self.yaw) <= TURNED_STANDING)
        self.offset[:, there], self.yaw[there] = 0, 0

    def lift(self) -> None:
        """Lift the foot of each agent that is farthest off, if too far, and half of its feet stand."""
        stands = self._after.weight[IDLE] == FULL
        still = stands & self._free
        away = self.height / np.select([still, stands], [AWAY_STANDING, AWAY_TURNING], AWAY_MOVING)
        x, y = self.offset
        much = np.maximum(
            np.sqrt(x * x + y * y) / np.maximum(away, 1.0),
            np.abs(self.yaw) / np.where(still, TURNED_STANDING, TURNED),
        )
        much = np.where((self.contact == STANDS) & (self.step == 0), much, 0.0)
        worst, agents = much.argmax(axis=0), np.arange(len(self.counts))
        most = np.where(stands, np.maximum(self.counts // 2, 1), self.counts)
        others = (self.step > 0).sum(axis=0) < most
        lifted = (much[worst, agents] > 1) & others
        self.step[worst[lifted], agents[lifted]] = 1
        self.step[self.raised & (self.step == 0)] = 1

    def put_down(self) -> None:
        """Move lifted feet on, as far ahead of where they belong as they will be behind at their next step."""
        lifted, idle = self.step > 0, self._after.weight[IDLE]
        # Whoever goes has no time for more: the gait puts the foot down soon.
        faster = np.where(idle == 0, HURRY, 1)
        share = np.where(lifted & ~self._lands, _left(np.maximum(self.step - faster, 0), self.step), 0.0)
        ahead = np.where(self.contact == STANDS, STEP_LASTS / 2, 0.0)
        far = self.height / FARTHEST_AHEAD
        self.offset += (np.clip(self.dragged * ahead, -far, far) - self.offset) * share
        self.yaw += (self.turned * ahead - self.yaw) * share
        # Until the gait alone swings the foot, which a mix with standing has near the ground.
        waits = (self.contact == SWINGS) & (idle > 0) & (idle < FULL) & (self.step >= HIGH)
        later = np.minimum(self.step + np.where(waits, 0, faster), STEP_LASTS)
        self.step = np.where(lifted & (self.step < STEP_LASTS), later, 0)

    def store(self, state: CrowdState) -> None:
        state.foot_offset[:, self._who] = np.rint(self.offset).astype(np.int64).reshape(2 * MOST_FEET, -1)
        state.foot_yaw[:, self._who] = np.rint(self.yaw).astype(np.int64)
        state.foot_step[:, self._who] = self.step


def _raised(state: CrowdState, settings: CrowdSettings, who: Indices, before: Bodies, after: Bodies) -> Mask:
    """Whether (F, n) feet are lifted by their stride while agents begin to go or stop: a mix with standing has
    them too near the ground for that, so they are raised as in a step.
    """
    tables = settings.foot_tables
    stride = np.where(after.weight[RUN] > after.weight[WALK], RUN, WALK)
    contact = after.contact(tables, stride)
    stands_too = (state.role[who] == IDLE) | (state.begin[IDLE, who] > 0)
    fades = stands_too & (state.fade[who] < settings.fade)
    begins = state.fade[who] == 0
    lifted = (contact == SWINGS) & (before.contact(tables, stride) != SWINGS)
    has = tables.counts[after.kind] > np.arange(MOST_FEET)[:, None]
    return has & fades & (begins & (contact != STANDS) | lifted)


def _left(begin: Integers, end: Integers) -> Floats:
    """Return which share of the way that is left at one moment of a step (F, n) is covered by another. Feet
    begin and end slowly.
    """
    a, b = begin / STEP_LASTS, end / STEP_LASTS
    done, then = a * a * (3 - 2 * a), b * b * (3 - 2 * b)
    return np.where(end >= STEP_LASTS, 1.0, (then - done) / np.maximum(1 - done, 1e-9))


def _turned(before: Integers, after: Integers) -> Floats:
    """Return the small angles (n,) between headings (2, n), in units of `foot_yaw`."""
    (a, b), (c, d) = before / float(UNIT), after / float(UNIT)
    sine = a * d - b * c
    # The arc sine's series: libraries round the function itself differently.
    square = sine * sine
    return np.rint(sine * (1 + square * (1 / 6 + square * 0.075)) * RADIAN)


def _of(all_of_them: Bodies, who: Indices) -> Bodies:
    one = all_of_them
    return Bodies(
        one.kind[who],
        one.scale[who],
        one.position[:, who],
        one.heading[:, who],
        one.stride_phase[who],
        one.idle_phase[who],
        one.weight[:, who],
    )
