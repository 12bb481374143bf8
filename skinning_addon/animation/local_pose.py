"""Poses as translation, rotation and scale of each bone relative to its parent, as stored in clips and mixed
by blending.

    to_parent = diag(scale) @ rotation @ translation        row vectors: scaled along the bone's own axes first

Not a matrix, so it has no shear (`decompose` reports how much is lost).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.skinning.skeleton import Skeleton
from .rotations import Floats, from_rows, to_rows

FLAT = 1e-6
"""A bone whose smallest scale is below this share of its largest has lost an axis, within float32
precision."""


@dataclass(frozen=True, eq=False)
class LocalPose:
    """Bones relative to their parents.

    translation: (3, ..., B). rotation: (4, ..., B), unit quaternions w, x, y, z. scale: (3, ..., B). One float
    type.
    """

    translation: Floats
    rotation: Floats
    scale: Floats

    @classmethod
    def empty(cls, instances: int, bones: int) -> LocalPose:
        """Return room for the float32 poses of some instances, (D, I, B), with those innermost in memory."""
        sizes = (3, 4, 3)
        return cls(*(np.empty((size, bones, instances), dtype=np.float32).swapaxes(1, 2) for size in sizes))

    def component(self, kind: str) -> Floats:
        """Return 'translation', 'rotation' or 'scale'."""
        return cast("Floats", getattr(self, kind))

    def at(self, *index: Any) -> LocalPose:
        """Index the axes after the components, as `array[:, *index]` does."""
        key = (slice(None), *index)
        return LocalPose(self.translation[key], self.rotation[key], self.scale[key])

    def put(self, rows: NDArray[np.intp], pose: LocalPose) -> None:
        """Overwrite some instances (D, I, B) with a pose (D, n, B)."""
        self.translation[:, rows] = pose.translation
        self.rotation[:, rows] = pose.rotation
        self.scale[:, rows] = pose.scale


@dataclass(frozen=True, eq=False)
class Decomposition:
    """Decomposed matrices.

    pose: the nearest translation, rotation and scale. shear: (..., B, 3, 3) float64, the remainder: the upper
    left part of `to_parent` is that of `compose(pose)` plus `shear`. determined: (..., B), False for bones
    scaled to zero along two axes or more, whose rotation is undefined.
    """

    pose: LocalPose
    shear: NDArray[np.float64]
    determined: NDArray[np.bool_]

    @property
    def shear_amount(self) -> NDArray[np.float64]:
        """(..., B): the largest displacement of a point at distance 1 from the bone's head."""
        return greatest_stretch(self.shear)


def compose(pose: LocalPose) -> Floats:
    """Return to_parent, (..., B, 4, 4), in the pose's float type."""
    # Bones outermost in memory, as the top-down pass wants them.
    *others, bones = pose.scale.shape[1:]
    matrices = np.moveaxis(np.empty((bones, *others, 4, 4), dtype=pose.rotation.dtype), 0, -3)
    for row, axis in enumerate(to_rows(pose.rotation)):
        for column, values in enumerate(axis):
            np.multiply(pose.scale[row], values, out=matrices[..., row, column])
    for column in range(3):
        matrices[..., 3, column] = pose.translation[column]
    matrices[..., :3, 3] = 0
    matrices[..., 3, 3] = 1
    return matrices


def decompose(to_parent: ArrayLike) -> Decomposition:
    """Decompose matrices (..., B, 4, 4), by polar decomposition.

    linear = stretch @ rotation with a symmetric stretch, so the rotation is the one nearest to the matrix; the
    diagonal of the stretch is the scale, the rest of it is shear. A mirrored bone gets three negative scales.
    """
    matrices = np.asarray(to_parent, dtype=np.float64)
    linear = matrices[..., :3, :3]
    left, sizes, right = np.linalg.svd(linear)
    flat = sizes[..., 2] <= FLAT * sizes[..., 0]
    mirrored = np.linalg.det(left @ right) < 0
    # A zero-length axis may point either way; a mirrored bone has all axes negated.
    left = left.copy()
    corrected = left.copy()
    corrected[..., :, 2] = np.where((mirrored & flat)[..., None], -left[..., :, 2], left[..., :, 2])
    sign = np.where(mirrored & ~flat, -1.0, 1.0)[..., None, None]
    rotation = sign * (corrected @ right)
    stretch = sign * ((left * sizes[..., None, :]) @ np.swapaxes(left, -1, -2))
    scale = np.diagonal(stretch, axis1=-2, axis2=-1)
    shear = linear - scale[..., :, None] * rotation
    pose = LocalPose(
        np.moveaxis(matrices[..., 3, :3], -1, 0), from_rows(rotation), np.moveaxis(scale, -1, 0).copy()
    )
    return Decomposition(pose, shear, sizes[..., 1] > FLAT * sizes[..., 0])


def greatest_stretch(linear: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the largest distance to which matrices (..., 3, 3) take a point at distance 1: (...,)."""
    return np.asarray(np.linalg.norm(linear, ord=2, axis=(-2, -1)), dtype=np.float64)


def rest_pose(skeleton: Skeleton) -> LocalPose:
    """Return the rest pose, (D, B) float64."""
    to_parent, _ = skeleton.to_parent(skeleton.rest_to_root)
    return decompose(to_parent).pose
