"""A mesh's deviation over the frames of clips: the worst frame, the longest run, the largest pop."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .verdict import Level, levels_of_frames


@dataclass(frozen=True, eq=False)
class WorstMoment:
    """clip, frame: when it was. offsets: (V, 3) float32, of every vertex at that frame."""

    clip: str
    frame: float
    offsets: NDArray[np.float32]


@dataclass(frozen=True)
class JudgedFrame:
    """clip, frame: when it was. level: how bad that frame is."""

    clip: str
    frame: float
    level: Level


class DeviationTrack:
    """Accumulates the vertices' offsets from their correct positions, clip by clip, frames in order; all
    lengths in one unit.

    worst: the moment when a vertex is furthest off; None before the first frame, or if all offsets are zero.
    largest: (V,) float32, the largest distance of each vertex over all frames.
    run: the longest run of frames with a vertex beyond `limits`. frames: the number of frames so far.
    pop: the largest change of any vertex's offset from one frame of a clip to the next. judged: every frame
    with its verdict, if `areas` were given.
    """

    def __init__(self, limits: NDArray[np.floating], areas: NDArray[np.floating] | None = None) -> None:
        """limits: (V,), the distance up to which each vertex counts as good; in metres if `areas`, (V,), the
        vertices' shares of the surface, are given.
        """
        self.judged: list[JudgedFrame] = []
        self._areas = areas
        self.worst: WorstMoment | None = None
        self.largest = np.zeros(len(limits), dtype=np.float32)
        self.frames = self.run = 0
        self.pop = 0.0
        self._limits = np.asarray(limits, dtype=np.float32)
        self._most = 0.0
        self._running = 0
        self._before: tuple[str, NDArray[np.float32]] | None = None

    def add(self, offsets: NDArray[np.float32], clip: str, frames: tuple[float, ...]) -> None:
        """Add frames; offsets: (V, F, 3)."""
        distances = lengths(offsets)
        self.largest = np.maximum(self.largest, distances.max(axis=1, initial=0.0))
        self.frames += len(frames)
        self._follow_runs(np.any(distances > self._limits[:, None], axis=0).tolist(), clip)
        self._follow_pops(offsets, clip)
        if self._areas is not None:
            levels = levels_of_frames(distances, self._areas, self._limits).tolist()
            self.judged += map(JudgedFrame, [clip] * len(frames), frames, map(Level, levels))
        self._before = clip, offsets[:, -1].copy()
        most = distances.max(axis=0, initial=0.0)
        at = int(np.argmax(most))
        if most[at] > self._most:
            self._most = float(most[at])
            self.worst = WorstMoment(clip, frames[at], offsets[:, at].copy())

    def _follow_runs(self, off: list[bool], clip: str) -> None:
        if self._before is None or self._before[0] != clip:
            self._running = 0
        for one in off:
            self._running = self._running + 1 if one else 0
            self.run = max(self.run, self._running)

    def _follow_pops(self, offsets: NDArray[np.float32], clip: str) -> None:
        if self._before is not None and self._before[0] == clip:
            self.pop = max(self.pop, float(lengths(offsets[:, 0] - self._before[1]).max(initial=0.0)))
        if offsets.shape[1] > 1:
            self.pop = max(self.pop, float(lengths(np.diff(offsets, axis=1)).max(initial=0.0)))


def lengths(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the lengths (...) of vectors (..., 3)."""
    # Four times as fast as a sum over an axis of three.
    squares = vectors * vectors
    sums = squares[..., 0] + squares[..., 1]
    sums += squares[..., 2]
    return np.sqrt(sums, out=sums)
