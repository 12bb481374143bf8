"""Reading one clip from a clip scene: the requested frames, and those in between that interpolation misses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...animation.blending import blend_poses
from ...animation.bone_boxes import BoneBoxes
from ...animation.fitting import Fit, fit_hierarchy, joined
from ...animation.local_pose import compose
from ...animation.rotations import RotationBlend
from ..staging.clip_scene import ClipScene

NEARLY = 0.1
"""A probed frame that is off by more than this share of the tolerance is kept, since it was read anyway."""

PROBE = 0.4
"""Where a span is sampled. Not halfway, where an ease between two keys crosses its chord."""

FINEST = 256
"""The most parts that a frame is divided into; jumps happen within one of them."""

FRAMES_AT_ONCE = 32
"""Number of frames fitted together: enough for numpy to be efficient, few enough to cancel promptly."""


class ClipReading:
    """The frames read and kept so far of the clip that a stage plays.

    skeleton: of the armature. frames_read: how many frames were read from Blender.
    """

    def __init__(self, stage: ClipScene, armature: str) -> None:
        self.skeleton = stage.readers[armature].skeleton
        self.frames_read = 0
        self._stage, self._armature = stage, armature
        self._read: dict[float, NDArray[np.float64]] = {}
        self._fits: dict[float, Fit] = {}

    def add(self, frames: Sequence[float]) -> Iterator[None]:
        """Read and keep frames, yielding after each."""
        for first in range(0, len(frames), FRAMES_AT_ONCE):
            yield from self._take(frames[first : first + FRAMES_AT_ONCE])

    def refine(self, tolerance: float, boxes: BoneBoxes, blend: RotationBlend) -> Iterator[None]:
        """Subdivide frames until interpolation is within `tolerance`, yielding after each frame read.

        tolerance: share of the size and movement of any mesh that is moved.
        """
        spans = list(pairwise(sorted(self._read)))
        while spans:
            halves: list[tuple[float, float]] = []
            for first in range(0, len(spans), FRAMES_AT_ONCE):
                some = spans[first : first + FRAMES_AT_ONCE]
                probes = [start + PROBE * (end - start) for start, end in some]
                yield from self._take(probes)
                missed = self._missed(some, probes, boxes, blend)
                for (start, end), probe, miss in zip(some, probes, missed.tolist(), strict=True):
                    if miss > tolerance:
                        halves += [(start, probe), (probe, end)]
                    elif miss <= NEARLY * tolerance:
                        del self._read[probe], self._fits[probe]
            spans = [(start, end) for start, end in halves if end - start > 1 / FINEST]

    def fitted(self) -> tuple[NDArray[np.float64], Fit]:
        """Return the kept frames, (F,) ascending, and their fit."""
        frames = sorted(self._read)
        fit = joined([self._fits[frame] for frame in frames])
        if fit.held:
            fit = fit_hierarchy(self.skeleton, np.stack([self._read[frame] for frame in frames]))
        return np.array(frames), fit

    def _take(self, frames: Sequence[float]) -> Iterator[None]:
        for frame in frames:
            self._read[frame] = self._stage.to_root(self._armature, frame)
            self.frames_read += 1
            yield
        fit = fit_hierarchy(self.skeleton, np.stack([self._read[frame] for frame in frames]))
        self._fits.update((frame, fit.at(number)) for number, frame in enumerate(frames))

    def _missed(
        self,
        spans: Sequence[tuple[float, float]],
        probes: Sequence[float],
        boxes: BoneBoxes,
        blend: RotationBlend,
    ) -> NDArray[np.float64]:
        """Return each span's interpolation error at its probe, as a share; loss of shear doesn't count."""
        start, end = (joined([self._fits[span[side]] for span in spans]) for side in (0, 1))
        between = blend_poses(start.pose, end.pose, np.array(PROBE), blend)
        ours = self.skeleton.to_root(compose(between))
        there = joined([self._fits[probe] for probe in probes]).to_root
        return boxes.shares(ours, there, self.skeleton.rest_to_root).max(axis=-1)
