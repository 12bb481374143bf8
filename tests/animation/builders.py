"""Skeletons and clips for tests: arms of a few bones, and rotations about one axis, with poses known in closed
form.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skinning_addon.animation.clip import BoneKeys, Clip, Marker, sparse_clip
from skinning_addon.animation.sampled_clips import SampledClips
from skinning_addon.core.skinning.skeleton import Skeleton


def arm(bones: int = 3, length: float = 1.0) -> Skeleton:
    """Make a chain 'b0', 'b1', ... along Y, each bone `length` above its parent."""
    rest = np.tile(np.eye(4), (bones, 1, 1))
    rest[:, 3, 1] = length * np.arange(bones)
    return Skeleton(tuple(f"b{i}" for i in range(bones)), np.arange(-1, bones - 1, dtype=np.int32), rest)


def about(axis: Sequence[float], degrees: ArrayLike) -> NDArray[np.float64]:
    """Return quaternions (4, ...) of rotations about an axis."""
    half = np.radians(np.asarray(degrees, dtype=np.float64)) / 2
    unit = np.asarray(axis, dtype=np.float64) / np.linalg.norm(axis)
    return np.stack((np.cos(half), *(np.sin(half) * one for one in unit)))


def angle(rotation: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return the rotation angles of quaternions (4, ...) in degrees, 0 to 180."""
    wide = rotation.astype(np.float64)
    return np.degrees(2 * np.arctan2(np.linalg.norm(wide[1:], axis=0), np.abs(wide[0])))


def turning(
    name: str = "turn",
    degrees: Sequence[float] = (0, 90),
    seconds: float = 1.0,
    bone: str = "b0",
    markers: Sequence[tuple[str, float]] = (),
    *,
    looping: bool = True,
) -> Clip:
    """Make a clip that rotates one bone about X through `degrees`, evenly spaced in time; 10 ticks a second.

    markers: names and seconds.
    """
    times = np.linspace(0, 10 * seconds, len(degrees))
    return sparse_clip(
        name,
        {bone: BoneKeys(rotation=(times, about((1, 0, 0), degrees).T))},
        ticks_per_second=10.0,
        looping=looping,
        markers=tuple(Marker(marker, 10 * time) for marker, time in markers),
    )


def sampled_at(skeleton: Skeleton, clips: Sequence[Clip], rates: Sequence[int]) -> SampledClips:
    """Sample clips so many times a second; how far off that is doesn't matter."""
    counts = [round(clip.duration * rate) + 1 for clip, rate in zip(clips, rates, strict=True)]
    return SampledClips(skeleton, tuple(clips), np.array(counts), (0.0,) * len(counts))
