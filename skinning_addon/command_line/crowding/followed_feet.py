"""How far the feet of some agents slide over the ground while they are planted, as the crowd really plays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...animation.crowd.contacts import CLEARANCE, HALF, TOUCHING
from ...animation.crowd.crowd import Crowd
from ...animation.crowd.fixed_point import MICROMETRES, SCALE, UNIT
from ...animation.crowd.gaits import fading, weights
from ...animation.crowd.kinds import IDLE, WALK
from ...animation.crowd.settings import CrowdSettings
from ...animation.crowd.state import CrowdState
from ...animation.crowd.strides import STANDARD_HEIGHT
from ...animation.local_pose import compose
from ...animation.sampling import ClipSampler
from ...scene.crowd.character import Character
from ...scene.crowd.variants import Troupe, Variant, troupes

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

TURNS = 1e-5
"""Radians in a step; whoever turns by less goes straight ahead."""

AT_LEAST = 0.5
"""Feet are planted that are slower than half of this share of the walking speed."""

PUSHED = 0.01
"""The share of its speed by which an agent is slower or faster that is stopped, or pushed aside."""

SAMPLES = 240
"""Of a clip, for where its feet are lowest."""

SHORTEST = 4
"""Steps; anything shorter is no contact."""

MOMENTS = 3

DIRECTIONS = np.stack([(np.cos(one), np.sin(one)) for one in np.pi / 8 * np.arange(8)], axis=1)
"""(2, 8) in which a path's extent is measured: what it is at least, and at most 2 % more."""


@dataclass(eq=False)
class Slides:
    """The farthest that a planted foot slid, in millimetres at a standing height of 1.8 m, and in how many
    contacts: of agents that walk or run straight ahead, and of all others, which fade, turn, stand, or are
    stopped by others.
    """

    straight: float = 0.0
    straight_contacts: int = 0
    others: float = 0.0
    other_contacts: int = 0

    def note(self, slid: Floats, straight: Mask) -> None:
        """Note contacts that have ended: how far (C,) each slid, and whether it was straight."""
        self.straight = max(self.straight, float(slid[straight].max(initial=0.0)))
        self.others = max(self.others, float(slid[~straight].max(initial=0.0)))
        self.straight_contacts += int(straight.sum())
        self.other_contacts += int((~straight).sum())


class FollowedFeet:
    """Follows some agents of each character, step by step."""

    def __init__(self, variants: Sequence[Variant], count: int) -> None:
        """count: agents of each character; 0 to follow none."""
        self._followed = [_Followed(one, count) for one in troupes(variants)] if count else []

    @property
    def slides(self) -> list[tuple[Character, Slides]]:
        """Each character, and how far its feet slid."""
        return [(one.character, one.slides) for one in self._followed]

    def told(self) -> list[str]:
        """Return what was found, a sentence for each character."""
        return [
            f"{one.character.name}, the feet of {one.count}: planted ones slid by {one.slides.straight:.1f} mm "
            f"at most at a height of 1.8 m in {one.slides.straight_contacts:,} contacts straight ahead, and by "
            f"{one.slides.others:.1f} mm in {one.slides.other_contacts:,} while fading, turning, standing or "
            f"being stopped."
            for one in self._followed
        ]

    def note(self, crowd: Crowd) -> None:
        """Look at the crowd after a step."""
        for one in self._followed:
            one.note(crowd)


@dataclass(frozen=True, eq=False)
class _Moment:
    """A agents after a step: the points of each foot (A, P, 3), and how high each is above the ground under it
    (A, P), in units of the scene.
    """

    state: CrowdState
    feet: list[Floats]
    above: list[Floats]


@dataclass(eq=False)
class _Followed:
    """A agents of a character with F feet. count: A at most. moments: the last three. planted,
    straight: (A, F), whether a contact goes on, and has been straight. length: (A, F), its steps. path:
    (A, F, 2), how far it slid. least, most: (A, F, 8), its extent by direction.
    """

    troupe: Troupe
    count: int
    slides: Slides = field(default_factory=Slides)
    moments: list[_Moment] = field(default_factory=list[_Moment])

    @property
    def character(self) -> Character:
        return self.troupe.character

    def note(self, crowd: Crowd) -> None:
        state = crowd.state.of(self.troupe.members(crowd.state)[: self.count])
        if not state.count:
            return
        if not self.moments or self.moments[0].state.count != state.count:
            self.moments = []
            shape = state.count, len(self.character.body.feet)
            self.planted, self.straight = np.zeros(shape, np.bool_), np.zeros(shape, np.bool_)
            self.length, self.path = np.zeros(shape, np.int64), np.zeros((*shape, 2))
            self.least, self.most = np.zeros((*shape, 8)), np.zeros((*shape, 8))
        self.moments = [*self.moments[-2:], self._moment(state, crowd)]
        if len(self.moments) == MOMENTS:
            self._look(crowd.settings)

    def _moment(self, state: CrowdState, crowd: Crowd) -> _Moment:
        body, poser = self.character.body, self.character.poser
        to_root = body.skeleton.to_root(compose(poser.poses(state, crowd.settings).pose(0, state.count)))
        places = poser.places(state)
        points = [
            np.einsum("pi,apij->apj", foot.points, (to_root @ places[:, None])[:, foot.bones])[..., :3]
            for foot in body.feet
        ]
        return _Moment(state, points, [self._above_ground(one, state) for one in points])

    def _above_ground(self, points: Floats, state: CrowdState) -> Floats:
        if state.ground is None:
            return points[..., 2]
        under = state.ground.heights_at(np.moveaxis(points[..., :2], -1, 0) * self._micrometres)
        return points[..., 2] - under / self._micrometres

    @cached_property
    def _lowest(self) -> Floats:
        """(3, F) where each foot is lowest in each role's clip, in units of the scene."""
        body = self.character.body
        found: list[list[float]] = []
        for stride in self.character.strides:
            seconds = np.linspace(0, stride.clip.duration, SAMPLES)
            to_root = body.skeleton.to_root(compose(ClipSampler(stride.clip, body.skeleton).at(seconds)))
            found.append([float(one[..., 2].min()) for one in body.posed_feet(to_root)])
        return np.array(found)

    @property
    def _micrometres(self) -> float:
        """In a unit of the scene."""
        return MICROMETRES * self.character.metres_per_unit

    def _look(self, settings: CrowdSettings) -> None:
        """Look at the moment in the middle, as `contacts.FootMotion` does."""
        before, now, after = self.moments
        height = self.character.body.height * now.state.cast.scale / SCALE
        moved, clearance = _moved(before, now, after, height)
        heard = weights(now.state, settings)
        turned = np.abs(after.state.heading - before.state.heading).max(axis=0) / UNIT
        way = (after.state.position - before.state.position) / (2 * self._micrometres)
        full = now.state.cast.speed_in(now.state.role) / self._micrometres
        straight = ~fading(heard) & (heard[IDLE] == 0) & (turned < TURNS)
        # Neither stopped nor pushed aside by others.
        straight &= np.abs(np.linalg.norm(way, axis=0) - full) < PUSHED * full
        # Whoever stands, or almost, has no speed by which a foot could be told to be slower.
        slowest = AT_LEAST * now.state.cast.speeds[WALK] / self._micrometres
        speed = np.maximum(np.linalg.norm(way, axis=0), slowest)
        # As high as each foot is at its lowest in the gaits that are heard.
        lowest = (heard / heard.sum(axis=0)).T @ self._lowest
        clearance -= lowest * (now.state.cast.scale / SCALE)[:, None]
        planted = clearance <= CLEARANCE * height[:, None]
        planted &= np.linalg.norm(moved, axis=2) < HALF * speed[:, None]
        self._go_on(planted, straight, moved, STANDARD_HEIGHT * 1000 / height)

    def _go_on(self, planted: Mask, straight: Mask, moved: Floats, millimetres: Floats) -> None:
        begun, ended = planted & ~self.planted, self.planted & ~planted & (self.length >= SHORTEST)
        slid = (self.most - self.least).max(axis=2) * millimetres[:, None]
        self.slides.note(slid[ended], self.straight[ended])
        self.path[begun] = self.least[begun] = self.most[begun] = 0
        self.length = np.where(planted, np.where(begun, 1, self.length + 1), 0)
        self.straight = np.where(begun, straight[:, None], self.straight & straight[:, None])
        along = self.path @ DIRECTIONS
        self.least = np.where(planted[..., None], np.minimum(self.least, along), self.least)
        self.most = np.where(planted[..., None], np.maximum(self.most, along), self.most)
        # From here to the next moment.
        self.path += np.where(planted[..., None], moved, 0)
        self.planted = planted


def _moved(before: _Moment, now: _Moment, after: _Moment, height: Floats) -> tuple[Floats, Floats]:
    """Return how far (A, F, 2) what touches the ground of each foot goes in a step, and its height
    (A, F).
    """
    moved: list[Floats] = []
    clearance: list[Floats] = []
    for start, above, end in zip(before.feet, now.above, after.feet, strict=True):
        low = above.min(axis=1)
        weight = np.clip(1 - (above - low[:, None]) / (TOUCHING * height)[:, None], 0, 1)[..., None]
        way = (end - start)[..., :2] / 2
        moved.append((way * weight).sum(axis=1) / weight.sum(axis=1))
        clearance.append(low)
    return np.stack(moved, axis=1), np.stack(clearance, axis=1)
