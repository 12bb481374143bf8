"""Where feet are over a gait's cycle, in the crowd's whole numbers, so that agents can hold planted ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..local_pose import compose
from ..sampling import ClipSampler
from .contacts import FootMotion, touching
from .feet import Body
from .fixed_point import MICROMETRES
from .kinds import STANDS, SWINGS, TOUCHES, TRACK_SAMPLES, FootTrack
from .planting import held_legs
from .strides import Stride

Floats = NDArray[np.float64]

FINER = 4
"""Samples for each of a track, so that a foot's speed is told from near moments."""


class Soles:
    """The soles of the first F feet of a body.

    flat: of each foot, how its points lie at rest (P, 2), around its middle, in the body's world.
    """

    def __init__(self, body: Body, count: int) -> None:
        self._body = body
        rest = body.posed_feet(body.skeleton.rest_to_root[None])[:count]
        self.flat = [points[0, :, :2] - points[0, :, :2].mean(axis=0) for points in rest]

    def places(self, to_root: Floats) -> Floats:
        """Return where the feet stand (F, S, 3), in the body's world, in poses `to_root` (S, B, 4, 4)."""
        found: list[NDArray[np.floating]] = []
        feet = self._body.posed_feet(to_root)
        for points, flat in zip(feet, self.flat, strict=False):
            place = resting_places(points, flat, self._body.height)
            found.append(np.concatenate((place, points[..., 2].min(axis=1)[:, None]), axis=1))
        return np.stack(found).astype(np.float64, copy=False)


def resting_places(
    points: NDArray[np.floating], flat: NDArray[np.floating], height: float
) -> NDArray[np.floating]:
    """Return where a foot stands (..., 2), seen from above.

    points: (..., P, 3) of its sole. flat: (P, 2) as they lie at rest, around its middle. height: the standing
    height.

    That is the middle of the foot as it would be if it lay as at rest with the points that touch the ground
    now: a foot that rolls, or whose heel comes down, has the same place all the time, as none of its points
    moves while it touches.
    """
    weight = touching(points, height)[..., None]
    return ((points[..., :2] - flat) * weight).sum(axis=-2) / weight.sum(axis=-2)


def foot_tracks(stride: Stride, body: Body, forward: Floats, metres_per_unit: float) -> tuple[FootTrack, ...]:
    """Follow the feet that can be held around a gait's cycle; none if one of them hangs on no leg of its own.

    forward: (2,) unit vector, which way agents look in world space. metres_per_unit: of the world.
    """
    held = len(held_legs(body))
    if not held:
        return ()
    count = TRACK_SAMPLES * FINER
    duration = stride.clip.duration
    to_root = body.skeleton.to_root(
        compose(ClipSampler(stride.clip, body.skeleton).at(np.arange(count) / count * duration))
    )
    motion = FootMotion.of(body.posed_feet(to_root), duration / count, body.height)
    if stride.velocity.any():
        planted = motion.planted(stride.velocity)
        # Between two moments of a track, a foot swings only if it does at both.
        beside = np.roll(planted, FINER, axis=1) | np.roll(planted, -FINER, axis=1)
        contact = np.where(planted, STANDS, np.where(beside, TOUCHES, SWINGS))
    else:
        contact = np.full(motion.low.shape, STANDS)
    sideways = np.array((-forward[1], forward[0]))
    ways = Soles(body, held).places(to_root)[..., :2] * (metres_per_unit * MICROMETRES)
    return tuple(
        FootTrack(
            tuple(np.rint(way @ forward).astype(np.int64).tolist()),
            tuple(np.rint(way @ sideways).astype(np.int64).tolist()),
            tuple(own.tolist()),
        )
        for way, own in zip(ways[:, ::FINER], contact[:, ::FINER], strict=False)
    )
