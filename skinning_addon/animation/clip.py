"""Clips: translation, rotation and scale keyframes for some bones.

All keys use a single list of times shared by the clip. A channel (one kind of one bone) has a key at every
time, as after baking; at some of them, as after reduction; or just one if it does not move. All three use the
same layout: compressed rows of indices into that list. Sampling can thus find every bone's and instance's
interval with one integer search.

Values are float32, like Blender's own. Times are in ticks, at the clip's own rate per second; clips made from
Blender's actions use frames as ticks.

Sources: F. D. Luna, Introduction to 3D Game Programming with DirectX, "Character Animation" (bone animations,
clips); LearnOpenGL, "Skeletal Animation" (ticks).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypedDict, Unpack, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.maths.arrays import read_only, set_field
from ..core.text.errors import ClipError
from .local_pose import LocalPose
from .rotations import Floats, RotationBlend, aligned, normalised

COMPONENTS = {"translation": 3, "rotation": 4, "scale": 3}


@dataclass(frozen=True, eq=False)
class Keys:
    """The keys of one kind (translations, rotations or scales), channel by channel.

    bones: (C,) int32, the clip's bone that each channel moves; ascending.
    starts: (C + 1,) int64, the start of each channel's keys in `time_indices` and `values`.
    time_indices: (N,) int32, each key's index in the clip's list of times, ascending within a channel. The
        first is 0, and the last the end of the list unless there is only one.
    values: (D, N) float32. Neighbouring rotations have consistent signs, so that interpolation takes the
    shortest way.
    """

    bones: NDArray[np.int32]
    starts: NDArray[np.int64]
    time_indices: NDArray[np.int32]
    values: NDArray[np.float32]

    def __post_init__(self) -> None:
        set_field(self, "bones", read_only("bones", self.bones, np.int32, (None,)))
        set_field(self, "starts", read_only("starts", self.starts, np.int64, (len(self.bones) + 1,)))
        set_field(self, "time_indices", read_only("time_indices", self.time_indices, np.int32, (None,)))
        set_field(
            self,
            "values",
            read_only("values", self.values, np.float32, (len(self.values), len(self.time_indices))),
        )

    @property
    def counts(self) -> NDArray[np.int64]:
        """(C,) keys in each channel."""
        return np.diff(self.starts)

    @property
    def nbytes(self) -> int:
        """Memory of the arrays in bytes."""
        return self.bones.nbytes + self.starts.nbytes + self.time_indices.nbytes + self.values.nbytes

    def channel(self, bone: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Return the time indices and the values (D, n) of a bone's keys; empty if it has none."""
        found = np.flatnonzero(self.bones == bone)
        if not found.size:
            return self.time_indices[:0], self.values[:, :0]
        start, end = self.starts[found[0]], self.starts[found[0] + 1]
        return self.time_indices[start:end], self.values[:, start:end]


@dataclass(frozen=True)
class Marker:
    """A named moment of a clip, such as a footstep. time: in ticks.

    data: passed to listeners, as D3DX's callback keys carry an application pointer; plain data that JSON can
    hold.
    """

    name: str
    time: float
    data: object = None


@dataclass(frozen=True, eq=False)
class Clip:
    """An animation of some bones, by name.

    bones: names. times: (T,) float64 ticks, ascending. translation, rotation, scale: keys, relative to the
    parent; without keys the rest pose is used. ticks_per_second: above 0. looping: restarts at its end,
    otherwise stays there. rotation_blend: between keys. markers: sorted by time. additive: the keys are
    changes to add to a pose (see `additive_clip`).
    """

    name: str
    bones: tuple[str, ...]
    times: NDArray[np.float64]
    translation: Keys
    rotation: Keys
    scale: Keys
    ticks_per_second: float = 24.0
    looping: bool = True
    rotation_blend: RotationBlend = RotationBlend.NLERP
    markers: tuple[Marker, ...] = field(default=())
    additive: bool = False

    def __post_init__(self) -> None:
        set_field(self, "times", read_only("times", self.times, np.float64, (None,)))
        set_field(self, "markers", tuple(sorted(self.markers, key=lambda one: one.time)))
        if not len(self.times):
            raise ClipError("The clip '{clip}' has no keys; key at least one pose.", clip=self.name)
        if not np.isfinite(self.times).all() or not (np.diff(self.times) > 0).all():
            raise ClipError(
                "The key times of '{clip}' must be ascending numbers; use each time only once.",
                clip=self.name,
            )
        if not (np.isfinite(self.ticks_per_second) and self.ticks_per_second > 0):
            raise ClipError(
                "'{clip}' plays {rate:g} ticks per second; give more than 0.",
                clip=self.name,
                rate=self.ticks_per_second,
            )
        if len(set(self.bones)) < len(self.bones):
            raise ClipError("'{clip}' has two sets of keys for one bone; join them.", clip=self.name)
        for kind in COMPONENTS:
            if not np.isfinite(self.keys(kind).values).all():
                raise ClipError("'{clip}' has a key that is not a number; key it again.", clip=self.name)

    def keys(self, kind: str) -> Keys:
        """Return the keys of 'translation', 'rotation' or 'scale'."""
        return cast("Keys", getattr(self, kind))

    @property
    def start(self) -> float:
        """The first key's time, in ticks."""
        return float(self.times[0])

    @property
    def duration(self) -> float:
        """From the first key to the last, in seconds; 0 for a single pose."""
        return float(self.times[-1] - self.times[0]) / self.ticks_per_second

    @property
    def nbytes(self) -> int:
        """Memory of all key arrays in bytes."""
        return self.times.nbytes + sum(self.keys(kind).nbytes for kind in COMPONENTS)

    @property
    def key_count(self) -> int:
        """Keys of all channels together."""
        return sum(len(self.keys(kind).time_indices) for kind in COMPONENTS)

    @cached_property
    def marker_positions(self) -> NDArray[np.float64]:
        """(M,) seconds from the clip's start."""
        return (np.array([one.time for one in self.markers]) - self.start) / self.ticks_per_second

    def ticks(self, position: ArrayLike) -> NDArray[np.float64]:
        """Convert seconds since the start to ticks: wrapped if looping, otherwise clamped to the ends."""
        seconds = np.asarray(position, dtype=np.float64)
        duration = self.duration
        if duration == 0:
            return np.full(seconds.shape, self.start)
        seconds = np.mod(seconds, duration) if self.looping else np.clip(seconds, 0, duration)
        return np.clip(self.start + seconds * self.ticks_per_second, self.start, self.times[-1])


class ClipSettings(TypedDict, total=False):
    """A `Clip`'s settings other than its keys."""

    ticks_per_second: float
    looping: bool
    rotation_blend: RotationBlend
    markers: tuple[Marker, ...]
    additive: bool


def dense_clip(
    name: str, bones: Sequence[str], times: ArrayLike, pose: LocalPose, **settings: Unpack[ClipSettings]
) -> Clip:
    """Make a clip from poses at all of `times`.

    pose: (D, T, B), in the order of `bones`. settings: of `Clip`. A constant channel gets one key.

    Raises:
        ClipError: there are no times, they do not ascend, or a value is not a number.
    """
    ticks = np.asarray(times, dtype=np.float64)
    keys = {
        "translation": dense_keys(pose.translation),
        "rotation": dense_keys(aligned(normalised(pose.rotation))),
        "scale": dense_keys(pose.scale),
    }
    return Clip(name, tuple(bones), ticks, **keys, **settings)


def dense_keys(values: Floats) -> Keys:
    """Turn values (D, T, B) at every time into keys; just one if a channel does not move."""
    stored = np.ascontiguousarray(values, dtype=np.float32)
    times, bones = int(stored.shape[1]), int(stored.shape[2])
    moves = (stored != stored[:, :1]).any(axis=(0, 1))
    kept = np.where(moves[None, :], True, (np.arange(times) == 0)[:, None])
    return kept_keys(stored, kept, np.arange(bones))


def kept_keys(values: Floats, kept: NDArray[np.bool_], bones: NDArray[np.int64] | None = None) -> Keys:
    """Keep the values (D, T, C) marked by `kept` (T, C) as keys. bones: (C,), all in order if left out."""
    counts = kept.sum(axis=0)
    channel, time_index = np.nonzero(kept.T)
    return Keys(
        np.asarray(np.arange(kept.shape[1]) if bones is None else bones, dtype=np.int32),
        np.concatenate(([0], np.cumsum(counts))),
        time_index.astype(np.int32),
        values[:, time_index, channel].astype(np.float32),
    )


@dataclass(frozen=True, eq=False)
class BoneKeys:
    """Keys of one bone, each kind with its own times: (n,) ticks and (n, D) values; None without keys.

    Rotations are quaternions (w, x, y, z).
    """

    translation: tuple[ArrayLike, ArrayLike] | None = None
    rotation: tuple[ArrayLike, ArrayLike] | None = None
    scale: tuple[ArrayLike, ArrayLike] | None = None


def sparse_clip(name: str, tracks: Mapping[str, BoneKeys], **settings: Unpack[ClipSettings]) -> Clip:
    """Make a clip of bones with separately timed keys. A channel holds before its first and after its last
    key.

    Raises:
        ClipError: there are no keys, a channel's times do not ascend, or times and values differ in number.
    """
    channels: dict[str, list[tuple[int, NDArray[np.float64], NDArray[np.float64]]]] = {
        kind: [] for kind in COMPONENTS
    }
    for bone, (bone_name, track) in enumerate(tracks.items()):
        for kind in COMPONENTS:
            given = cast("tuple[ArrayLike, ArrayLike] | None", getattr(track, kind))
            if given is not None:
                channels[kind].append((bone, *_checked(name, bone_name, kind, *given)))
    every = [times for of_kind in channels.values() for _, times, _ in of_kind]
    if not every:
        raise ClipError("The clip '{clip}' has no keys; key at least one pose.", clip=name)
    times = np.unique(np.concatenate(every))
    keys = {kind: _joined(kind, of_kind, times) for kind, of_kind in channels.items()}
    return Clip(name, tuple(tracks), times, **keys, **settings)


def _checked(
    name: str, bone: str, kind: str, times: ArrayLike, values: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    ticks = np.asarray(times, dtype=np.float64).reshape(-1)
    keyed = np.asarray(values, dtype=np.float64)
    if keyed.shape != (len(ticks), COMPONENTS[kind]) or not len(ticks):
        raise ClipError(
            "The bone '{bone}' has {times} key times in '{clip}' and values of the shape {shape}; it needs "
            "{needs}, and at least one key.",
            bone=bone,
            times=len(ticks),
            clip=name,
            shape=str(keyed.shape),
            needs=str((len(ticks), COMPONENTS[kind])),
        )
    if not (np.diff(ticks) > 0).all():
        raise ClipError(
            "The keys of the bone '{bone}' in '{clip}' are not in order of time; sort them.",
            bone=bone,
            clip=name,
        )
    return ticks, keyed


def _joined(
    kind: str,
    channels: list[tuple[int, NDArray[np.float64], NDArray[np.float64]]],
    times: NDArray[np.float64],
) -> Keys:
    time_indices: list[NDArray[np.intp]] = []
    values: list[Floats] = []
    for _, ticks, keyed in channels:
        time_index = np.searchsorted(times, ticks)
        value: Floats = aligned(normalised(keyed.T)) if kind == "rotation" else keyed.T
        if len(ticks) > 1:
            # Held before the first key and after the last, up to the clip's ends.
            before, after = int(time_index[0] > 0), int(time_index[-1] < len(times) - 1)
            time_index = np.concatenate(([0] * before, time_index, [len(times) - 1] * after)).astype(np.intp)
            value = np.concatenate((value[:, :before], value, value[:, -1:][:, :after]), axis=1)
        else:
            time_index = np.zeros(1, dtype=np.intp)
        time_indices.append(time_index)
        values.append(value)
    counts = [len(time_index) for time_index in time_indices]
    return Keys(
        np.array([bone for bone, _, _ in channels], dtype=np.int32),
        np.cumsum([0, *counts]),
        np.concatenate(time_indices).astype(np.int32) if time_indices else np.empty(0, dtype=np.int32),
        (np.concatenate(values, axis=1) if values else np.empty((COMPONENTS[kind], 0))).astype(np.float32),
    )
