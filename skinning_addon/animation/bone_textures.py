"""Clips of a skeleton as a texture of its bones, from which an engine's shaders pose a crowd.

A row of pixels has all bones at one sample; clips follow one another. Of each bone it has its movement from the
rest pose, so that one texture does for all meshes of a character:

    movement = inverse(rest to file) @ posed to file        row vectors, "file" being the space of the mesh file

or where it is relative to its parent (`bone_rows`), from which a reader computes the movement.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.skinning.skeleton import Skeleton, invert_affine
from ..core.text.errors import ClipError
from ..core.text.message import counted
from .bone_boxes import BoneBoxes
from .bone_movements import clip_to_root, movements_of, scaled_or_sheared
from .bone_rows import blended_rows, local_rows
from .clip import Clip
from .pixel_format import BoneSpace, PixelFormat
from .rotations import aligned, from_rows, normalised, to_rows
from .sampled_clips import RATES, SampledClips, sample_count, sample_ticks
from .sampling import ClipSampler

WHERE = (0.0, 0.25, 0.5, 0.75)
"""Where between two samples the deviation is measured, besides at all keys."""

AT_ONCE = 4096
"""Instants that are measured together."""

TINY = 1e-9

SAMPLES_PER_TICK = (0.5, 1, 2, 4, 8, 16)
"""Rates to choose from besides RATES. If keys lie on ticks, which are frames of baked clips, samples at keys
miss no corner."""

MOST_ROWS = 1 << 24
"""While a rate is tried, the size does not matter."""

GAIN = 0.9
"""More samples are taken only if they bring the deviation below this share of what it was."""

STEPS = 65535
"""Of a 16-bit number."""


@dataclass(frozen=True)
class Storage:
    """How a texture is stored. largest: pixels that it may be wide and high."""

    pixel_format: PixelFormat
    largest: int
    space: BoneSpace = BoneSpace.REST


@dataclass(frozen=True, eq=False)
class BoneTexture:
    """clips: its rows. bones: (N,) numbers in the skeleton, in the order of columns; -1 for vertices that no
    bone moves. root_to_file: (4, 4), from root space to that of the mesh file, whose positions movements move.

    space: what a bone's numbers are relative to. For PARENT, `bones` has all ancestors of its bones.
    pixels: (rows, strips * N * pixels per bone, 4). Rows past the largest height go on in the next strip.
    ranges: (C, 2, 3) the least and largest translation of each clip, which 0 and 65535 stand for in UNORM16.
    """

    pixel_format: PixelFormat
    clips: SampledClips
    bones: NDArray[np.intp]
    root_to_file: NDArray[np.float64]
    pixels: NDArray[np.generic]
    ranges: NDArray[np.float64]
    space: BoneSpace = BoneSpace.REST

    @classmethod
    def of(
        cls,
        clips: SampledClips,
        bones: NDArray[np.intp],
        root_to_file: NDArray[np.float64],
        stored: Storage,
    ) -> BoneTexture:
        """Make it.

        Raises:
            ClipError: it would be larger, or a bone is scaled or sheared where the format has neither.
        """
        largest = stored.largest
        rows, width = int(clips.counts.sum()), len(bones) * stored.pixel_format.pixels_per_bone
        strips = -(-rows // largest)
        if strips * width > largest:
            raise ClipError(
                "{bones} and {rows} need a texture of {width:,} x {height:,} pixels, and the largest is "
                "{largest:,} x {largest:,}; choose fewer clips, or a larger tolerance.",
                bones=counted(len(bones), "bone", "bones"),
                rows=counted(rows, "sample", "samples"),
                width=strips * width,
                height=min(rows, largest),
                largest=largest,
            )
        if stored.space is BoneSpace.PARENT:
            numbers, ranges = _local_numbers(clips, bones), np.zeros((len(clips.clips), 2, 3))
        else:
            numbers, ranges = _movement_numbers(clips, bones, root_to_file, stored.pixel_format)
        pixels = _in_strips(numbers.astype(stored.pixel_format.numbers), strips, largest)
        return cls(stored.pixel_format, clips, bones, root_to_file, pixels, ranges, stored.space)

    @classmethod
    def within(
        cls,
        skeleton: Skeleton,
        clips: Sequence[Clip],
        bones: NDArray[np.intp],
        root_to_file: NDArray[np.float64],
        stored: Storage,
        *,
        boxes: BoneBoxes,
        tolerance: float,
    ) -> BoneTexture:
        """Sample each clip at the lowest rate that keeps all vertices within a tolerance, in the file's units;
        if none does, at the one after which more samples gain little.

        Raises:
            ClipError: see `of`.
        """

        def sampled(chosen: Sequence[Clip], counts: Sequence[int]) -> SampledClips:
            return SampledClips(skeleton, tuple(chosen), np.array(counts, dtype=np.intp), ())

        def deviation(clip: Clip, count: int) -> float:
            one = sampled((clip,), (count,))
            at_any_size = replace(stored, largest=MOST_ROWS)
            return cls.of(one, bones, root_to_file, at_any_size).deviation(0, boxes)

        counts = [_fewest(clip, partial(deviation, clip), tolerance) for clip in clips]
        return cls.of(sampled(clips, counts), bones, root_to_file, stored)

    @property
    def strips(self) -> int:
        """How many times a row of all bones fits across."""
        return self.pixels.shape[1] // (len(self.bones) * self.pixel_format.pixels_per_bone)

    def deviation(self, clip: int, boxes: BoneBoxes) -> float:
        """Return a bound on how far any vertex is off, at samples of a clip and between them, in the file's
        units. The format's rounding counts, and that engines blend numbers between samples.
        """
        one, count = self.clips.clips[clip], int(self.clips.counts[clip])
        ticks = sample_ticks(one, count)
        real = self.bones >= 0
        rest = rest_to_file(self)[real]
        file_to_root = np.linalg.inv(self.root_to_file)
        worst = 0.0
        for at in np.array_split(_measured_at(one, ticks), -(-len(ticks) * len(WHERE) // AT_ONCE)):
            place = np.clip((at - ticks[0]) / max(ticks[-1] - ticks[0], TINY) * (count - 1), 0, count - 1)
            before = np.minimum(place.astype(np.intp), max(count - 2, 0))
            after = np.minimum(before + 1, count - 1)
            share = (place - before)[:, None, None, None]
            exact = clip_to_root(self.clips.skeleton, one, at)
            found = exact.astype(np.float64)
            if self.space is BoneSpace.PARENT:
                found[:, self.bones[real]] = self._chained(clip, before, after, share)[:, self.bones[real]]
            else:
                between = self._between(clip, before, after, share)[:, real]
                found[:, self.bones[real]] = rest @ between @ file_to_root
            worst = max(worst, float(boxes.distances(found, exact).max(initial=0.0)))
        return worst * float(np.linalg.norm(self.root_to_file[:3, :3], ord=2))

    def _between(
        self, clip: int, before: NDArray[np.intp], after: NDArray[np.intp], share: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the movements (n, N, 4, 4) that an engine makes of two samples: numbers are blended, and
        quaternions then made unit length. share: (n, 1, 1, 1), how far it is between them.
        """
        start = int(self.clips.starts[clip])
        one, other = (self._rows(start + each).astype(np.float64) for each in (before, after))
        result = np.zeros((*one.shape[:2], 4, 4))
        result[..., 3, 3] = 1
        if self.pixel_format is not PixelFormat.UNORM16:
            result[..., :3] = ((1 - share) * one + share * other).swapaxes(-1, -2)
            return result
        one, other = one / STEPS, other / STEPS
        blended = (1 - share) * one + share * other
        x, y, z, w = np.moveaxis(2 * blended[..., 0, :] - 1, -1, 0)
        rows = np.array(to_rows(normalised(np.stack((w, x, y, z)))))
        result[..., :3, :3] = np.moveaxis(rows, (0, 1), (-2, -1))
        low, high = self.ranges[clip]
        result[..., 3, :3] = low + blended[..., 1, :3] * (high - low)
        return result

    def _chained(
        self, clip: int, before: NDArray[np.intp], after: NDArray[np.intp], share: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return to_root (n, B, 4, 4) as a reader makes it of two samples; only that of the texture's bones
        counts.
        """
        start, skeleton = int(self.clips.starts[clip]), self.clips.skeleton
        one, other = (self._rows(start + each).astype(np.float64) for each in (before, after))
        real = self.bones >= 0
        to_parent = np.tile(np.eye(4), (len(before), len(skeleton.names), 1, 1))
        to_parent[:, self.bones[real]] = blended_rows(one[:, real], other[:, real], share)
        return skeleton.to_root(to_parent)

    def _rows(self, row: NDArray[np.intp]) -> NDArray[np.generic]:
        """Return the pixels of some samples, (n, N, pixels per bone, 4)."""
        height = self.pixels.shape[0]
        strips = self.pixels.reshape(
            height, self.strips, len(self.bones), self.pixel_format.pixels_per_bone, 4
        )
        return strips[row % height, row // height]


def closes(clip: Clip, skeleton: Skeleton, boxes: BoneBoxes, most: float) -> bool:
    """Whether a clip ends as it begins, with no vertex further off than `most`, in units of root space."""
    posed = clip_to_root(skeleton, clip, np.array([clip.times[0], clip.times[-1]], dtype=np.float64))
    return float(boxes.distances(posed[:1], posed[1:]).max(initial=0.0)) <= most


def _measured_at(clip: Clip, ticks: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the ticks at which a clip with these samples is measured: at samples, between them, and at its
    keys, between which nothing turns.
    """
    if len(ticks) < 2:
        return ticks
    within = (ticks[:-1, None] + np.array(WHERE) * np.diff(ticks)[:, None]).ravel()
    return np.unique(np.concatenate((within, clip.times.astype(np.float64), ticks[-1:])))


def _local_numbers(clips: SampledClips, bones: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return all samples of bones relative to their parents, (rows, 3 N, 4)."""
    samples = zip(clips.clips, clips.counts.tolist(), strict=True)
    poses = (ClipSampler(one, clips.skeleton).sample(sample_ticks(one, count)) for one, count in samples)
    return np.concatenate([local_rows(pose, bones) for pose in poses])


def _movement_numbers(
    clips: SampledClips,
    bones: NDArray[np.intp],
    root_to_file: NDArray[np.float64],
    pixel_format: PixelFormat,
) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Return all samples of bones' movements from rest, (rows, pixels per bone * N, 4), and each clip's range.

    Raises:
        ClipError: a bone is scaled or sheared where the format has neither.
    """
    poses = [
        movements_of(clips, clip, sample_ticks(clip, count), bones, root_to_file)
        for clip, count in zip(clips.clips, clips.counts.tolist(), strict=True)
    ]
    ranges = np.array([[one[..., 3, :3].min((0, 1)), one[..., 3, :3].max((0, 1))] for one in poses])
    if pixel_format is not PixelFormat.UNORM16:
        rows = np.concatenate(poses)[..., :3].swapaxes(-1, -2)
        return rows.reshape(len(rows), -1, 4), ranges
    found = scaled_or_sheared(clips, bones, poses)
    if found is not None:
        raise ClipError(
            "'{clip}' scales or shears '{bone}', and unorm16 holds only rotation and translation; choose half "
            "or float32, or make a game-ready copy.",
            clip=found[0],
            bone=found[1],
        )
    return np.concatenate([_quantised(one, *ends) for one, ends in zip(poses, ranges, strict=True)]), ranges


def _in_strips(numbers: NDArray[np.generic], strips: int, largest: int) -> NDArray[np.generic]:
    """Arrange rows of pixels (rows, width, 4) in strips beside each other, (height, strips * width, 4)."""
    rows, width, _ = numbers.shape
    filled = np.zeros((strips * min(rows, largest), width, 4), dtype=numbers.dtype)
    filled[:rows] = numbers
    pixels = filled.reshape(strips, -1, width, 4).swapaxes(0, 1).reshape(-1, strips * width, 4)
    return np.ascontiguousarray(pixels)


def _fewest(clip: Clip, deviation: Callable[[int], float], tolerance: float) -> int:
    """Return the fewest samples of a clip within a tolerance. deviation: of that many."""
    rates = sorted({*RATES, *(clip.ticks_per_second * one for one in SAMPLES_PER_TICK)})
    chosen, least = 1, np.inf
    for count in dict.fromkeys(sample_count(clip, rate) for rate in rates):
        found = deviation(count)
        if found <= max(tolerance, GAIN * least):
            chosen, least = count, found
        if found <= tolerance:
            break
    return chosen


def _quantised(
    movements: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64]
) -> NDArray[np.uint16]:
    """Return rotations (x, y, z, w) and translations of movements (n, N, 4, 4) as 16-bit numbers, (n, 2 N,
    4).
    """
    w, x, y, z = aligned(from_rows(movements[..., :3, :3]))
    shares = np.ones((*movements.shape[:2], 2, 4))
    shares[..., 0, :] = (np.stack((x, y, z, w), axis=-1) + 1) / 2
    size = np.where(high > low, high - low, 1.0)
    shares[..., 1, :3] = (movements[..., 3, :3] - low) / size
    return np.rint(np.clip(shares, 0, 1) * STEPS).astype("<u2").reshape(len(movements), -1, 4)


def rest_to_file(texture: BoneTexture) -> NDArray[np.float64]:
    """Return where the texture's bones rest in the file's space, (N, 4, 4)."""
    rest = texture.clips.skeleton.rest_to_root[texture.bones].copy()
    rest[texture.bones < 0] = np.eye(4)
    return rest @ texture.root_to_file


def inverse_bind(texture: BoneTexture) -> NDArray[np.float64]:
    """Return the inverses of `rest_to_file`, (N, 4, 4)."""
    return invert_affine(rest_to_file(texture))[0]
