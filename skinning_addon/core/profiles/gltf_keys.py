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

from .export_options import Resampled, Sampling
from .transform_parts import TransformParts, take_apart

Array = NDArray[np.float64]


LOCATION, ROTATION, SCALE = "location", "rotation", "scale"

CHANNELS = (LOCATION, ROTATION, SCALE)
"""Of a node."""

SMALL_TURN = 0.95
"""The cosine of half of the smallest turn that keeps an even speed, where smaller ones don't (raylib's
`QuaternionSlerp`)."""

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
    """The keys around some instants. before, after: to_root (..., B, 4, 4), or what plays at an importer's
    samples. share: (...) of the way from one to the other. stepped: (B, 3) the channels that keep a key up to
    the next. joined: whether bones are interpolated in armature space, not relative to their
    parents. straight: whether small turns don't keep an even speed.
    """

    before: Array | GltfMoment
    after: Array | GltfMoment
    share: Array
    stepped: NDArray[np.bool_]
    joined: bool = False
    straight: bool = False

    @classmethod
    def of(
        cls,
        keys: Array,
        to_root: NDArray[np.floating],
        frames: ArrayLike,
        stepped: NDArray[np.bool_] | None = None,
        *,
        straight: bool = False,
    ) -> GltfMoment:
        """Find the keys around frames (...). keys: (K,) frames, ascending. to_root: (K, B, 4, 4). stepped:
        (B, 3), none if left out. straight: see the class.
        """
        if stepped is None:
            stepped = np.zeros((to_root.shape[1], len(CHANNELS)), dtype=np.bool_)
        before, after, share = _around(keys, frames)
        at_keys = to_root[before].astype(np.float64), to_root[after].astype(np.float64)
        return cls(*at_keys, share, stepped, straight=straight)

    @classmethod
    def resampled(
        cls,
        samples: Array,
        keys: Array,
        to_root: NDArray[np.floating],
        frames: ArrayLike,
        stepped: NDArray[np.bool_] | None = None,
        *,
        joined: bool = False,
        straight: bool = False,
        shown: Array | None = None,
    ) -> GltfMoment:
        """Find an importer's samples around frames (...), which is all that it keeps of the keys. samples: (S,)
        frames, ascending. joined, straight: see the class. shown: (S,) the frames that the
        samples show, if not their own. The others: see `of`.
        """
        before, after, share = _around(samples, frames)
        shown = samples if shown is None else shown
        first, second = (
            cls.of(keys, to_root, shown[one], stepped, straight=straight) for one in (before, after)
        )
        return cls(first, second, share, np.zeros_like(first.stepped), joined, straight)

    def of_bones(self, bones: NDArray[np.intp]) -> GltfMoment:
        """Return the same of some bones."""
        before, after = (
            one.of_bones(bones) if isinstance(one, GltfMoment) else one[..., bones, :, :]
            for one in (self.before, self.after)
        )
        return replace(self, before=before, after=after, stepped=self.stepped[bones])

    def matrices(self, moved: Callable[[Array], Array]) -> Array:
        """Return what plays, (..., B, 4, 4), of the matrices that `moved` makes of a pose (..., B, 4, 4)."""
        return self._between(
            *(
                one.matrices(moved) if isinstance(one, GltfMoment) else moved(one)
                for one in (self.before, self.after)
            )
        )

    def poses(self, of_sample: Callable[[GltfMoment], Array]) -> Array:
        """Return what plays, (..., B, 4, 4), of the poses (..., B, 4, 4) that `of_sample` makes of samples."""
        return self._between(
            *(of_sample(one) for one in (self.before, self.after) if isinstance(one, GltfMoment))
        )

    def _between(self, first: Array, second: Array) -> Array:
        one, other = take_apart(first.reshape(-1, 4, 4)), take_apart(second.reshape(-1, 4, 4))
        share = np.where(self.stepped, np.floor(self.share)[..., None, None], self.share[..., None, None])
        location, rotation, scale = share.reshape(-1, len(CHANNELS)).T[..., None]
        parts = TransformParts(
            one.translation + (other.translation - one.translation) * location,
            _turned(one.rotation, other.rotation, rotation, straight=self.straight),
            one.scale + (other.scale - one.scale) * scale,
        )
        return parts.matrices().reshape(first.shape)


def sample_frames(end: float, resampled: Resampled, frames_per_second: float) -> Array:
    """Return the frames (S,) of an importer's samples, from the time zero on to the end of the animation."""
    frames_per_sample = frames_per_second / resampled.samples_per_second
    # A hair more, so that rounding doesn't lose a sample at the very end.
    samples: Array = np.arange(int(end / frames_per_sample + 1e-6) + 1, dtype=np.float64) * frames_per_sample
    if resampled.sampling is Sampling.LOCAL and samples[-1] < end - 1e-6:
        return np.concatenate((samples, np.array([end], dtype=np.float64)))
    return samples


def next_keys(samples: Array, keys: Array) -> Array:
    """Return the frames (S,) of the keys that an importer takes for samples (S,): those that come next, but
    never the first.
    """
    return keys[np.clip(np.searchsorted(keys, samples - 1e-6), min(1, len(keys) - 1), len(keys) - 1)]


def _around(keys: Array, frames: ArrayLike) -> tuple[NDArray[np.intp], NDArray[np.intp], Array]:
    """Return the keys before and after frames (...), by their numbers, and the shares of the way between."""
    wanted = np.clip(np.asarray(frames, dtype=np.float64), keys[0], keys[-1])
    after = np.clip(np.searchsorted(keys, wanted), min(1, len(keys) - 1), len(keys) - 1)
    before = np.maximum(after - 1, 0)
    length = keys[after] - keys[before]
    share = np.where(length > 0, (wanted - keys[before]) / np.where(length > 0, length, 1), 0.0)
    return before, after, share


def _turned(one: Array, other: Array, share: Array, *, straight: bool) -> Array:
    """Return the rotations (N, 4) at a share (N, 1) of the short way from one to the other.

    The angle is that of the chord, since a cosine of nearly 1 has lost it. straight: whether small turns go
    along the chord.
    """
    other = np.where(np.einsum("nc,nc->n", one, other)[:, None] < 0, -other, other)
    chord, sum_ = (np.linalg.norm(each, axis=1, keepdims=True) for each in (other - one, other + one))
    angle = 2 * np.arctan2(chord, sum_)
    sine = np.sin(angle)
    with np.errstate(invalid="ignore", divide="ignore"):
        start = np.where(sine > 0, np.sin((1 - share) * angle) / sine, 1 - share)
        end = np.where(sine > 0, np.sin(share * angle) / sine, share)
    turned = start * one + end * other
    if not straight:
        return turned
    along = one + (other - one) * share
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    return np.where(np.cos(angle) > SMALL_TURN, along, turned)
