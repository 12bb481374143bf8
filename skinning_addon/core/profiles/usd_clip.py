"""Bones' animation in the USD files that Blender writes.

Each bone's whole local matrix is taken apart (`factoring`), at every frame. Scales are held in 16 bits, and
newer Blenders write them only at frames where one of them, of any bone, is a hundredth or more away from what
was written last; until then all stay. Translations and rotations are written where one differs by a millionth,
which is as good as always.

Read in OpenUSD (usdUtils/sparseValueWriter.cpp: _halfEpsilon, _floatEpsilon), through which Blender's
exporter writes; `tests/engines/test_usd.py` has OpenUSD itself pose the files.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..skinning.skeleton import Skeleton
from .factoring import factored
from .transform_parts import TransformParts

ALIKE = 1e-2
"""Scales that are closer than this are not written again."""

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class UsdClip:
    """A clip's animation of bones in a file. frames: (F,), ascending. translation: (F, B, 3). rotation:
    (F, B, 4) unit quaternions. scale: (F, B, 3), what plays there. float32.
    """

    frames: Array
    translation: NDArray[np.float32]
    rotation: NDArray[np.float32]
    scale: NDArray[np.float32]

    @classmethod
    def of(cls, skeleton: Skeleton, to_root: Array, frames: Array, *, holds_scales: bool = True) -> UsdClip:
        """Write the poses (F, B, 4, 4) at some frames (F,). holds_scales: whether scales that are alike are not
        written again.
        """
        local, _ = skeleton.to_parent(to_root)
        rotation, scale = factored(local.reshape(-1, 4, 4)[:, :3, :3])
        shape = to_root.shape[:2]
        rounded = scale.reshape(*shape, 3).astype(np.float16)
        return cls(
            frames,
            local[..., 3, :3].astype(np.float32),
            rotation.reshape(*shape, 4).astype(np.float32),
            (written_scales(rounded) if holds_scales else rounded).astype(np.float32),
        )

    def local(self, frames: ArrayLike) -> Array:
        """Return local matrices (..., B, 4, 4) at frames (...), within the clip or at its nearer end."""
        wanted = np.clip(np.asarray(frames, dtype=np.float64), self.frames[0], self.frames[-1])
        after = np.clip(np.searchsorted(self.frames, wanted), 0, len(self.frames) - 1)
        before = np.maximum(after - 1, 0)
        length = np.maximum(self.frames[after] - self.frames[before], np.finfo(np.float64).tiny)
        share = np.where(after > before, (wanted - self.frames[before]) / length, 0.0)[..., None, None]

        def between(values: NDArray[np.float32]) -> Array:
            low, high = values[before].astype(np.float64), values[after].astype(np.float64)
            return low + (high - low) * share

        rotation = _turned(
            self.rotation[before].astype(np.float64), self.rotation[after].astype(np.float64), share
        )
        translation, scale = between(self.translation), between(self.scale)
        parts = TransformParts(translation.reshape(-1, 3), rotation.reshape(-1, 4), scale.reshape(-1, 3))
        return parts.matrices().reshape(*translation.shape[:-1], 4, 4)


def written_scales(scale: NDArray[np.float16]) -> NDArray[np.float16]:
    """Return the scales (F, B, 3) that play at frames if those of few frames are written."""
    result = scale.copy()
    for frame in range(1, len(scale)):
        last = result[frame - 1]
        if (np.abs(scale[frame].astype(np.float64) - last.astype(np.float64)) < ALIKE).all():
            result[frame] = last
    return result


def _turned(first: Array, second: Array, share: Array) -> Array:
    """Return the rotations (..., 4) at a share (..., 1, 1) of the way, at even speed (GfSlerp)."""
    cosine = np.einsum("...c,...c->...", first, second)[..., None]
    second = np.where(cosine < 0, -second, second)
    angle = np.arccos(np.clip(np.abs(cosine), 0, 1))
    sine = np.sin(angle)
    with np.errstate(invalid="ignore", divide="ignore"):
        of_first = np.where(sine > 1e-6, np.sin((1 - share) * angle) / sine, 1 - share)
        of_second = np.where(sine > 1e-6, np.sin(share * angle) / sine, share)
    return of_first * first + of_second * second
