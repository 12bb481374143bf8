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
from .gaits import Fades
from .kinds import IDLE, RUN, STANDS, SWINGS, WALK
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
    """Return the agents as they are. weight: (3, N) of their gaits.

    They stay so while a step changes the state: it replaces all of their arrays but the headings.
    """
    return Bodies(
        state.cast.kind,
        state.cast.scale,
        state.position,
        state.heading.copy(),
        state.stride_phase,
        state.idle_phase,
        weight,
    )


def hold_feet(state: CrowdState, settings: CrowdSettings, before: Bodies, fades: Fades, goes: Mask) -> None:
    """Move feet on by a step of the crowd.

    before: the agents at its start. fades: of the step. goes: (N,) who went as far as its gait takes it,
    neither stopped nor pushed.
    """
    turned = _turned(before.heading, state.heading)
    free = goes & (np.abs(turned) <= STRAIGHT) & ~fades.fades
    off = np.bitwise_or.reduce(state.foot_offset, axis=0)
    off |= np.bitwise_or.reduce(state.foot_yaw, axis=0) | np.bitwise_or.reduce(state.foot_step, axis=0)
    (who,) = np.nonzero(~free | (off != 0))
    if who.size:
        moved = Bodies.joined(before, bodies(state, fades.after), who)
        feet = _Feet(state, settings, who, moved, free=free[who], turned=turned[who])
        feet.hold()
        feet.release()
        feet.lift()
        feet.put_down()
        feet.store(state)


class _Feet:
    """The F feet of n agents in a step of the crowd.

    off: (3, F, n) float64, how far each is from where its gaits have it along X and along Y, and by how much
    it is turned. step, contact: (F, n). swings: (F, n) whether its gait moves it. down: (F, n) whether it was
    in no step of its own when this one began. See `CrowdState`.
    """

    def __init__(
        self,
        state: CrowdState,
        settings: CrowdSettings,
        who: Indices,
        moved: Bodies,
        *,
        free: Mask,
        turned: Floats,
    ) -> None:
        """moved: the agents before, and the same after. free: (n,) whose feet move as clips have them.
        turned: (n,) by how much agents have.
        """
        tables, count = settings.foot_tables, len(who)
        self._who, self._free = who, free
        self._idle = moved.weight[IDLE, count:]
        self.step = state.foot_step.take(who, axis=1)
        self.off = np.empty((3, *self.step.shape))
        self.off[:2] = state.foot_offset.take(who, axis=1).reshape(2, *self.step.shape)
        self.off[2] = state.foot_yaw.take(who, axis=1)
        self.contact = moved.between(count, 2 * count).contact(tables, state.role[who])
        self.swings, self.down = self.contact == SWINGS, self.step == 0
        self.raised = _raised(state, settings, who, moved)
        # How far each foot would be dragged, and turned, if it weren't held.
        places = moved.places(tables)
        x, y, yaw = self.off
        self.dragged = np.empty_like(self.off)
        np.subtract(places[..., count:], places[..., :count], out=self.dragged[:2])
        self.dragged[2] = turned
        self.dragged *= ~free | (x != 0) | (y != 0) | (yaw != 0) | ~self.down
        kind = moved.kind[:count]
        self.counts = tables.counts[kind]
        self.height = tables.heights[kind] * (moved.scale[:count] / float(SCALE))

    def hold(self) -> None:
        # Agents that go put feet down where their gait does, though their step is not over.
        held = self.down | (self._idle == 0) & (self.step >= HIGH)
        held &= ~self.swings
        held |= (self.step <= LIFTING) & ~self.down
        self.off -= self.dragged * held

    def release(self) -> None:
        """Let feet that their gait swings go where it has them."""
        swings = np.flatnonzero(self.swings & self.down)
        off = self.off.reshape(3, -1)
        left = off.take(swings, axis=1) * ((RELEASED - 1) / RELEASED)
        # Whatever is left would have them held again where they come down.
        least = (self.height / AWAY_STANDING).take(swings, mode="wrap")
        x, y, yaw = np.abs(np.trunc(left))
        off[:, swings] = left * ~((x <= least) & (y <= least) & (yaw <= TURNED_STANDING))
        np.trunc(off, out=off)

    def lift(self) -> None:
        """Lift the foot of each agent that is farthest off, if too far, and half of its feet stand."""
        stands = self._idle == FULL
        still = stands & self._free
        away = self.height / np.where(still, AWAY_STANDING, np.where(stands, AWAY_TURNING, AWAY_MOVING))
        x, y, yaw = self.off
        much = np.maximum(
            np.sqrt(x * x + y * y) / np.maximum(away, 1.0),
            np.abs(yaw) / np.where(still, TURNED_STANDING, TURNED),
        )
        much *= (self.contact == STANDS) & self.down
        (agents,) = np.nonzero(much.max(axis=0) > 1)
        if agents.size:
            most = np.where(stands[agents], np.maximum(self.counts[agents] // 2, 1), self.counts[agents])
            agents = agents[(self.step[:, agents] > 0).sum(axis=0) < most]
            self.step[much[:, agents].argmax(axis=0), agents] = 1
        self.step[self.raised & (self.step == 0)] = 1

    def put_down(self) -> None:
        """Move lifted feet on, as far ahead of where they belong as they will be behind at their next step."""
        lifted = np.flatnonzero(self.step > 0)
        agents = lifted % len(self._who)
        step, idle = self.step.take(lifted), self._idle.take(agents)
        goes, high, swings = idle == 0, step >= HIGH, self.swings.take(lifted)
        # Whoever goes has no time for more: the gait puts the foot down soon.
        share = np.where(goes, LEFT[HURRY].take(step), LEFT[1].take(step))
        share *= ~(goes & ~swings & high)
        wanted = self.dragged.reshape(3, -1).take(lifted, axis=1)
        wanted *= (self.contact.take(lifted) == STANDS) * (STEP_LASTS / 2)
        far = (self.height / FARTHEST_AHEAD).take(agents)
        wanted[:2] = np.minimum(np.maximum(wanted[:2], -far), far)
        off = self.off.reshape(3, -1)
        begin = off.take(lifted, axis=1)
        off[:, lifted] = begin + (wanted - begin) * share
        # Until the gait alone swings the foot, which a mix with standing has near the ground.
        waits = swings & ~goes & (idle < FULL) & high
        later = np.minimum(step + np.where(waits, 0, np.where(goes, HURRY, 1)), STEP_LASTS)
        self.step.reshape(-1)[lifted] = np.where(step < STEP_LASTS, later, 0)

    def store(self, state: CrowdState) -> None:
        whole = np.rint(self.off).astype(np.int64)
        state.foot_offset[:, self._who] = whole[:2].reshape(len(state.foot_offset), -1)
        state.foot_yaw[:, self._who] = whole[2]
        state.foot_step[:, self._who] = self.step


def _raised(state: CrowdState, settings: CrowdSettings, who: Indices, moved: Bodies) -> Mask:
    """Whether (F, n) feet are lifted by their stride while agents begin to go or stop: a mix with standing has
    them too near the ground for that, so they are raised as in a step.
    """
    tables, count = settings.foot_tables, len(who)
    result = np.zeros((tables.feet, count), dtype=np.bool_)
    (fades,) = np.nonzero(state.fade[who] < settings.fade)
    agents = who[fades]
    stands_too = (state.role[agents] == IDLE) | (state.begin[IDLE, agents] > 0)
    fades, agents = fades[stands_too], agents[stands_too]
    if fades.size:
        walk, run = moved.weight[WALK:, fades + count]
        stride, kind = np.where(run > walk, RUN, WALK), moved.kind[fades]
        before, contact = (
            tables.contact_at(kind, stride, moved.stride_phase[one]) for one in (fades, fades + count)
        )
        lifted = (contact == SWINGS) & (before != SWINGS)
        has = tables.counts[kind] > np.arange(len(contact))[:, None]
        result[:, fades] = has & ((state.fade[agents] == 0) & (contact != STANDS) | lifted)
    return result


def _left(faster: int) -> Floats:
    """Return which share of the way that is left before each moment of a step (STEP_LASTS + 1,) is covered at
    it, if a step of the crowd takes it on by `faster` moments. Feet begin and end slowly.
    """
    end = np.arange(STEP_LASTS + 1)
    a, b = np.maximum(end - faster, 0) / STEP_LASTS, end / STEP_LASTS
    done, then = a * a * (3 - 2 * a), b * b * (3 - 2 * b)
    return np.where(end >= STEP_LASTS, 1.0, (then - done) / np.maximum(1 - done, 1e-9))


LEFT = {faster: _left(faster) for faster in (1, HURRY)}
"""See `_left`."""


def _turned(before: Integers, after: Integers) -> Floats:
    """Return the small angles (N,) between headings (2, N), in units of `foot_yaw`."""
    result = np.zeros(before.shape[1])
    x, y = before != after
    (who,) = np.nonzero(x | y)
    (a, b), (c, d) = before[:, who] / float(UNIT), after[:, who] / float(UNIT)
    sine = a * d - b * c
    # The arc sine's series: libraries round the function itself differently.
    square = sine * sine
    result[who] = np.rint(sine * (1 + square * (1 / 6 + square * 0.075)) * RADIAN)
    return result
