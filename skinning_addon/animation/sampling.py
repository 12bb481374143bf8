"""Clips at any time, for all bones and any number of instances at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.skinning.skeleton import Skeleton
from ..core.text.errors import ClipError
from .bone_names import named_bones
from .clip import COMPONENTS, Clip, Keys
from .local_pose import LocalPose, rest_pose
from .rotations import Floats, RotationBlend, interpolate_aligned, normalised


class ClipSampler:
    """Samples one clip for one skeleton; keeps what does not depend on the time.

    missing: bones that the clip moves but the skeleton lacks; they are ignored.
    still: bones of the skeleton that the clip does not move; they stay at rest.
    """

    def __init__(self, clip: Clip, skeleton: Skeleton) -> None:
        """Match the clip's bones to the skeleton's by name.

        Raises:
            ClipError: none of them exists, so the clip is for another skeleton.
        """
        index_of = {name: bone for bone, name in enumerate(skeleton.names)}
        self.clip = clip
        self.missing = tuple(name for name in clip.bones if name not in index_of)
        self.still = tuple(name for name in skeleton.names if name not in set(clip.bones))
        if clip.bones and len(self.missing) == len(clip.bones):
            raise ClipError(
                "'{clip}' is for another skeleton with bones that are missing here: {bones}; choose a clip "
                "of this armature.",
                clip=clip.name,
                bones=named_bones(self.missing),
            )
        bones = np.array([index_of.get(name, -1) for name in clip.bones], dtype=np.intp)
        # For additive clips an unmoved bone means no change; otherwise it means the rest pose.
        base = unchanged(len(skeleton.names)) if clip.additive else rest_pose(skeleton)
        self._plans = {
            kind: _Plan(clip.keys(kind), clip.times, bones, base.component(kind), _blend(kind, clip))
            for kind in COMPONENTS
        }

    def sample(self, ticks: ArrayLike) -> LocalPose:
        """Return the pose at each of `ticks` (I,), as (D, I, B) float32. The clip holds beyond its ends."""
        times = self.clip.times
        wanted = np.clip(np.asarray(ticks, dtype=np.float64).reshape(-1), times[0], times[-1])
        last = max(len(times) - 2, 0)
        interval = np.clip(np.searchsorted(times, wanted, side="right") - 1, 0, last)
        moment = _Moment(wanted, interval)
        return LocalPose(*(self._plans[kind].sample(moment) for kind in COMPONENTS))

    def at(self, position: ArrayLike) -> LocalPose:
        """Return the pose at each position (I,) in seconds from the start, around the loop."""
        return self.sample(self.clip.ticks(position))


def unchanged(bones: int) -> LocalPose:
    """Return the additive pose that changes nothing, (D, B)."""
    rotation = np.zeros((4, bones))
    rotation[0] = 1
    return LocalPose(np.zeros((3, bones)), rotation, np.ones((3, bones)))


@dataclass(frozen=True, eq=False)
class _Moment:
    """ticks: (I,) within the clip. interval: (I,), the interval of the clip's times that it lies in."""

    ticks: NDArray[np.float64]
    interval: NDArray[np.intp]


class _Plan:
    """The sampling of one kind of channels: single keys once and for all, full channels by interval, others
    by table.

    Results are (D, I, B) with the instances innermost in memory: all later steps then run along them.
    """

    def __init__(
        self,
        keys: Keys,
        times: NDArray[np.float64],
        bones: NDArray[np.intp],
        base: Floats,
        blend: RotationBlend | None,
    ) -> None:
        self._times = times
        self._blend = blend
        self._still = base.astype(np.float32)
        counts, targets = keys.counts, bones[keys.bones]
        here = targets >= 0
        single = here & (counts == 1)
        self._still[:, targets[single]] = keys.values[:, keys.starts[:-1][single]]
        full = here & (counts == len(times)) & (counts > 1)
        self._full_bones = targets[full]
        where = keys.starts[:-1][full][None, :] + np.arange(len(times))[:, None]
        # By time, so that one instant's data is contiguous: (T, D C).
        by_time = np.moveaxis(keys.values[:, where], 1, 0).reshape(len(times), -1)
        self._full = np.ascontiguousarray(by_time) if full.any() else None
        some = here & (counts > 1) & ~full
        self._sparse_bones = targets[some]
        self._sparse = _Sparse(keys, np.flatnonzero(some), times) if some.any() else None

    def sample(self, moment: _Moment) -> Floats:
        """Return (D, I, B)."""
        components, bones = self._still.shape
        if self._full is not None and len(self._full_bones) == bones and _in_order(self._full_bones):
            return self._sample_full(self._full, moment).swapaxes(1, 2)
        result = np.empty((components, bones, len(moment.ticks)), dtype=np.float32)
        result[:] = self._still[:, :, None]
        if self._full is not None:
            result[:, self._full_bones] = self._sample_full(self._full, moment)
        if self._sparse is not None:
            result[:, self._sparse_bones] = self._between(*self._sparse.neighbours(moment))
        return result.swapaxes(1, 2)

    def _sample_full(self, values: Floats, moment: _Moment) -> Floats:
        """Return (D, C, I)."""
        start, end = self._times[moment.interval], self._times[moment.interval + 1]
        amount = ((moment.ticks - start) / (end - start)).astype(np.float32)
        first = values.take(moment.interval, axis=0)
        second = values.take(moment.interval + 1, axis=0)
        shape = len(self._still), len(self._full_bones), len(moment.ticks)
        if self._blend is RotationBlend.SLERP:
            before, after = (np.ascontiguousarray(one.T).reshape(shape) for one in (first, second))
            return self._between(before, after, amount)
        # Mixed before transposing: half as much to transpose.
        mixed = np.ascontiguousarray(_mixed(first, second, amount[:, None]).T).reshape(shape)
        return mixed if self._blend is None else normalised(mixed)

    def _between(self, first: Floats, second: Floats, amount: Floats) -> Floats:
        if self._blend is not None:
            return interpolate_aligned(first, second, amount, self._blend)
        return _mixed(first, second, amount)


def _mixed(first: Floats, second: Floats, amount: Floats) -> Floats:
    """Mix in place; this form gives both keys back as they are."""
    first *= 1 - amount
    second *= amount
    second += first
    return second


class _Sparse:
    """Channels with keys at some of the times; a table gives each channel's current key in every interval."""

    def __init__(self, keys: Keys, channels: NDArray[np.intp], times: NDArray[np.float64]) -> None:
        counts = keys.counts[channels]
        begins = np.cumsum(counts) - counts
        picked: NDArray[np.int64] = np.repeat(keys.starts[channels] - begins, counts) + np.arange(
            int(counts.sum())
        )
        self._values = np.ascontiguousarray(keys.values[:, picked])
        self._ticks = times[keys.time_indices[picked]]
        # One sorted list of (channel, time index) serves the search for all.
        order = np.repeat(np.arange(len(channels)), counts) * len(times) + keys.time_indices[picked]
        every = np.arange(len(channels))[:, None] * len(times) + np.arange(len(times) - 1)
        self._before = np.searchsorted(order, every, side="right") - 1

    def neighbours(self, moment: _Moment) -> tuple[Floats, Floats, Floats]:
        """Return the keys around each instant, (D, C, I) twice, and its fraction between them, (C, I)."""
        before = self._before.take(moment.interval, axis=1)
        start, end = self._ticks.take(before), self._ticks.take(before + 1)
        amount = (moment.ticks - start) / (end - start)
        first, second = self._values.take(before, axis=1), self._values.take(before + 1, axis=1)
        return first, second, amount.astype(np.float32)


def _blend(kind: str, clip: Clip) -> RotationBlend | None:
    return clip.rotation_blend if kind == "rotation" else None


def _in_order(bones: NDArray[np.intp]) -> bool:
    return bool((bones == np.arange(len(bones))).all())
