"""The curves that Blender's FBX exporter writes for bones, and the poses that a file plays from them.

Each bone has nine curves: translation, angles in degrees about X, then Y, then Z, and scale, of its whole local
matrix at each frame. *Simplify* then leaves out keys. What remains is linear between the keys, so at a frame
without keys each value is off by up to a thousandth of its size, and a chain of bones adds that up.

A key stays if it differs from its neighbor, or from the last key that stayed, by more than a thousandth of the
sum of both values, or a thousandth of 0.1 near zero. The first and the last always stay.

Read in Blender's io_scene_fbx (fbx_utils.py, AnimationCurveNodeWrapper); `tests/engines/test_fbx.py` compares
the poses with the file's.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..skinning.skeleton import Skeleton
from .hierarchy import local_for_fbx
from .transform_parts import take_apart

SHARE = 1e-3
"""Values that differ by less than this share of their sum are alike, at the default *Simplify* of 1."""

NEAR_ZERO = 0.1
"""A smaller sum counts as this much."""

Array = NDArray[np.float64]


def sampled_frames(start: float, end: float, step: float = 1.0) -> NDArray[np.float64]:
    """Return the frames (F,) that the exporter samples of a clip."""
    return np.arange(start, np.nextafter(end, np.inf), step)


@dataclass(frozen=True, eq=False)
class FbxClip:
    """A clip's animation of bones in a file. frames: (F,), those sampled, ascending. values: (F, B, 9) float32,
    what plays there.
    """

    frames: NDArray[np.float64]
    values: NDArray[np.float32]

    @classmethod
    def of(
        cls,
        skeleton: Skeleton,
        to_root: Array,
        frames: NDArray[np.float64],
        simplify: float = 1.0,
        *,
        shown: Array | None = None,
    ) -> FbxClip:
        """Write the poses (F, B, 4, 4) sampled at some frames (F,). simplify: the exporter's *Simplify*. shown:
        see `curves_of`.
        """
        values = curves_of(skeleton, to_root, shown)
        if simplify > 0:
            values = played(values, kept_keys(values, simplify))
        return cls(frames, values.astype(np.float32))

    def local(self, frames: ArrayLike) -> Array:
        """Return local matrices (..., B, 4, 4) at frames (...), within the clip or at its nearer end."""
        wanted = np.clip(np.asarray(frames, dtype=np.float64), self.frames[0], self.frames[-1])
        after = np.clip(np.searchsorted(self.frames, wanted), 1, max(len(self.frames) - 1, 1))
        after, before = np.minimum(after, len(self.frames) - 1), after - 1
        length = np.maximum(self.frames[after] - self.frames[before], np.finfo(np.float64).tiny)
        share = ((wanted - self.frames[before]) / length)[..., None, None]
        low, high = self.values[before].astype(np.float64), self.values[after]
        return local_matrices(low + (high - low) * share)


def curves_of(skeleton: Skeleton, to_root: Array, shown: Array | None = None) -> Array:
    """Return the exporter's samples, (F, B, 9): translation, angles in degrees, scale.

    Two triples of angles give each rotation; the one closer to the frame before is taken. shown: the pose
    (B, 4, 4) that the scene shows during the export, which comes before the first frame.
    """
    if shown is not None:
        return curves_of(skeleton, np.concatenate((shown[None], to_root)))[1:]
    parts = take_apart(local_for_fbx(skeleton, to_root).reshape(-1, 4, 4))
    translation, rotation, scale = (
        one.reshape(*to_root.shape[:-2], -1) for one in (parts.translation, parts.rotation, parts.scale)
    )
    one_way, other_way = _both_angles(rotation)
    angles = np.where(_sum(one_way) <= _sum(other_way), one_way, other_way)
    for frame in range(1, len(angles)):
        before = angles[frame - 1]
        one, other = _near(one_way[frame], before), _near(other_way[frame], before)
        angles[frame] = np.where(_sum(one - before) <= _sum(other - before), one, other)
    return np.concatenate((translation, np.degrees(angles), scale), axis=-1)


def kept_keys(curves: Array, simplify: float = 1.0) -> NDArray[np.bool_]:
    """Return which samples (F, ...) become keys."""
    kept = np.zeros(curves.shape, dtype=np.bool_)
    if not len(curves):
        return kept
    jumps = _differ(curves[1:], curves[:-1], simplify)
    kept[1:] |= jumps
    kept[:-1] |= jumps
    last: Array = curves[0]
    for frame in range(1, len(curves)):
        kept[frame] |= _differ(curves[frame], last, simplify)
        last = np.asarray(np.where(kept[frame], curves[frame], last), dtype=np.float64)
    kept[[0, -1]] = True
    return kept


def played(curves: Array, kept: NDArray[np.bool_]) -> Array:
    """Return samples (F, ...) interpolated between the keys, of which every curve has its first and last."""
    count = len(curves)
    frames = np.arange(count).reshape((-1,) + (1,) * (curves.ndim - 1))
    before = np.maximum.accumulate(np.where(kept, frames, 0), axis=0)
    after = np.minimum.accumulate(np.where(kept, frames, count - 1)[::-1], axis=0)[::-1]
    share = (frames - before) / np.maximum(after - before, 1)
    low, high = (np.take_along_axis(curves, one, axis=0) for one in (before, after))
    return low + (high - low) * share


def local_matrices(curves: Array) -> Array:
    """Return the local matrices (..., 4, 4) of curves' values (..., 9)."""
    sines, cosines = np.sin(np.radians(curves[..., 3:6])), np.cos(np.radians(curves[..., 3:6]))
    (sx, sy, sz), (cx, cy, cz) = np.moveaxis(sines, -1, 0), np.moveaxis(cosines, -1, 0)
    result = np.zeros((*curves.shape[:-1], 4, 4))
    # Rows are the axes after turning about X, then Y, then Z.
    result[..., 0, :3] = np.stack((cy * cz, cy * sz, -sy), axis=-1)
    result[..., 1, :3] = np.stack((sx * sy * cz - cx * sz, sx * sy * sz + cx * cz, sx * cy), axis=-1)
    result[..., 2, :3] = np.stack((cx * sy * cz + sx * sz, cx * sy * sz - sx * cz, cx * cy), axis=-1)
    result[..., :3, :3] *= curves[..., 6:, None]
    result[..., 3, :3] = curves[..., :3]
    result[..., 3, 3] = 1
    return result


def _differ(one: Array, other: Array, simplify: float) -> NDArray[np.bool_]:
    size = np.maximum(np.abs(one) + np.abs(other), NEAR_ZERO)
    return np.abs(one - other) > SHARE * simplify * size


def _both_angles(rotation: Array) -> tuple[Array, Array]:
    """Return the two triples of angles (..., 3) about X, Y and Z that give a rotation (..., 4), in radians."""
    x, y, z, w = (rotation[..., each] for each in range(4))
    # The matrix for row vectors, element by element.
    xx, xy, xz = 1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)
    yy, yz = 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)
    zy, zz = 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)
    across = np.hypot(xx, xy)
    locked = across <= LOCKED
    about_x = np.where(locked, np.arctan2(-zy, yy), np.arctan2(yz, zz))
    about_z = np.where(locked, 0.0, np.arctan2(xy, xx))
    first = _triples(about_x, np.arctan2(-xz, across), about_z)
    second = _triples(np.arctan2(-yz, -zz), np.arctan2(-xz, -across), np.arctan2(-xy, -xx))
    return first, np.where(locked[..., None], first, second)


def _triples(about_x: Array, about_y: Array, about_z: Array) -> Array:
    return np.stack((about_x, about_y, about_z), axis=-1)


def _sum(angles: Array) -> Array:
    return np.abs(angles).sum(axis=-1, keepdims=True)


LOCKED = 2e-6
"""If the X axis comes this close to the Z axis, turns about X and Z can't be told apart: Z is left at zero."""


def _near(angles: Array, before: Array) -> Array:
    """Bring angles (..., 3) within half a turn of those of the frame before."""
    turns = np.round((angles - before) / (2 * np.pi))
    return angles - turns * 2 * np.pi
