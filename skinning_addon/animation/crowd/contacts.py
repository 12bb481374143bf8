"""When feet are planted in a cycle, and how they move over the ground while they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

CLEARANCE = 0.015
"""A foot is on the ground within this share of the standing height of where it is lowest."""

TOUCHING = 0.004
"""Points within this share of the standing height of a foot's lowest one touch the ground with it."""

HALF = 0.5
"""A foot that is planted moves along with the ground at more than this share of its speed."""

SHORTEST_CONTACT = 0.03
"""Of a cycle; anything shorter is no step."""

LIFTED = 0.15
"""The share of a cycle for which a foot is lifted at least between two steps."""

ROUNDS = 8
"""Of telling planted feet by a velocity, and the velocity by planted feet."""

STILL = 0.02
"""A character that moves by less than this share of its height in a second stands."""


@dataclass(frozen=True, eq=False)
class FootMotion:
    """The lowest points of F feet at S times that divide a cycle evenly.

    clearance: (F, S) above where each foot is lowest. velocity: (F, S, 2) horizontal, of what touches the
    ground. lowest: (F,) where that is. interval: seconds between times. height: the standing height.
    """

    clearance: Floats
    velocity: Floats
    lowest: Floats
    interval: float
    height: float

    @classmethod
    def of(cls, feet: Sequence[Floats], interval: float, height: float) -> FootMotion:
        """Follow the points (S, P, 3), in world space, of each foot around its cycle.

        A foot that rolls touches the ground with ever other points, none of which moves meanwhile; so the
        velocity is that of the points that touch, not that of the place where they do.
        """
        clearance: list[Floats] = []
        velocity: list[Floats] = []
        lowest: list[float] = []
        for points in feet:
            low = points[..., 2].min(axis=1)
            weight = touching(points, height)
            way = np.roll(points, -1, axis=0)[..., :2] - np.roll(points, 1, axis=0)[..., :2]
            velocity.append(
                (way * weight[..., None]).sum(axis=1) / (2 * interval * weight.sum(axis=1))[:, None]
            )
            lowest.append(float(low.min()))
            clearance.append(low - low.min())
        return cls(np.stack(clearance), np.stack(velocity), np.array(lowest), interval, height)

    @property
    def low(self) -> Mask:
        """(F, S), whether a foot is on the ground or just above."""
        return self.clearance <= CLEARANCE * self.height

    def planted(self, way: Floats) -> Mask:
        """Whether (F, S) feet stand on ground that moves backwards while the body goes at a velocity (2,).

        Too short contacts don't count.
        """
        speed = float(np.linalg.norm(way))
        if speed <= STILL * self.height:
            return self.low
        along = -(self.velocity @ way) / speed
        planted = self.low & (along > HALF * speed)
        for wanted in (False, True):
            planted = np.stack([without_short(one, SHORTEST_CONTACT, wanted) for one in planted])
        return planted

    def landings(self, way: Floats) -> list[list[float]]:
        """Return when each foot comes down, as shares of the cycle: where it is planted after it has swung
        forward. One that slips, or rolls from its heel to its toes, has come down before. A foot that never
        swings comes down wherever it is planted.
        """
        found: list[list[float]] = []
        for planted, moves in zip(self.planted(way), self.velocity, strict=True):
            steps = runs(without_short(planted, LIFTED, False)) if planted.any() else []
            starts = [int(step[0]) for step in steps if len(step) < len(planted)]
            swung = [start for start in starts if _between(planted, start, moves @ way > 0)]
            found.append([start / len(planted) for start in swung or starts])
        return found

    def body_velocity(self) -> Floats | None:
        """Return the velocity (2,) at which the body goes, if feet don't slide; None if none is ever planted.

        First that of most moments at which a foot is low, then the mean over those that are planted by it.
        """
        if not self.low.any():
            return None
        way = -np.median(self.velocity[self.low], axis=0)
        for _ in range(ROUNDS):
            planted = self.planted(way)
            if not planted.any():
                return None
            way = -_of_moment(self.velocity, planted)[planted.any(axis=0)].mean(axis=0)
        return way

    def slip(self, way: Floats) -> Floats:
        """Return at what velocity (S, 2) the planted feet slide over the ground; 0 while none is planted."""
        planted = self.planted(way)
        held: Mask = np.asarray(planted.any(axis=0), dtype=np.bool_)
        return np.where(held[:, None], _of_moment(self.velocity, planted) + way, 0)

    def drift(self, way: Floats) -> float:
        """Return the farthest that any foot gets from a place on the ground while it is planted there."""
        farthest = 0.0
        for planted, velocity in zip(self.planted(way), self.velocity, strict=True):
            for contact in runs(planted):
                path = np.cumsum((velocity[contact] + way) * self.interval, axis=0)
                path = np.concatenate((np.zeros((1, 2)), path[:-1]))
                apart = np.linalg.norm(path[:, None] - path, axis=-1)
                farthest = max(farthest, float(apart.max()))
        return farthest


def _between(planted: Mask, start: int, swings: Mask) -> bool:
    """Whether a foot swings anywhere between where it was planted last and `start`, where it is again."""
    away = int(np.argmax(np.roll(planted, -start)[::-1]))
    return bool(np.roll(swings, -start)[::-1][:away].any())


def touching(points: NDArray[np.floating], height: float) -> NDArray[np.floating]:
    """Return how much (..., P) each point (..., P, 3) of a foot touches the ground with its lowest one: 1 if it
    is as low, 0 from `TOUCHING` above.
    """
    low = points[..., 2].min(axis=-1, keepdims=True)
    return np.clip(1 - (points[..., 2] - low) / (TOUCHING * height), 0, 1)


def runs(mask: Mask) -> list[NDArray[np.intp]]:
    """List the runs of a mask (S,) that goes around, each as indices in order."""
    count = len(mask)
    if mask.all():
        return [np.arange(count)]
    starts = np.flatnonzero(mask & ~np.roll(mask, 1))
    gaps = np.flatnonzero(~mask)
    found: list[NDArray[np.intp]] = []
    for start in starts.tolist():
        length = int(((gaps - start) % count).min())
        found.append(np.arange(start, start + length) % count)
    return found


def without_short(mask: Mask, share: float, wanted: bool) -> Mask:
    """Return a mask (S,) without the runs of `wanted` that are shorter than a share of the cycle."""
    result = mask.copy()
    for run in runs(mask == wanted):
        if len(run) < share * len(mask):
            result[run] = not wanted
    return result


def _of_moment(velocity: Floats, planted: Mask) -> Floats:
    """Return the mean velocity (S, 2) of the feet that are planted at each time; 0 if none is."""
    count = np.maximum(planted.sum(axis=0), 1)
    return (velocity * planted[..., None]).sum(axis=0) / count[:, None]
