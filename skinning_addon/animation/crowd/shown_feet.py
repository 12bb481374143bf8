"""The feet of agents as they are to be seen: where each is held, how far it is turned and lifted, and how much
higher the ground is under it.

What `held_feet` keeps is where feet are seen from above. On a slope each foot goes up or down by as much as the
ground under it.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from .fixed_point import SCALE, UNIT, Floats, Indices, Mask
from .gaits import fading, weights
from .held_feet import AWAY_STANDING, RADIAN, STEP_LASTS, TURNED_STANDING, bodies
from .kinds import MOST_FEET
from .settings import CrowdSettings
from .state import CrowdState

NOTHING = 1 / AWAY_STANDING
"""Feet that are off by less than this share of the height are shown as clips have them."""

LENGTH = 0.2
"""The share of the height that a foot is long at most."""

STEEPEST = 0.15
"""The share of the height by which a foot goes up or down at most, so that agents don't kneel beside a wall."""

RAISED = 0.05
"""The share of the height by which a foot is raised in the middle of a step."""


@dataclass(frozen=True, eq=False)
class ShownFeet:
    """The feet of those n of N agents of whom one is to be seen held, F of each. Lengths are in micrometres at
    scale SCALE.

    held: (N,) who they are. fades: (n,) who is between two gaits. mixed: (2, F, n) the mix of where their gaits
    have the feet, ahead and to the left; offset: (2, F, n) how far from there they are held, likewise. yaw:
    (F, n) radians by which they are turned, counter-clockwise. lifted: (F, n) the share of a step that is done,
    0 for none. rise: (F, n) how much higher the ground is than under the middle of the agent. height: (n,) how
    tall agents stand.
    """

    held: Mask
    fades: Mask
    mixed: Floats
    offset: Floats
    yaw: Floats
    lifted: Floats
    rise: Floats
    height: Floats

    @classmethod
    def of(cls, state: CrowdState, settings: CrowdSettings) -> ShownFeet:
        """Take them from a state."""
        tables, weight, cast = settings.foot_tables, weights(state, settings), state.cast
        fades = fading(weight)
        least = cast.scale * (NOTHING / SCALE) * tables.heights[cast.kind]
        away = fades | (np.abs(state.foot_offset).max(axis=0) > least)
        away |= np.abs(state.foot_yaw).max(axis=0) > TURNED_STANDING
        away |= (state.foot_step > 0).any(axis=0)
        seen = tables.counts[cast.kind] > 0
        if state.ground is None:
            seen &= away
        (who,) = np.nonzero(seen)
        now = bodies(state, weight).only(who)
        size, height = now.scale / float(SCALE), tables.heights[now.kind].astype(np.float64)
        x, y = off = state.foot_offset.take(who, axis=1).reshape(2, MOST_FEET, -1)
        cosine, sine = now.heading / float(UNIT)
        rise = np.zeros((MOST_FEET, len(who)))
        if state.ground is not None:
            ground = state.ground.heights_at
            above = (ground(now.places(tables) + off) - ground(now.position)) / size
            own = np.arange(MOST_FEET)[:, None] < tables.counts[now.kind]
            rise = np.where(own, np.clip(above, -STEEPEST * height, STEEPEST * height), 0.0)
        found = cls(
            seen,
            fades[who],
            now.from_agents(tables),
            np.stack((cosine * x + sine * y, cosine * y - sine * x)) / size,
            state.foot_yaw.take(who, axis=1) / float(RADIAN),
            state.foot_step.take(who, axis=1) / STEP_LASTS,
            rise,
            height,
        )
        if state.ground is None:
            return found
        return found.only(np.flatnonzero(away[who] | (np.abs(rise) > NOTHING * height).any(axis=0)))

    def only(self, which: Indices) -> ShownFeet:
        """Return some of the n, as if no others were held."""
        held = np.zeros(len(self.held), dtype=np.bool_)
        held[np.flatnonzero(self.held)[which]] = True
        return ShownFeet(held, *(getattr(self, one.name).take(which, axis=-1) for one in fields(self)[1:]))

    @property
    def farthest_off(self) -> Floats:
        """(N,) how far a point of a foot is at most from where its gaits have it; 0 where no foot is held."""
        # A foot is no longer than a part of the height.
        turned = np.abs(self.yaw) * (LENGTH * self.height)
        raised = np.where(self.lifted > 0, RAISED * self.height, 0.0)
        away = np.hypot(*self.offset) + turned + raised + np.abs(self.rise)
        result = np.zeros(len(self.held))
        result[self.held] = away.max(axis=0)
        return result
