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
    turned = _turned(before.heading, state.heading)
    free = goes & (np.abs(turned) <= STRAIGHT) & ~fading(weight) & ~fading(before.weight)
    off = (state.foot_offset != 0).any(axis=0) | (state.foot_yaw != 0).any(axis=0)
    (who,) = np.nonzero(~free | off | (state.foot_step != 0).any(axis=0))
    if who.size:
        moved = before.only(who), bodies(state, weight).only(who)
        feet = _Feet(state, settings, who, moved, free=free[who], turned=turned[who])
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
        *,
        free: Mask,
        turned: Floats,
    ) -> None:
        """moved: the agents before and after. free: (n,) whose feet move as clips have them. turned: (n,) by
        how much agents have.
        """
        (before, after), tables = moved, settings.foot_tables
        self._who, self._after, self._free = who, after, free
        self.offset = state.foot_offset.take(who, axis=1).astype(np.float64).reshape(2, MOST_FEET, -1)
        self.yaw = state.foot_yaw.take(who, axis=1).astype(np.float64)
        self.step = state.foot_step.take(who, axis=1)
        self.contact = after.contact(tables, state.role[who], np.arange(len(who)))
        self.raised = _raised(state, settings, who, before, after)
        # How far each foot would be dragged, and turned, if it weren't held.
        places = Bodies.joined(before, after).places(tables)
        moves = ~free | (self.offset != 0).any(axis=0) | (self.yaw != 0) | (self.step != 0)
        self.dragged = (places[..., len(who) :] - places[..., : len(who)]) * moves
        self.turned = turned * moves
        self.counts = tables.counts[after.kind]
        self.height = tables.heights[after.kind] * (after.scale / float(SCALE))

    def hold(self) -> None:
        held = (self.contact != SWINGS) & (self.step == 0) | (self.step > 0) & (self.step <= LIFTING)
        # Agents that go put feet down where their gait does, though their step is not over.
        held |= (self._after.weight[IDLE] == 0) & (self.contact != SWINGS) & (self.step >= HIGH)
        self.offset -= self.dragged * held
        self.yaw -= self.turned * held

    def release(self) -> None:
        """Let feet that their gait swings go where it has them."""
        swings = np.flatnonzero((self.contact == SWINGS) & (self.step == 0))
        offset, yaw = self.offset.reshape(2, -1), self.yaw.reshape(-1)
        left = offset.take(swings, axis=1) * ((RELEASED - 1) / RELEASED)
        turned = yaw.take(swings) * ((RELEASED - 1) / RELEASED)
        # Whatever is left would have them held again where they come down.
        least = (self.height / AWAY_STANDING).take(swings, mode="wrap")
        near = (np.abs(np.trunc(left)) <= least).all(axis=0)
        away = ~(near & (np.abs(np.trunc(turned)) <= TURNED_STANDING))
        offset[:, swings], yaw[swings] = left * away, turned * away
        np.trunc(offset, out=offset)
        np.trunc(yaw, out=yaw)

    def lift(self) -> None:
        """Lift the foot of each agent that is farthest off, if too far, and half of its feet stand."""
        stands = self._after.weight[IDLE] == FULL
        still = stands & self._free
        away = self.height / np.where(still, AWAY_STANDING, np.where(stands, AWAY_TURNING, AWAY_MOVING))
        x, y = self.offset
        much = np.maximum(
            np.sqrt(x * x + y * y) / np.maximum(away, 1.0),
            np.abs(self.yaw) / np.where(still, TURNED_STANDING, TURNED),
        )
        much *= (self.contact == STANDS) & (self.step == 0)
        (agents,) = np.nonzero(much.max(axis=0) > 1)
        most = np.where(stands[agents], np.maximum(self.counts[agents] // 2, 1), self.counts[agents])
        agents = agents[(self.step[:, agents] > 0).sum(axis=0) < most]
        self.step[much[:, agents].argmax(axis=0), agents] = 1
        self.step[self.raised & (self.step == 0)] = 1

    def put_down(self) -> None:
        """Move lifted feet on, as far ahead of where they belong as they will be behind at their next step."""
        lifted = np.flatnonzero(self.step > 0)
        agents = lifted % len(self._who)
        step, contact = self.step.take(lifted), self.contact.take(lifted)
        idle = self._after.weight[IDLE].take(agents)
        # Whoever goes has no time for more: the gait puts the foot down soon.
        faster = np.where(idle == 0, HURRY, 1)
        share = _left(np.maximum(step - faster, 0), step)
        share *= ~((idle == 0) & (contact != SWINGS) & (step >= HIGH))
        ahead = np.where(contact == STANDS, STEP_LASTS / 2, 0.0)
        far = (self.height / FARTHEST_AHEAD).take(agents)
        dragged = self.dragged.reshape(2, -1).take(lifted, axis=1) * ahead
        offset, yaw = self.offset.reshape(2, -1), self.yaw.reshape(-1)
        begin, turned = offset.take(lifted, axis=1), yaw.take(lifted)
        offset[:, lifted] = begin + (np.clip(dragged, -far, far) - begin) * share
        yaw[lifted] = turned + (self.turned.take(lifted) * ahead - turned) * share
        # Until the gait alone swings the foot, which a mix with standing has near the ground.
        waits = (contact == SWINGS) & (idle > 0) & (idle < FULL) & (step >= HIGH)
        later = np.minimum(step + np.where(waits, 0, faster), STEP_LASTS)
        self.step.reshape(-1)[lifted] = np.where(step < STEP_LASTS, later, 0)

    def store(self, state: CrowdState) -> None:
        state.foot_offset[:, self._who] = np.rint(self.offset).astype(np.int64).reshape(2 * MOST_FEET, -1)
        state.foot_yaw[:, self._who] = np.rint(self.yaw).astype(np.int64)
        state.foot_step[:, self._who] = self.step


def _raised(state: CrowdState, settings: CrowdSettings, who: Indices, before: Bodies, after: Bodies) -> Mask:
    """Whether (F, n) feet are lifted by their stride while agents begin to go or stop: a mix with standing has
    them too near the ground for that, so they are raised as in a step.
    """
    result = np.zeros((MOST_FEET, len(who)), dtype=np.bool_)
    fade = state.fade[who]
    stands_too = (state.role[who] == IDLE) | (state.begin[IDLE, who] > 0)
    (fades,) = np.nonzero(stands_too & (fade < settings.fade))
    walk, run = after.weight[WALK:, fades]
    tables, stride = settings.foot_tables, np.where(run > walk, RUN, WALK)
    contact = after.contact(tables, stride, fades)
    lifted = (contact == SWINGS) & (before.contact(tables, stride, fades) != SWINGS)
    has = tables.counts[after.kind[fades]] > np.arange(MOST_FEET)[:, None]
    result[:, fades] = has & ((fade[fades] == 0) & (contact != STANDS) | lifted)
    return result


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
