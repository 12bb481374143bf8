"""Helper bones: bones of their own for vertices that follow more joints than an engine takes.

A helper moves as a fixed blend of up to four bones, its drivers: the mean of what they do to the rest mesh, by
shares that add up to one. A vertex that follows a helper and three bones follows up to seven. At rest nothing
moves, so the helper does not either, and since it lies between its drivers, no pose takes it out of the range
that they span: other than a regression on angles, it needs no clamping. On meshes that Blender deforms with
Preserve Volume the mean is that of dual quaternions (`volume_blend`).

A mean of rotations can be sheared, and engines hold translation, rotation and scale under a parent. So its
channels under its parent (see `channels`) lose their shear, but neither the Y axis nor volume: X and Z give up
what they have along Y, then both turn about Y by the same angle until they are at right angles, and shrink by
the root of the sine of the angle that was between them. This is what Blender's *Limit Rotation* does in local
space, so that constraints move the helper in any new pose as its keys do.

After Le and Deng, *Two-Layer Sparse Compression of Dense-Weight Blend Skinning* (2013).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..skinning.skeleton import invert_affine
from .channels import Channels, channel_matrices_under, nearest_channels
from .volume_blend import joint_motions

DRIVERS = 4
"""Drivers that a helper may have."""

MOST_HELPER_BONES = 128
"""More bones than a whole character has are no help."""

HARDLY_BETTER = 1.1
"""A parent of a larger share is taken if it loses at most this many times the least of all."""


@dataclass(frozen=True, eq=False)
class Blends:
    """H helpers. shares: (H, J) float64, of each joint in each helper's motion: at most `DRIVERS` of them above
    zero, adding up to one; joint 0, which moves nothing, has none. mirrored: (H,) the helper on the other side,
    itself in the middle. keeps_volume: (H,) whether motions are blended as `volume_blend` does.
    """

    shares: NDArray[np.float64]
    mirrored: NDArray[np.intp]
    keeps_volume: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.shares)

    @classmethod
    def none(cls, joints: int) -> Blends:
        """Return no helpers over so many joints."""
        return cls(np.empty((0, joints)), np.empty(0, dtype=np.intp), np.empty(0, dtype=np.bool_))

    def plus(self, others: Blends) -> Blends:
        """Return these and others."""
        return Blends(
            np.concatenate([self.shares, others.shares]),
            np.concatenate([self.mirrored, len(self) + others.mirrored]),
            np.concatenate([self.keeps_volume, others.keeps_volume]),
        )

    def of(self, helpers: NDArray[np.intp]) -> Blends:
        """Return some of the helpers, each with the one on its other side."""
        number = np.full(len(self), -1, dtype=np.intp)
        number[helpers] = np.arange(len(helpers))
        return Blends(self.shares[helpers], number[self.mirrored[helpers]], self.keeps_volume[helpers])

    def finals(self, finals: NDArray[np.float64], rest_to_root: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what each helper does to the rest mesh, with any shear, (F, H, 4, 4). finals: (F, J, 4, 4),
        and rest_to_root: (J, 4, 4), of the joints.
        """
        frames, joints = finals.shape[:2]
        blended = (self.shares @ finals.reshape(frames, joints, 16)).reshape(frames, len(self), 4, 4)
        if self.keeps_volume.any():
            motions = joint_motions(finals, rest_to_root)
            blended[:, self.keeps_volume] = motions.blended(self.shares[self.keeps_volume])
        return blended


@dataclass(frozen=True, eq=False)
class HungHelper:
    """A helper under its parent, a joint, -1 for none.

    rest_to_root: (4, 4). channels: (F, ...). to_root: (F, 4, 4), where these put it.
    """

    parent: int
    rest_to_root: NDArray[np.float64]
    channels: Channels
    to_root: NDArray[np.float64]


def hang(
    shares: NDArray[np.float64],
    finals: NDArray[np.float64],
    head: NDArray[np.float64],
    to_root: NDArray[np.float64],
    rest_to_root: NDArray[np.float64],
) -> HungHelper:
    """Hang a helper on one of its drivers, so that little shear is lost, with axes as the root has them.

    shares: (J,). finals: (F, 4, 4), what the helper does to the rest mesh. head: (3,), at rest. to_root: (F, J,
    4, 4), rest_to_root: (J, 4, 4), of the joints.
    """
    rest = np.eye(4)
    rest[3, :3] = head
    moved = rest @ finals
    drivers = np.argsort(-shares, kind="stable")[: int((shares > 0).sum())].tolist()
    tried = [
        one
        for driver in (*drivers, -1)
        if (one := _under(driver, rest, moved, to_root, rest_to_root)) is not None
    ]
    errors = [float(np.abs(one.to_root - moved).max(initial=0.0)) for one in tried]
    # No parent at all is only for drivers that are scaled to zero.
    least = min(errors[:-1], default=errors[-1])
    return next(one for one, error in zip(tried, errors, strict=True) if error <= HARDLY_BETTER * least)


def _under(
    parent: int,
    rest: NDArray[np.float64],
    moved: NDArray[np.float64],
    to_root: NDArray[np.float64],
    rest_to_root: NDArray[np.float64],
) -> HungHelper | None:
    """Hang a helper on a joint; None if that is scaled to zero at some frame."""
    above = None if parent < 0 else (to_root[:, parent], rest_to_root[parent])
    matrices, usable = channel_matrices_under(moved, rest, above)
    if not usable.all():
        return None
    matrices = without_shear(matrices)
    found = matrices @ rest
    if above is not None:
        found = found @ invert_affine(above[1][None])[0][0] @ above[0]
    return HungHelper(parent, rest, nearest_channels(matrices), found)


def without_shear(matrices: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return row-vector matrices (..., 4, 4) whose axes are at right angles, see above."""
    result = matrices.copy()
    x, y, z = np.moveaxis(matrices[..., :3, :3], -2, 0)
    x, z = x - _along(x, y), z - _along(z, y)
    first, second = _direction(x), _direction(z)
    # What lies between two directions, and what leads across, is at 45 degrees to both at right angles.
    between, across = _direction(first + second), _direction(first - second)
    shrink = np.sqrt(0.5 * np.linalg.norm(np.cross(first, second), axis=-1, keepdims=True))
    result[..., 0, :3] = np.linalg.norm(x, axis=-1, keepdims=True) * shrink * (between + across)
    result[..., 2, :3] = np.linalg.norm(z, axis=-1, keepdims=True) * shrink * (between - across)
    return result


def _along(vectors: NDArray[np.float64], axes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the part of vectors (..., 3) that is parallel to axes (..., 3)."""
    directions = _direction(axes)
    return np.einsum("...c,...c->...", vectors, directions)[..., None] * directions


def _direction(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0)
