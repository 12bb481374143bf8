"""The keys of a .glb that has fewer than one for each frame, and what plays between them.

The exporter's *Sampling Rate* is a number of frames from one key to the next, counted from the clip's start;
the end has no key of its own unless it falls on one. Between two keys, glTF interpolates translation and scale
linearly, and turns rotations the short way at even speed; after the last, it holds that.

`tests/engines/random_exports.py` compares the poses with the files'.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .transform_parts import TransformParts, take_apart

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class GltfMoment:
    """The keys around some instants. before, after: to_root (..., B, 4, 4). share: (...) of the way from one to
    the other.
    """

    before: Array
    after: Array
    share: Array

    @classmethod
    def of(cls, keys: Array, to_root: NDArray[np.floating], frames: ArrayLike) -> GltfMoment:
        """Find the keys around frames (...). keys: (K,) frames, ascending. to_root: (K, B, 4, 4)."""
        wanted = np.clip(np.asarray(frames, dtype=np.float64), keys[0], keys[-1])
        after = np.clip(np.searchsorted(keys, wanted), min(1, len(keys) - 1), len(keys) - 1)
        before = np.maximum(after - 1, 0)
        length = keys[after] - keys[before]
        share = np.where(length > 0, (wanted - keys[before]) / np.where(length > 0, length, 1), 0.0)
        return cls(to_root[before].astype(np.float64), to_root[after].astype(np.float64), share)

    def of_bones(self, bones: NDArray[np.intp]) -> GltfMoment:
        """Return the same of some bones."""
        return replace(self, before=self.before[..., bones, :, :], after=self.after[..., bones, :, :])

    def matrices(self, moved: Callable[[Array], Array]) -> Array:
        """Return what plays, (..., B, 4, 4), of the matrices that `moved` makes of a pose (..., B, 4, 4)."""
        first, second = moved(self.before), moved(self.after)
        one, other = take_apart(first.reshape(-1, 4, 4)), take_apart(second.reshape(-1, 4, 4))
        share = np.repeat(self.share.reshape(-1), first.shape[-3])[:, None]
        parts = TransformParts(
            one.translation + (other.translation - one.translation) * share,
            _turned(one.rotation, other.rotation, share),
            one.scale + (other.scale - one.scale) * share,
        )
        return parts.matrices().reshape(first.shape)


def _turned(one: Array, other: Array, share: Array) -> Array:
    """Return the rotations (N, 4) at a share (N, 1) of the short way from one to the other.

    The angle is that of the chord, since a cosine of nearly 1 has lost it.
    """
    other = np.where(np.einsum("nc,nc->n", one, other)[:, None] < 0, -other, other)
    chord, sum_ = (np.linalg.norm(each, axis=1, keepdims=True) for each in (other - one, other + one))
    angle = 2 * np.arctan2(chord, sum_)
    sine = np.sin(angle)
    with np.errstate(invalid="ignore", divide="ignore"):
        start = np.where(sine > 0, np.sin((1 - share) * angle) / sine, 1 - share)
        end = np.where(sine > 0, np.sin(share * angle) / sine, share)
    return start * one + end * other
