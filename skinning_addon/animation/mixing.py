"""Poses mixed from all tracks at one instant.

Tracks of the low-priority group are mixed by weight, then those of the high-priority group, and the priority
blend puts the second mix over the first. Additive tracks are added to the result.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .blending import Mixture, add_pose, over
from .clip import COMPONENTS
from .local_pose import LocalPose
from .ramps import Array
from .rotations import RotationBlend
from .sampling import ClipSampler
from .timeline import Timeline
from .tracks import NO_CLIP, Rows, positions_at


@dataclass(frozen=True, eq=False)
class Contribution:
    """One track's contribution to the instances where it is audible.

    instances: (n,) ascending. clip: (n,) index. position: (n,) seconds. weight: (n, 1), or (n, B) if the
    track is masked. high: (n,) bool, whether in the high-priority group. additive: whether all clips are, or
    none.
    """

    instances: NDArray[np.intp]
    clip: NDArray[np.int32]
    position: Array
    weight: NDArray[np.float32]
    high: NDArray[np.bool_]
    additive: bool

    def between(self, first: int, end: int) -> Contribution:
        """Keep the instances from `first` up to `end`, renumbered from `first`."""
        start, stop = np.searchsorted(self.instances, (first, end))
        here = slice(int(start), int(stop))
        return Contribution(
            self.instances[here] - first,
            self.clip[here],
            self.position[here],
            self.weight[here],
            self.high[here],
            self.additive,
        )

    def where(self, mask: NDArray[np.bool_], *, additive: bool) -> Contribution:
        """Keep those where `mask` (n,)."""
        return Contribution(
            self.instances[mask],
            self.clip[mask],
            self.position[mask],
            self.weight[mask],
            self.high[mask],
            additive,
        )

    def pose(self, samplers: Sequence[ClipSampler]) -> LocalPose:
        """Sample it, clip by clip: (D, n, B)."""
        numbers = np.unique(self.clip)
        if len(numbers) == 1:
            return samplers[int(numbers[0])].at(self.position)
        indices = [np.flatnonzero(self.clip == number) for number in numbers]
        poses = [
            samplers[int(number)].at(self.position[here])
            for number, here in zip(numbers, indices, strict=True)
        ]
        order = np.argsort(np.concatenate(indices))
        return LocalPose(
            *(
                np.concatenate([pose.component(kind) for pose in poses], axis=1)[:, order]
                for kind in COMPONENTS
            )
        )


def contributions(timeline: Timeline, masks: Mapping[int, NDArray[np.float32]]) -> Iterator[Contribution]:
    """List the tracks' contributions at the current time: one per track, or two if it has both plain and
    additive clips.
    """
    states, now = timeline.states, timeline.now
    additive_clips = np.array([clip.additive for clip in timeline.clips], dtype=np.bool_)
    everyone = np.arange(timeline.instances)
    for track in range(timeline.tracks):
        rows = Rows.of(everyone, track)
        weight = states.weight.at(rows.index).value(now)
        heard = rows.where(states.enabled[rows.index] & (states.clip[rows.index] != NO_CLIP) & (weight > 0))
        if not heard.instance.size:
            continue
        column = weight[heard.instance, None].astype(np.float32)
        every = Contribution(
            heard.instance,
            states.clip[heard.index],
            positions_at(states, timeline.lengths, heard, now),
            column * _held(masks[track], states.mask.at(heard.index).value(now))
            if track in masks
            else column,
            states.high[heard.index],
            additive=False,
        )
        additive = additive_clips[every.clip]
        for mask, is_additive in ((~additive, False), (additive, True)):
            if mask.any():
                yield every.where(mask, additive=is_additive)


def _held(mask: NDArray[np.float32], amount: Array) -> NDArray[np.float32]:
    """Return a mask (B,) scaled by its strength in each instance, (n, B): itself at 1, and 1 for all bones at
    0.
    """
    share = amount[:, None].astype(np.float32)
    return mask * share + (1 - share)


class Mixer:
    """Poses instances from contributions, such as all tracks' at one instant, for any parts of a crowd."""

    def __init__(
        self,
        contributions: Sequence[Contribution],
        priority_blend: NDArray[np.floating],
        samplers: Sequence[ClipSampler],
        rest: LocalPose,
        rotation_blend: RotationBlend,
    ) -> None:
        """priority_blend: (I,). samplers: of the clips that contributions number. rest: (D, B)."""
        self._contributions = tuple(contributions)
        self._priority_blend = priority_blend.astype(np.float32)
        self._samplers, self._rest, self._blend = samplers, rest, rotation_blend
        self._masked = any(one.weight.shape[1] > 1 for one in contributions)

    @property
    def instances(self) -> int:
        """How many there are."""
        return len(self._priority_blend)

    def pose(self, first: int, end: int) -> LocalPose:
        """Return the pose of the instances from `first` up to `end`, as (D, I, B)."""
        here = [found for one in self._contributions if (found := one.between(first, end)).instances.size]
        pose = self._plain([one for one in here if not one.additive], self._priority_blend[first:end])
        for contribution in (one for one in here if one.additive):
            pose = self._with_added(pose, contribution)
        return pose

    def _plain(self, contributions: Sequence[Contribution], priority_blend: NDArray[np.float32]) -> LocalPose:
        """Return the pose (D, I, B) of I instances from contributions that aren't additive."""
        count = len(priority_blend)
        alone = self._alone(contributions, count)
        if len(contributions) == 1 and alone.all():
            return contributions[0].pose(self._samplers)
        mixed = np.flatnonzero(~alone)
        number = np.cumsum(~alone) - 1
        bones = self._rest.rotation.shape[-1]
        low, high = (Mixture(len(mixed), bones, self._blend) for _ in range(2))
        result = LocalPose.empty(count, bones) if len(mixed) < count else None
        for one in contributions:
            pose = one.pose(self._samplers)
            shared = ~alone[one.instances]
            if result is not None and not shared.all():
                result.put(one.instances, pose)
            for mixture, group in ((low, ~one.high & shared), (high, one.high & shared)):
                if group.any():
                    own = pose if group.all() else pose.at(group)
                    mixture.add(number[one.instances[group]], own, one.weight[group])
        if not mixed.size:
            return result or LocalPose.empty(count, bones)
        blended = over(low, high, priority_blend[mixed], self._rest, self._blend)
        if result is None:
            return blended
        result.put(mixed, blended)
        return result

    def _alone(self, contributions: Sequence[Contribution], count: int) -> NDArray[np.bool_]:
        """Return (I,) the instances of which a single track has all the weight: most of a crowd, at a tenth of
        what mixing costs.
        """
        if self._masked:
            return np.zeros(count, dtype=np.bool_)
        heard = np.zeros(count, dtype=np.intp)
        for one in contributions:
            heard[one.instances] += 1
        return heard == 1

    def _with_added(self, pose: LocalPose, contribution: Contribution) -> LocalPose:
        rows = contribution.instances
        added = add_pose(pose.at(rows), contribution.pose(self._samplers), contribution.weight, self._blend)
        result = LocalPose(pose.translation.copy(), pose.rotation.copy(), pose.scale.copy())
        result.put(rows, added)
        return result
