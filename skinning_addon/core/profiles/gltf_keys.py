"""The keys of a .glb that has fewer than one for each frame, and what plays between them.

The exporter's *Sampling Rate* is a number of frames from one key to the next, counted from the start of the
first action that it writes; the end of a clip has no key of its own unless it falls on one. Between two keys,
glTF interpolates translation and scale linearly, and turns rotations the short way at even speed; before the
first and after the last, it holds that. The exporter has some channels keep a key up to the next instead:
those whose curves do, and those without curves in a clip of exactly two keys.

`tests/engines/random_exports.py` compares the poses with the files'.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .transform_parts import TransformParts, take_apart

Array = NDArray[np.float64]


LOCATION, ROTATION, SCALE = "location", "rotation", "scale"

CHANNELS = (LOCATION, ROTATION, SCALE)
"""Of a node."""

BoneChannels = frozenset[tuple[str, str]]
"""Bones' names, each with one of `CHANNELS`."""


@dataclass(frozen=True)
class GltfKeys:
    """The keys that an armature has in an animation. first, last: the frames between which it may have some.
    curved: what has curves of its own. constant: what of that keeps each key up to the next.
    """

    first: int
    last: int
    curved: BoneChannels = frozenset()
    constant: BoneChannels = frozenset()

    def stepped(self, names: Sequence[str], count: int) -> NDArray[np.bool_]:
        """Mark the channels (B, 3) that keep each key up to the next.

        names: of the bones. count: of the keys.
        """
        marked = [(name, channel) for name in names for channel in CHANNELS]
        kept = [one not in self.curved if count == 2 else one in self.constant for one in marked]
        return np.array(kept, dtype=np.bool_).reshape(len(names), len(CHANNELS))


@dataclass(frozen=True, eq=False)
class GltfMoment:
    """The keys around some instants. before, after: to_root (..., B, 4, 4). share: (...) of the way from one to
    the other. stepped: (B, 3) the channels that keep a key up to the next.
    """

    before: Array
    after: Array
    share: Array
    stepped: NDArray[np.bool_]

    @classmethod
    def of(
        cls,
        keys: Array,
        to_root: NDArray[np.floating],
        frames: ArrayLike,
        stepped: NDArray[np.bool_] | None = None,
    ) -> GltfMoment:
        """Find the keys around frames (...). keys: (K,) frames, ascending. to_root: (K, B, 4, 4). stepped:
        (B, 3), none if left out.
        """
        if stepped is None:
            stepped = np.zeros((to_root.shape[1], len(CHANNELS)), dtype=np.bool_)
        wanted = np.clip(np.asarray(frames, dtype=np.float64), keys[0], keys[-1])
        after = np.clip(np.searchsorted(keys, wanted), min(1, len(keys) - 1), len(keys) - 1)
        before = np.maximum(after - 1, 0)
        length = keys[after] - keys[before]
        share = np.where(length > 0, (wanted - keys[before]) / np.where(length > 0, length, 1), 0.0)
        at_keys = to_root[before].astype(np.float64), to_root[after].astype(np.float64)
        return cls(*at_keys, share, stepped)

    def of_bones(self, bones: NDArray[np.intp]) -> GltfMoment:
        """Return the same of some bones."""
        before, after = (one[..., bones, :, :] for one in (self.before, self.after))
        return replace(self, before=before, after=after, stepped=self.stepped[bones])

    def matrices(self, moved: Callable[[Array], Array]) -> Array:
        """Return what plays, (..., B, 4, 4), of the matrices that `moved` makes of a pose (..., B, 4, 4)."""
        first, second = moved(self.before), moved(self.after)
        one, other = take_apart(first.reshape(-1, 4, 4)), take_apart(second.reshape(-1, 4, 4))
        share = np.where(self.stepped, np.floor(self.share)[..., None, None], self.share[..., None, None])
        location, rotation, scale = share.reshape(-1, len(CHANNELS)).T[..., None]
        parts = TransformParts(
            one.translation + (other.translation - one.translation) * location,
            _turned(one.rotation, other.rotation, rotation),
            one.scale + (other.scale - one.scale) * scale,
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
