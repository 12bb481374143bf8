"""Clips sampled into palettes once, from which the GPU poses a crowd: an instance blends samples' matrices.

Neither turns of bones between two samples nor fades between clips are then what quaternions give. Both
deviations are measured here, as bounds for all vertices (`bone_boxes`): the first shrinks with the rate, so a
tolerance chooses it; the second does not, and lasts as long as the fade.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.skinning.joints import Joints
from ..core.skinning.skeleton import Skeleton
from .bone_boxes import BoneBoxes
from .clip import Clip
from .controller import Controller
from .instance_matrices import compose_instances, run_down
from .local_pose import LocalPose
from .palettes import pose_palettes
from .ramps import Transition
from .sampling import ClipSampler
from .tracks import Rows

RATES = (15, 30, 60, 120, 240, 480)
"""Samples a second that a tolerance chooses from."""

BETWEEN = (0.25, 0.5, 0.75)
"""Where between two samples the deviation is measured."""

FADE_PHASES = 12
FADE_WEIGHTS = (0.25, 0.5, 0.75)


@dataclass(frozen=True, eq=False)
class Heard:
    """What each of I instances hears: K clips at once, and where it stands.

    before, after: (I, K) sample numbers. fraction: (I, K) how far it is between them. weight: (I, K), adding up
    to 1. places: (I, 4, 4), root space to the space that all share.
    """

    before: NDArray[np.integer]
    after: NDArray[np.integer]
    fraction: NDArray[np.floating]
    weight: NDArray[np.floating]
    places: NDArray[np.floating]


@dataclass(frozen=True, eq=False)
class SampledClips:
    """Clips of a skeleton, each sampled from its start to its end at even distances, both included.

    counts: (C,) samples of each clip. deviations: by clip, a bound on how far any vertex is off between two
    samples, in units of root space.
    """

    skeleton: Skeleton
    clips: tuple[Clip, ...]
    counts: NDArray[np.intp]
    deviations: tuple[float, ...]

    @classmethod
    def within(
        cls, skeleton: Skeleton, clips: Sequence[Clip], boxes: BoneBoxes, tolerance: float
    ) -> SampledClips:
        """Sample each clip at the lowest rate of RATES that keeps all vertices within a tolerance, in units of
        root space; at the highest if none does, as where a bone turns by 180 degrees from one key to the next.
        """
        chosen = [_lowest_rate(skeleton, clip, boxes, tolerance) for clip in clips]
        counts = [sample_count(clip, rate) for clip, (rate, _) in zip(clips, chosen, strict=True)]
        deviations = tuple(deviation for _, deviation in chosen)
        return cls(skeleton, tuple(clips), np.array(counts, dtype=np.intp), deviations)

    @cached_property
    def starts(self) -> NDArray[np.intp]:
        """(C,) the first sample of each clip."""
        return np.cumsum(self.counts) - self.counts

    def palettes(self, joints: Joints) -> NDArray[np.float32]:
        """Return the palettes (S, J, 4, 4) of all samples, mesh space to root space."""
        poses = (
            pose_palettes(self.skeleton, _samples(self.skeleton, clip, int(count)), joints)
            for clip, count in zip(self.clips, self.counts, strict=True)
        )
        return np.concatenate(list(poses))

    def between(
        self, clip: int, position: NDArray[np.floating]
    ) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.floating]]:
        """Return the samples before and after positions (I,) in seconds from the clip's start, and how far
        between them they are. The clip holds beyond its ends.
        """
        duration, last = self.clips[clip].duration, int(self.counts[clip]) - 1
        if not last:
            first = np.full(len(position), self.starts[clip], dtype=np.intp)
            return first, first, np.zeros(len(position))
        at = np.clip(position * (last / duration), 0, last)
        before = np.minimum(at.astype(np.intp), last - 1)
        return self.starts[clip] + before, self.starts[clip] + before + 1, at - before


def sample_count(clip: Clip, rate: float) -> int:
    """Return the samples from start to end; one for a clip that has no length."""
    return int(np.ceil(clip.duration * rate - 1e-9)) + 1


def _lowest_rate(skeleton: Skeleton, clip: Clip, boxes: BoneBoxes, tolerance: float) -> tuple[int, float]:
    """Return the lowest rate within a tolerance, or the highest, and its deviation."""
    rate, deviation = RATES[0], np.inf
    for rate in RATES:
        deviation = sampling_deviation(skeleton, clip, boxes, rate)
        if deviation <= tolerance:
            break
    return rate, deviation


def sample_ticks(clip: Clip, count: int) -> NDArray[np.float64]:
    """Return the ticks of so many samples, from start to end."""
    start, end = float(clip.times[0]), float(clip.times[-1])
    return start + np.arange(count, dtype=np.float64) * ((end - start) / max(count - 1, 1))


def _samples(skeleton: Skeleton, clip: Clip, count: int) -> LocalPose:
    return ClipSampler(clip, skeleton).sample(sample_ticks(clip, count))


def sampling_deviation(skeleton: Skeleton, clip: Clip, boxes: BoneBoxes, rate: float) -> float:
    """Return a bound on how far any vertex is off between two samples, in units of root space."""
    ticks = sample_ticks(clip, sample_count(clip, rate))
    if len(ticks) < 2:
        return 0.0
    sampler = ClipSampler(clip, skeleton)
    ends = _to_root(skeleton, sampler.sample(ticks))
    worst = 0.0
    for share in BETWEEN:
        wanted = _to_root(skeleton, sampler.sample(ticks[:-1] + share * np.diff(ticks)))
        blended = (1 - share) * ends[:-1] + share * ends[1:]
        worst = max(worst, float(boxes.distances(blended, wanted).max(initial=0.0)))
    return worst


def fade_deviation(
    skeleton: Skeleton, first: Clip, second: Clip, boxes: BoneBoxes, *, matched: bool = False
) -> float:
    """Return a bound on how far any vertex is off while two clips fade, their matrices blended instead of their
    bones' rotations; in units of root space. At FADE_PHASES times of each, and FADE_WEIGHTS.

    matched: whether both are always at the same share of their length.
    """
    phases = np.arange(FADE_PHASES) / FADE_PHASES
    grid = np.meshgrid(phases, phases[:1] if matched else phases, FADE_WEIGHTS, indexing="ij")
    here, there, weight = (one.ravel() for one in grid)
    if matched:
        there = here
    controller = Controller(skeleton, (first, second), tracks=2, instances=len(weight))
    alone: list[NDArray[np.float64]] = []
    for track, (clip, phase, share) in enumerate(((first, here, 1 - weight), (second, there, weight))):
        controller.set_track(track, clip.name, speed=0.0)
        controller.states.position[:, track] = phase * clip.duration
        rows = Rows.of(np.arange(len(weight)), track).index
        controller.states.weight.set(rows, controller.now, share, 0.0, Transition.LINEAR)
        alone.append(_to_root(skeleton, ClipSampler(clip, skeleton).at(phase * clip.duration)))
    wanted = _to_root(skeleton, controller.mixer().pose(0, len(weight)))
    share = weight[:, None, None, None]
    return float(boxes.distances((1 - share) * alone[0] + share * alone[1], wanted).max(initial=0.0))


def _to_root(skeleton: Skeleton, pose: LocalPose) -> NDArray[np.float64]:
    """Return to_root (I, B, 4, 4) of poses (D, I, B)."""
    moved = run_down(skeleton, compose_instances(pose))
    result = np.zeros((moved.shape[-1], len(moved), 4, 4))
    result[..., :3] = moved.transpose(3, 0, 1, 2)
    result[..., 3, 3] = 1
    return result


def heard_of(
    clips: SampledClips,
    tracks: Sequence[tuple[int, NDArray[np.floating]]],
    weight: ArrayLike,
    places: ArrayLike,
) -> Heard:
    """Return what instances hear. tracks: each with its clip and every instance's position (I,) in seconds.

    weight: (I, K), scaled to add up to 1. places: see `Heard`.
    """
    parts = [clips.between(clip, position) for clip, position in tracks]
    before, after, fraction = (np.stack(each, axis=1) for each in zip(*parts, strict=True))
    shares = np.asarray(weight, dtype=np.float64)
    return Heard(before, after, fraction, shares / shares.sum(axis=1, keepdims=True), np.asarray(places))
