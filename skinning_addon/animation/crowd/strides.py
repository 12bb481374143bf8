"""A gait's stride, read off a clip: which way and how fast it goes, and when feet come down.

A clip that travels goes as far as its own root does. One that walks in place goes as fast as its planted feet
slide backwards. Either way the result is played in place, at a speed that stays the same: the body sways by as
much as planted feet would slide otherwise, as real bodies do.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...core.text.errors import CrowdError
from ..clip import Clip, dense_clip
from ..local_pose import LocalPose, compose
from ..sampling import ClipSampler
from .contacts import STILL, FootMotion, runs
from .feet import Body
from .fixed_point import CYCLE, micrometres
from .kinds import FootContact, FootTrack, Gait
from .planting import planted_pose

Floats = NDArray[np.float64]

SAMPLES_PER_SECOND = 120
FEWEST, MOST = 48, 480
"""Samples of a cycle."""

TRAVELS = 0.05
"""A clip travels if it ends farther from its start than this share of the standing height."""

AIM = 0.01 / 1.8
"""Planted feet that slide farther than this share of the standing height are held by their legs."""

HELD_AGAIN = 4
"""Rounds of holding feet at most."""

IN_THE_AIR = 0.2
"""Feet that stay higher above where they rest than this share of the standing height are in the air."""

STANDARD_HEIGHT = 1.8
"""In metres: drift is told as if everybody were as tall."""

MOST_MISSING = 0.2
"""The share of a clip that may be missing between its last frame and its first."""


@dataclass(frozen=True, eq=False)
class Stride:
    """What a cycle of a clip is as a gait.

    clip: the clip in place, looping, its feet around the origin and on the ground in world space; the cycle
        begins as the first foot comes down.
    travels: whether the clip's own root goes anywhere. velocity: (2,) world units a second.
    contacts: (time as a share of the cycle, foot), by time.
    drift: the farthest that a planted foot slides, as a share of the standing height; drift_before: of the
        clip as it was, at an even speed. sway: the most that the body is moved for that, likewise.
    added: seconds added between the last frame and the first, as the loop lacked them. seam: how far bones
        jump there on average nevertheless, as a share of the standing height.
    liveliness: how fast bones move on average, in standing heights a second, seen from the feet's parent.
    """

    clip: Clip
    travels: bool
    velocity: Floats
    contacts: tuple[tuple[float, str], ...]
    drift: float
    drift_before: float
    sway: float
    added: float
    seam: float
    liveliness: float

    @property
    def speed(self) -> float:
        """In world units a second."""
        return float(np.linalg.norm(self.velocity))

    @property
    def length(self) -> float:
        """World units a cycle."""
        return self.speed * self.clip.duration

    @cached_property
    def forward(self) -> Floats:
        """(2,) unit vector: which way it goes in world space, where Z is up; -Y if nowhere."""
        return self.velocity / self.speed if self.speed else np.array((0.0, -1.0))

    @property
    def drift_in_millimetres(self) -> float:
        """The drift at a height of 1.8 m."""
        return 1000 * STANDARD_HEIGHT * self.drift

    def gait(self, metres_per_unit: float, feet: tuple[FootTrack, ...] = ()) -> Gait:
        """Return it in the crowd's whole numbers. feet: see `foot_tracks`."""
        contacts = tuple(FootContact(round(share * CYCLE) % CYCLE, name) for share, name in self.contacts)
        duration = round(self.clip.duration * 1e6)
        return Gait(self.clip.name, duration, micrometres(self.length * metres_per_unit), contacts, feet)


def read_stride(clip: Clip, body: Body) -> Stride:
    """Find out how a clip walks. It must be one cycle of it.

    Raises:
        CrowdError: no foot is ever planted, or the clip has no length. ClipError: it is for another skeleton.
    """
    if clip.duration <= 0:
        raise CrowdError(
            "'{clip}' has no length, so it can't be played in a loop; choose another clip.", clip=clip.name
        )
    cycle = _Cycle.of(clip, body)
    motion = cycle.motion(np.zeros((cycle.count, 3)))
    _check_ground(clip, body, motion)
    even = cycle.even_travel()
    in_place = cycle.motion(even)
    velocity = cycle.travel / cycle.duration if cycle.travels else in_place.body_velocity()
    if velocity is None:
        raise _never_planted(clip)
    if np.linalg.norm(velocity) <= STILL * body.height:
        velocity = np.zeros(2)
    moved, sway = even, 0.0
    if velocity.any():
        held = _held_feet(in_place, velocity)
        moved = even + held
        sway = float(np.linalg.norm(held[:, :2], axis=1).max())
    after = cycle.motion(moved)
    # Feet that are held are planted for longer: the rest of that is held next.
    rounds = HELD_AGAIN if velocity.any() and after.drift(velocity) > AIM * body.height else 0
    for _ in range(rounds):
        cycle = replace(cycle, pose=planted_pose(body, cycle.pose, after, velocity))
        after = cycle.motion(moved)
    moved = moved - cycle.standing_at(moved, after)
    # Feet share their phase in all gaits: blends of walking and running need that.
    first = _begins(after, velocity) if velocity.any() else 0
    result = cycle.clip_of(moved, first)
    told = _Cycle.of(result, body).motion(np.zeros((cycle.count, 3)))
    return Stride(
        result,
        cycle.travels,
        velocity,
        _contacts(told, velocity, body) if velocity.any() else (),
        told.drift(velocity) / body.height,
        in_place.drift(velocity) / body.height,
        sway / body.height,
        cycle.added,
        cycle.seam,
        cycle.liveliness(),
    )


@dataclass(frozen=True, eq=False)
class _Cycle:
    """A clip's cycle at times that divide it evenly.

    pose: (D, S, B). duration: with what the loop lacked, `added`. seam: see `Stride`. travel: (2,) how far it
    goes. travels: whether that is more than sway.
    """

    clip: Clip
    body: Body
    pose: LocalPose
    duration: float
    added: float
    seam: float
    travel: Floats
    travels: bool

    @classmethod
    def of(cls, clip: Clip, body: Body) -> _Cycle:
        sampler = ClipSampler(clip, body.skeleton)
        keyed = sampler.sample(clip.times)
        to_world = body.skeleton.to_root(compose(keyed)) @ body.root_to_world
        seconds = (clip.times - clip.times[0]) / clip.ticks_per_second
        carrier = body.shared_ancestor
        path = to_world[:, carrier, 3, :2]
        travel = path[-1] - path[0]
        travels = bool(np.linalg.norm(travel) > TRAVELS * body.height)
        bones = to_world[:, :, 3, :3].copy()
        if travels:
            bones[..., :2] -= (seconds / seconds[-1])[:, None, None] * travel
        added = _missing(bones, seconds, body.height)
        duration = float(seconds[-1]) + added
        travel = travel * (duration / seconds[-1])
        count = int(np.clip(round(duration * SAMPLES_PER_SECOND), FEWEST, MOST))
        wanted = np.arange(count) / count * duration
        ticks = clip.times[0] + wanted * clip.ticks_per_second
        pose = sampler.sample(ticks)
        if added:
            closed = _closed(clip, body, keyed, added, travel if travels else np.zeros(2))
            pose = ClipSampler(closed, body.skeleton).sample(ticks)
        seam = 0.0 if added else _root_mean_square(bones[0] - bones[-1]) / body.height
        return cls(clip, body, pose, duration, added, seam, travel, travels)

    @property
    def count(self) -> int:
        return int(self.pose.scale.shape[1])

    def even_travel(self) -> Floats:
        """Return what takes the way out of it, (S, 3) world space: at an even speed."""
        offset = np.zeros((self.count, 3))
        if self.travels:
            offset[:, :2] = -np.arange(self.count)[:, None] / self.count * self.travel
        return offset

    def feet(self, moved: Floats) -> list[Floats]:
        to_root = self.body.skeleton.to_root(compose(self.pose))
        return [points + moved[:, None] for points in self.body.posed_feet(to_root)]

    def motion(self, moved: Floats) -> FootMotion:
        """Follow the feet of the body moved by (S, 3) in world space."""
        return FootMotion.of(self.feet(moved), self.duration / self.count, self.body.height)

    def standing_at(self, moved: Floats, motion: FootMotion) -> Floats:
        """Return the place (3,) on the ground amid the feet."""
        middle = np.mean([points.mean(axis=(0, 1)) for points in self.feet(moved)], axis=0)
        return np.array((middle[0], middle[1], np.median(motion.lowest)))

    def clip_of(self, moved: Floats, first: int) -> Clip:
        """Make the clip of the moved body that begins with a sample."""
        translation = _moved(self.pose, self.body, moved)
        order = (first + np.arange(self.count + 1)) % self.count
        pose = replace(self.pose, translation=translation).at(order)
        ticks = np.arange(self.count + 1) / self.count * self.duration * self.clip.ticks_per_second
        return dense_clip(
            self.clip.name,
            self.body.skeleton.names,
            ticks,
            pose,
            ticks_per_second=self.clip.ticks_per_second,
            rotation_blend=self.clip.rotation_blend,
        )

    def liveliness(self) -> float:
        heads = (self.body.skeleton.to_root(compose(self.pose)) @ self.body.root_to_world)[:, :, 3, :3]
        heads = heads - heads[:, self.body.shared_ancestor, None]
        way = np.linalg.norm(np.roll(heads, -1, axis=0) - heads, axis=-1).mean()
        return float(way * self.count / self.duration / self.body.height)


def _moved(pose: LocalPose, body: Body, moved: Floats) -> NDArray[np.floating]:
    """Return translations (3, S, B) with the root bones moved by (S, 3) in world space."""
    roots = np.flatnonzero(body.skeleton.parents < 0)
    in_root = moved @ np.linalg.inv(body.root_to_world[:3, :3])
    translation = pose.translation.astype(np.float64)
    translation[:, :, roots] += in_root.T[:, :, None]
    return translation


def _closed(clip: Clip, body: Body, keyed: LocalPose, added: float, travel: Floats) -> Clip:
    """Return the clip with its first pose once more at the end, after `added` seconds."""
    again = LocalPose(
        *(
            np.concatenate((one, one[:, :1]), axis=1)
            for one in (keyed.translation, keyed.rotation, keyed.scale)
        )
    )
    moved = np.zeros((again.scale.shape[1], 3))
    moved[-1, :2] = travel
    ticks = np.append(clip.times, clip.times[-1] + added * clip.ticks_per_second)
    pose = replace(again, translation=_moved(again, body, moved))
    return dense_clip(
        clip.name,
        body.skeleton.names,
        ticks,
        pose,
        ticks_per_second=clip.ticks_per_second,
        looping=False,
        rotation_blend=clip.rotation_blend,
    )


def _missing(bones: Floats, seconds: Floats, height: float) -> float:
    """Return how many seconds a loop lacks between its last frame and its first; 0 if it closes, or if its
    ends don't belong together.

    bones: (T, B, 3) in place. Many loops end one frame early, so that no pose is there twice.
    """
    if len(seconds) < 3:
        return 0.0
    gap = bones[0] - bones[-1]
    size = _root_mean_square(gap)
    if size < 1e-3 * height:
        return 0.0
    velocity = (
        (bones[1] - bones[0]) / (seconds[1] - seconds[0])
        + (bones[-1] - bones[-2]) / (seconds[-1] - seconds[-2])
    ) / 2
    power = float((velocity * velocity).sum())
    missing = float((gap * velocity).sum()) / power if power > 0 else 0.0
    off = _root_mean_square(gap - missing * velocity)
    return missing if 0 < missing <= MOST_MISSING * seconds[-1] and off < size / 2 else 0.0


def _root_mean_square(offsets: Floats) -> float:
    return float(np.sqrt((offsets * offsets).sum(axis=-1).mean()))


def _held_feet(motion: FootMotion, velocity: Floats) -> Floats:
    """Return how to move the body, (S, 3), so that planted feet stay; the same at both ends of the cycle."""
    slip = motion.slip(velocity)
    slip -= slip.mean(axis=0)
    way = np.concatenate((np.zeros((1, 2)), np.cumsum((slip[1:] + slip[:-1]) / 2, axis=0) * motion.interval))
    way -= way.mean(axis=0)
    return np.concatenate((-way, np.zeros((len(way), 1))), axis=1)


def _begins(motion: FootMotion, velocity: Floats) -> int:
    """Return the sample at which the first foot comes down; 0 if it never does."""
    planted = motion.planted(velocity)[0]
    found = runs(planted) if planted.any() and not planted.all() else []
    # A foot that also touches down briefly is planted for longest when it steps.
    return int(max(found, key=len)[0]) if found else 0


def _contacts(motion: FootMotion, velocity: Floats, body: Body) -> tuple[tuple[float, str], ...]:
    """List when feet come down."""
    found = zip(body.feet, motion.landings(velocity), strict=True)
    return tuple(sorted((share, foot.name) for foot, shares in found for share in shares))


def _check_ground(clip: Clip, body: Body, motion: FootMotion) -> None:
    rest = body.posed_feet(body.skeleton.rest_to_root[None])
    floors = np.array([float(points[..., 2].min()) for points in rest])
    if (motion.lowest > floors + IN_THE_AIR * body.height).all():
        raise _never_planted(clip)


def _never_planted(clip: Clip) -> CrowdError:
    return CrowdError(
        "No foot is ever planted in '{clip}', so its speed can't be told; choose a clip that walks on the "
        "ground.",
        clip=clip.name,
    )
