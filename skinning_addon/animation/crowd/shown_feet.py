"""The feet of agents as they are to be seen: where each is held, how far it is turned and lifted, and how much
higher the ground is under it.

What `held_feet` keeps is where feet are seen from above. On a slope each foot goes up or down by as much as the
ground under it, and lies on it as on level ground.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from .fixed_point import SCALE, UNIT, Floats, Indices, Integers, Mask
from .gaits import fading, weights
from .ground import Ground
from .held_feet import AWAY_STANDING, RADIAN, STEP_LASTS, TURNED_STANDING, bodies
from .settings import CrowdSettings
from .state import CrowdState

NOTHING = 1 / AWAY_STANDING
"""Feet that are off by less than this share of the height are shown as clips have them."""

LENGTH = 0.2
"""The share of the height that a foot is long at most."""

REACH = 2.0
"""The share of the height that any point of a body is away from where it stands at most."""

STEEPEST = 0.7
"""The slope, as a tangent, to which feet tilt at most: 35 degrees, which crowds climb at most unless told
otherwise.
"""

STEP_HIGH = 0.05
"""The share of the height by which a foot goes further up or down at most than such a slope would take it from
the middle of the agent, so that agents don't kneel beside a wall.
"""

RAISED = 0.05
"""The share of the height by which a foot is raised in the middle of a step."""


@dataclass(frozen=True, eq=False)
class GroundUnder:
    """The ground under F feet of n agents. places: (2, F, n) where they stand, in micrometres. ahead: (2, n)
    the agents' headings, as long as a micrometre at scale SCALE. size: (n,) how long that is.
    """

    ground: Ground
    places: Floats
    ahead: Floats
    size: Floats

    def only(self, which: Indices) -> GroundUnder:
        """Return that of some agents."""
        return GroundUnder(
            self.ground, *(one.take(which, axis=-1) for one in (self.places, self.ahead, self.size))
        )

    def above(self, ahead: Floats, left: Floats) -> Floats:
        """Return how much higher (F, n) it is so far ahead of places and to their left, (F, n) or (n,); lengths
        are in micrometres at scale SCALE.
        """
        x, y = self.ahead
        way = np.stack((x * ahead - y * left, y * ahead + x * left))
        there = self.places + (way if way.ndim == 3 else way[:, None])
        return (self.ground.heights_at(there) - self.ground.heights_at(self.places)) / self.size

    def rise_and_slope(self, middle: Integers, height: Floats) -> tuple[Floats, Floats]:
        """Return how much higher it is (F, n) than under the middle (2, n) of agents, and its slope (2, F, n)
        ahead and to the left, both as far as they are shown.

        height: (n,) how tall agents stand.
        """
        rise = (self.ground.heights_at(self.places) - self.ground.heights_at(middle)) / self.size
        most = STEEPEST * np.hypot(*(self.places - middle[:, None])) / self.size + STEP_HIGH * height
        apart, none = LENGTH / 2 * height, np.zeros_like(height)
        ways = (apart, none), (none, apart)
        slope = np.stack([self.above(a, b) - self.above(-a, -b) for a, b in ways]) / (2 * apart)
        slope *= np.minimum(1.0, STEEPEST / np.maximum(np.hypot(*slope), STEEPEST))
        return np.clip(rise, -most, most), slope


@dataclass(frozen=True, eq=False)
class ShownFeet:
    """The feet of those n of N agents of whom one is to be seen held, F of each. Lengths are in micrometres at
    scale SCALE.

    held: (N,) who they are. fades: (n,) who is between two gaits. mixed: (2, F, n) the mix of where their gaits
    have the feet, ahead and to the left; offset: (2, F, n) how far from there they are held, likewise. yaw:
    (F, n) radians by which they are turned, counter-clockwise. lifted: (F, n) the share of a step that is done,
    0 for none. rise: (F, n) how much higher the ground is than under the middle of the agent. slope: (2, F, n)
    by how much it rises under the foot on its way ahead and to the left, as tangents. height: (n,) how tall
    agents stand. under: what feet stand on; None for a plane without end.
    """

    held: Mask
    fades: Mask
    mixed: Floats
    offset: Floats
    yaw: Floats
    lifted: Floats
    rise: Floats
    slope: Floats
    height: Floats
    under: GroundUnder | None = None

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
        x, y = off = state.foot_offset.take(who, axis=1).reshape(2, tables.feet, -1)
        cosine, sine = now.heading / float(UNIT)
        rise, slope, under = np.zeros((tables.feet, len(who))), np.zeros((2, tables.feet, len(who))), None
        if state.ground is not None:
            own = np.arange(tables.feet)[:, None] < tables.counts[now.kind]
            ahead = now.heading / float(UNIT) * size
            under = GroundUnder(state.ground, now.places(tables) + off, ahead, size)
            rise, slope = (one * own for one in under.rise_and_slope(now.position, height))
        found = cls(
            seen,
            fades[who],
            now.from_agents(tables),
            np.stack((cosine * x + sine * y, cosine * y - sine * x)) / size,
            state.foot_yaw.take(who, axis=1) / float(RADIAN),
            state.foot_step.take(who, axis=1) / STEP_LASTS,
            rise,
            slope,
            height,
            under,
        )
        if state.ground is None:
            return found
        moved = np.abs(rise) + _tilt(slope) * (LENGTH * height)
        return found.only(np.flatnonzero(away[who] | (moved > NOTHING * height).any(axis=0)))

    def only(self, which: Indices) -> ShownFeet:
        """Return some of the n, as if no others were held."""
        held = np.zeros(len(self.held), dtype=np.bool_)
        held[np.flatnonzero(self.held)[which]] = True
        arrays = (getattr(self, one.name).take(which, axis=-1) for one in fields(self)[1:-1])
        return ShownFeet(held, *arrays, under=self.under and self.under.only(which))

    @property
    def body_off(self) -> Floats:
        """(N,) how far any point of a body is at most from where its gaits have it, because it goes down with
        its feet or leans with the slope (`standing_legs`); 0 on level ground.
        """
        ahead = (self.mixed + self.offset)[0]
        lean = np.abs((self.rise * ahead).sum(axis=0)) / np.maximum((ahead * ahead).sum(axis=0), 1.0)
        sunk = 2 * np.abs(self.rise) + LENGTH * self.height * np.hypot(*self.slope)
        result = np.zeros(len(self.held))
        result[self.held] = sunk.max(axis=0) + np.minimum(lean, STEEPEST) * (REACH * self.height)
        return result

    @property
    def farthest_off(self) -> Floats:
        """(N,) how far a point of a foot is at most from where its gaits have it; 0 where no foot is held."""
        # A foot is no longer than a part of the height.
        turned = np.abs(self.yaw) * (LENGTH * self.height)
        raised = np.where(self.lifted > 0, RAISED * self.height, 0.0)
        tilted = _tilt(self.slope) * (LENGTH * self.height)
        away = np.hypot(*self.offset) + turned + tilted + raised + np.abs(self.rise)
        result = np.zeros(len(self.held))
        result[self.held] = away.max(axis=0)
        return result


def _tilt(slope: Floats) -> Floats:
    """Return the angles (...) of slopes (2, ...), in radians."""
    return np.arctan(np.hypot(*slope))
