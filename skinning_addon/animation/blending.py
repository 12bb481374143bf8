"""Combining poses: weighted means, one group over another, and additive poses."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..core.skinning.skeleton import Skeleton
from ..core.text.errors import ClipError
from .clip import COMPONENTS, Clip, Keys
from .local_pose import LocalPose, rest_pose
from .rotations import (
    Floats,
    RotationBlend,
    aligned,
    interpolate,
    inverse,
    multiply,
)
from .sampling import ClipSampler, unchanged


def blend_poses(first: LocalPose, second: LocalPose, amount: Floats, blend: RotationBlend) -> LocalPose:
    """Go from `first` (amount 0) to `second` (amount 1), bone by bone: vectors linearly, rotations the
    shortest way.

    amount: broadcastable to (..., B).
    """
    return LocalPose(
        first.translation * (1 - amount) + second.translation * amount,
        interpolate(first.rotation, second.rotation, amount, blend),
        first.scale * (1 - amount) + second.scale * amount,
    )


def add_pose(pose: LocalPose, change: LocalPose, amount: Floats, blend: RotationBlend) -> LocalPose:
    """Add `amount` of a change: rotation in the bone's own space, translation in its parent's, scale as
    factors.
    """
    still = np.zeros_like(change.rotation)
    still[0] = 1
    return LocalPose(
        pose.translation + change.translation * amount,
        multiply(pose.rotation, interpolate(still, change.rotation, amount, blend)),
        pose.scale * (1 + (change.scale - 1) * amount),
    )


class Mixture:
    """The weighted mean of poses of I instances, one pose after the other.

    Each is blended into the result by its share of the weight so far: vectors average, rotations blend
    pairwise in the order added.
    pose: (D, I, B); only valid where `total` (I, B), the weight so far, is above 0.
    """

    def __init__(self, instances: int, bones: int, blend: RotationBlend) -> None:
        still = unchanged(bones)
        self._blend = blend
        self.total = np.zeros((instances, bones), dtype=np.float32)
        self.pose = LocalPose.empty(instances, bones)
        self.pose.put(np.arange(instances), still.at(None))

    def add(self, rows: NDArray[np.intp], pose: LocalPose, weights: Floats) -> None:
        """Mix in the pose (D, n, B) of some instances, by weights (n, B)."""
        before = self.total[rows]
        total = before + weights
        share = np.where(total > 0, weights / np.where(total > 0, total, 1), 0).astype(np.float32)
        mixed = blend_poses(self.pose.at(rows), pose, share, self._blend)
        self.pose.put(rows, mixed)
        self.total[rows] = total


def over(low: Mixture, high: Mixture, amount: Floats, rest: LocalPose, blend: RotationBlend) -> LocalPose:
    """Put the high group over the low one, by `amount` (I,); a bone that only one has uses that one's pose; a
    bone that neither has rests.
    """
    share = np.where(low.total > 0, np.where(high.total > 0, amount[:, None], 0), 1).astype(np.float32)
    pose = blend_poses(low.pose, high.pose, share, blend) if (high.total > 0).any() else low.pose
    nothing = (low.total <= 0) & (high.total <= 0)
    if nothing.any():
        pose = LocalPose(
            *(
                np.where(nothing, rest.component(kind)[:, None].astype(np.float32), pose.component(kind))
                for kind in COMPONENTS
            )
        )
    return pose


def additive_clip(clip: Clip, skeleton: Skeleton, reference: float | None = None) -> Clip:
    """Turn a clip into additive changes for other poses.

    reference: seconds into the clip of the pose that counts as no change; the skeleton's rest pose if left
    out.

    Raises:
        ClipError: the clip is additive already, or for another skeleton, or scales a bone of the reference to
        nothing.
    """
    if clip.additive:
        raise ClipError("'{clip}' is already additive; use the clip that it was made from.", clip=clip.name)
    base = rest_pose(skeleton) if reference is None else ClipSampler(clip, skeleton).at([reference]).at(0)
    if (base.scale == 0).any():
        raise ClipError(
            "'{clip}' scales a bone to zero in its reference pose, so changes from it can't be computed; "
            "choose another pose.",
            clip=clip.name,
        )
    index_of = {name: bone for bone, name in enumerate(skeleton.names)}
    bones = np.array([index_of.get(name, -1) for name in clip.bones], dtype=np.intp)
    keys: dict[str, Keys] = {}
    for kind in COMPONENTS:
        old = clip.keys(kind)
        here = np.where(bones[old.bones] >= 0, bones[old.bones], 0)
        of_key = base.component(kind)[:, np.repeat(here, old.counts)]
        keys[kind] = Keys(old.bones, old.starts, old.time_indices, _change(kind, old, of_key))
    return Clip(
        clip.name,
        clip.bones,
        clip.times,
        **keys,
        ticks_per_second=clip.ticks_per_second,
        looping=clip.looping,
        rotation_blend=clip.rotation_blend,
        markers=clip.markers,
        additive=True,
    )


def _change(kind: str, keys: Keys, base: Floats) -> NDArray[np.float32]:
    if kind == "translation":
        change: Floats = keys.values - base
    elif kind == "scale":
        change = keys.values / base
    else:
        change = multiply(inverse(base), keys.values.astype(np.float64))
        # Each channel's first rotation is aligned with the identity, so that partial changes take the
        # shortest way.
        for start, end in zip(keys.starts[:-1].tolist(), keys.starts[1:].tolist(), strict=True):
            part = aligned(change[:, start:end])
            change[:, start:end] = -part if end > start and part[0, 0] < 0 else part
    return change.astype(np.float32)
