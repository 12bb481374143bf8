"""Fitting posed matrices with translations, rotations and scales down a hierarchy: the heart of baking.

A bone whose local matrix has shear can't be matched exactly. Its children are still fitted to their true
transforms, relative to the fitted parent: the bones below do not inherit its error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.skinning.skeleton import Skeleton, invert_affine
from .clip import COMPONENTS
from .local_pose import LocalPose, compose, decompose, greatest_stretch, rest_pose
from .rotations import Floats, aligned


@dataclass(frozen=True, eq=False)
class Fit:
    """Fitted poses of F frames.

    pose: (D, F, B). to_root: (F, B, 4, 4) float64, the pose composed down the hierarchy. shear: (F, B, 3, 3),
    the remainder of each bone's local matrix (see `Decomposition`). held: whether any undetermined rotation
    was taken from another frame.
    """

    pose: LocalPose
    to_root: NDArray[np.float64]
    shear: NDArray[np.float64]
    held: bool

    def at(self, frame: int) -> Fit:
        """Return one frame, as a fit of a single one."""
        rows = slice(frame, frame + 1)
        return Fit(self.pose.at(rows), self.to_root[rows], self.shear[rows], self.held)

    def shear_amount(self, bone: int) -> NDArray[np.float64]:
        """Return the largest displacement of a point at distance 1 from a bone's head: (F,)."""
        return greatest_stretch(self.shear[:, bone])


def fit_hierarchy(skeleton: Skeleton, to_root: NDArray[np.float64]) -> Fit:
    """Fit poses to matrices (F, B, 4, 4), in the order of time.

    If a parent is scaled to zero there is no local matrix; its children keep their rest pose on it. If a bone
    is scaled to zero its rotation is undetermined; it keeps the previous one.
    """
    frames, bones = to_root.shape[:2]
    rest = rest_pose(skeleton)
    fitted = np.empty((frames, bones, 4, 4))
    shear = np.zeros((frames, bones, 3, 3))
    translation, scale = np.empty((3, frames, bones)), np.empty((3, frames, bones))
    rotation = np.empty((4, frames, bones))
    held = False
    for level in skeleton.levels:
        parents = skeleton.parents[level]
        above = np.where((parents >= 0)[None, :, None, None], fitted[:, parents], np.eye(4))
        inverse, usable = invert_affine(above.reshape(-1, 4, 4))
        local = to_root[:, level] @ inverse.reshape(above.shape)
        alone = ~usable.reshape(above.shape[:2])
        local = np.where(alone[:, :, None, None], compose(rest.at(level)), local)
        apart = decompose(local)
        held |= not apart.determined.all()
        turned = _held(apart.pose.rotation, apart.determined)
        pose = LocalPose(apart.pose.translation, turned, apart.pose.scale)
        fitted[:, level] = compose(pose) @ above
        shear[:, level] = apart.shear
        translation[:, :, level], rotation[:, :, level], scale[:, :, level] = (
            pose.translation,
            pose.rotation,
            pose.scale,
        )
    return Fit(LocalPose(translation, aligned(rotation), scale), fitted, shear, held)


def joined(fits: Sequence[Fit]) -> Fit:
    """Join fits in time. Equivalent to fitting all frames at once, unless one of them is `held`."""
    translation, rotation, scale = (
        np.concatenate([one.pose.component(kind) for one in fits], axis=1) for kind in COMPONENTS
    )
    return Fit(
        LocalPose(translation, aligned(rotation), scale),
        np.concatenate([one.to_root for one in fits]),
        np.concatenate([one.shear for one in fits]),
        any(one.held for one in fits),
    )


def _held(rotation: Floats, determined: NDArray[np.bool_]) -> Floats:
    """Replace rotations (4, F, B) that are not determined (F, B) by the last one that is, or otherwise the
    next.
    """
    if determined.all():
        return rotation
    frames = np.arange(len(determined))[:, None]
    last = np.maximum.accumulate(np.where(determined, frames, -1), axis=0)
    first = np.argmax(determined, axis=0)[None, :]
    frame = np.where(last >= 0, last, first)
    return np.take_along_axis(rotation, np.broadcast_to(frame[None], (4, *frame.shape)), axis=1)
