"""What a .glb plays whose channels have the keys of Blender's curves, without sampling.

The exporter writes such a channel's keys as they are, with what their handles make of a cubic spline. Others
it samples: those whose curves disagree about frames or interpolation, and those of bones with constraints. A
channel without curves has no keys, and so stays at rest, whatever poses the bone in Blender.

`tests/engines/test_curves_in_files.py` compares the poses with the files'.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..gltf.animation import LINEAR, Channel
from .key_interpolation import EVEN, around, turned
from .transform_parts import TransformParts, take_apart

Array = NDArray[np.float64]

LOCATION, ROTATION, SCALE = "location", "rotation", "scale"

CHANNELS = (LOCATION, ROTATION, SCALE)
"""Of a node."""

BoneChannels = frozenset[tuple[str, str]]
"""Bones' names, each with one of `CHANNELS`."""

_AT_REST = {LOCATION: (0.0, 0.0, 0.0), ROTATION: (0.0, 0.0, 0.0, 1.0), SCALE: (1.0, 1.0, 1.0)}


@dataclass(frozen=True, eq=False)
class GltfCurves:
    """An armature's animation without sampling. written: the keys of curves, by bone and channel; their times
    are frames, and their values are relative to the bone's rest pose. sampled: channels with keys at the
    sampled frames.
    """

    written: Mapping[tuple[str, str], Channel]
    sampled: BoneChannels

    def times(self) -> Array:
        """Return the frames (T,), ascending, of all keys of curves."""
        return np.unique(np.concatenate([np.empty(0), *(one.times for one in self.written.values())]))

    def at(
        self, names: Sequence[str], rest_to_root: Array, frames: ArrayLike, straight: float
    ) -> WrittenMoment:
        """Return what plays at frames (...) of bones (B) with these names. rest_to_root: (B, 4, 4). straight:
        see `turned`.
        """
        wanted = np.asarray(frames, dtype=np.float64)
        marked = [[(name, channel) for channel in CHANNELS] for name in names]
        values: dict[str, Array] = {}
        for channel in CHANNELS:
            own = np.broadcast_to(_AT_REST[channel], (*wanted.shape, len(names), len(_AT_REST[channel])))
            values[channel] = own.copy()
        for bone, name in enumerate(names):
            for channel in CHANNELS:
                keys = self.written.get((name, channel))
                if keys is not None:
                    played = _played(keys, wanted.reshape(-1), straight)
                    values[channel][..., bone, :] = played.reshape(*wanted.shape, -1)
        return WrittenMoment(
            np.array([[one in self.sampled for one in each] for each in marked], dtype=np.bool_),
            np.array([[one in self.written for one in each] for each in marked], dtype=np.bool_),
            values[LOCATION],
            values[ROTATION],
            values[SCALE],
            rest_to_root,
        )


def _played(keys: Channel, frames: Array, straight: float) -> Array:
    """Return what keys play at frames (F,), (F, C)."""
    if straight >= EVEN or keys.path != "rotation" or keys.interpolation != LINEAR:
        return keys.at(frames)
    before, after, share = around(keys.times, frames)
    return turned(keys.values[before], keys.values[after], share[:, None], straight)


@dataclass(frozen=True, eq=False)
class WrittenMoment:
    """What curves' keys play at some instants. sampled, written: (B, 3) the channels that are sampled and that
    have keys of curves; the others are at rest. location, scale: (..., B, 3); rotation: (..., B, 4), x y z w;
    those of `written` channels. rest_to_root: (B, 4, 4).
    """

    sampled: NDArray[np.bool_]
    written: NDArray[np.bool_]
    location: Array
    rotation: Array
    scale: Array
    rest_to_root: Array

    def of_bones(self, bones: NDArray[np.intp]) -> WrittenMoment:
        """Return the same of some bones."""
        return replace(
            self,
            sampled=self.sampled[bones],
            written=self.written[bones],
            location=self.location[..., bones, :],
            rotation=self.rotation[..., bones, :],
            scale=self.scale[..., bones, :],
            rest_to_root=self.rest_to_root[bones],
        )

    def over(self, sampled: TransformParts, moved: Callable[[Array], Array]) -> TransformParts:
        """Return what plays of nodes (N, for all instants and bones) where some channels are `sampled`. moved:
        makes what nodes hold of a pose (B, 4, 4).
        """
        rest = take_apart(moved(self.rest_to_root))
        count = self.location.reshape(-1, *self.location.shape[-2:]).shape[0]

        def chosen(number: int, from_samples: Array, from_curves: Array, at_rest: Array) -> Array:
            shape = (count, len(at_rest), at_rest.shape[1])
            is_sampled, is_written = (one[:, number, None] for one in (self.sampled, self.written))
            still = np.where(is_written, from_curves.reshape(shape), at_rest)
            return np.where(is_sampled, from_samples.reshape(shape), still).reshape(-1, shape[2])

        return TransformParts(
            chosen(0, sampled.translation, self.location, rest.translation),
            chosen(1, sampled.rotation, self.rotation, rest.rotation),
            chosen(2, sampled.scale, self.scale, rest.scale),
        )
