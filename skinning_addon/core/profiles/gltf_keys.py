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
from .gltf_curves import CHANNELS, BoneChannels, GltfCurves, WrittenMoment
from .key_interpolation import EVEN, around, turned
from .transform_parts import TransformParts, take_apart

Array = NDArray[np.float64]


Written = Callable[[ArrayLike, float], WrittenMoment]
"""What plays without sampling at frames (...), by which turns go along the chord."""

OBJECT = ""
"""Stands for the armature object itself among the names of its bones."""

SMALL_TURN = 0.95
"""The cosine of half of the smallest turn that keeps an even speed, where smaller ones go along the chord
(raylib's `QuaternionSlerp`)."""


@dataclass(frozen=True)
class GltfKeys:
    """The keys that an armature has in an animation. first, last: the frames between which it may have some.
    curved: what has curves of its own. constant: what of that keeps each key up to the next. curves: what is
    written of them without sampling, None with it.
    """

    first: int
    last: int
    curved: BoneChannels = frozenset()
    constant: BoneChannels = frozenset()
    curves: GltfCurves | None = None

    def stepped(self, names: Sequence[str], count: int) -> NDArray[np.bool_]:
        """Mark the channels (B, 3) that keep each key up to the next.

        names: of the bones. count: of the keys.
        """
        marked = [(name, channel) for name in names for channel in CHANNELS]
        if self.curves is not None:
            return np.zeros((len(names), len(CHANNELS)), dtype=np.bool_)
        kept = [one not in self.curved if count == 2 else one in self.constant for one in marked]
        return np.array(kept, dtype=np.bool_).reshape(len(names), len(CHANNELS))


@dataclass(frozen=True, eq=False)
class GltfMoment:
    """The keys around some instants. before, after: to_root (..., B, 4, 4), or what plays at an importer's
    samples. share: (...) of the way from one to the other. stepped: (B, 3) the channels that keep a key up to
    the next. joined: whether bones are interpolated in armature space, not relative to their
    parents. straight: turns whose half has a greater cosine go along the chord. written: what plays
    without sampling.
    """

    before: Array | GltfMoment
    after: Array | GltfMoment
    share: Array
    stepped: NDArray[np.bool_]
    joined: bool = False
    straight: float = EVEN
    written: WrittenMoment | None = None

    @classmethod
    def of(
        cls,
        keys: Array,
        to_root: NDArray[np.floating],
        frames: ArrayLike,
        stepped: NDArray[np.bool_] | None = None,
        *,
        straight: float = EVEN,
        written: Written | None = None,
    ) -> GltfMoment:
        """Find the keys around frames (...). keys: (K,) frames, ascending. to_root: (K, B, 4, 4). stepped:
        (B, 3), none if left out. straight: see the class. written: what plays without sampling at frames.
        """
        if stepped is None:
            stepped = np.zeros((to_root.shape[1], len(CHANNELS)), dtype=np.bool_)
        before, after, share = around(keys, frames)
        at_keys = to_root[before].astype(np.float64), to_root[after].astype(np.float64)
        at_frames = None if written is None else written(frames, straight)
        return cls(*at_keys, share, stepped, straight=straight, written=at_frames)

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
        straight: float = EVEN,
        shown: Array | None = None,
        written: Written | None = None,
    ) -> GltfMoment:
        """Find an importer's samples around frames (...), which is all that it keeps of the keys. samples: (S,)
        frames, ascending. joined, straight: see the class. shown: (S,) the frames that the
        samples show, if not their own. The others: see `of`.
        """
        before, after, share = around(samples, frames)
        shown = samples if shown is None else shown
        first, second = (
            cls.of(keys, to_root, shown[one], stepped, straight=straight, written=written)
            for one in (before, after)
        )
        return cls(first, second, share, np.zeros_like(first.stepped), joined, straight)

    def of_bones(self, bones: NDArray[np.intp]) -> GltfMoment:
        """Return the same of some bones."""
        before, after = (
            one.of_bones(bones) if isinstance(one, GltfMoment) else one[..., bones, :, :]
            for one in (self.before, self.after)
        )
        written = None if self.written is None else self.written.of_bones(bones)
        return replace(self, before=before, after=after, stepped=self.stepped[bones], written=written)

    def matrices(self, moved: Callable[[Array], Array]) -> Array:
        """Return what plays, (..., B, 4, 4), of the matrices that `moved` makes of a pose (..., B, 4, 4)."""
        first, second = (
            one.matrices(moved) if isinstance(one, GltfMoment) else moved(one)
            for one in (self.before, self.after)
        )
        played = self._between(first, second)
        if self.written is not None:
            played = self.written.over(played, moved)
        return played.matrices().reshape(first.shape)

    @property
    def samples(self) -> tuple[GltfMoment, GltfMoment] | None:
        """What plays at the importer's samples before and after; None if it keeps the keys."""
        if isinstance(self.before, GltfMoment) and isinstance(self.after, GltfMoment):
            return self.before, self.after
        return None

    def between(self, first: Array, second: Array) -> Array:
        """Return what plays, (..., B, 4, 4), between matrices (..., B, 4, 4) before and after."""
        return self._between(first, second).matrices().reshape(first.shape)

    def _between(self, first: Array, second: Array) -> TransformParts:
        one, other = take_apart(first.reshape(-1, 4, 4)), take_apart(second.reshape(-1, 4, 4))
        share = np.where(self.stepped, np.floor(self.share)[..., None, None], self.share[..., None, None])
        location, rotation, scale = share.reshape(-1, len(CHANNELS)).T[..., None]
        return TransformParts(
            one.translation + (other.translation - one.translation) * location,
            turned(one.rotation, other.rotation, rotation, self.straight),
            one.scale + (other.scale - one.scale) * scale,
        )


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
