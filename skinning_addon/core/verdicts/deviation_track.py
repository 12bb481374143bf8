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


@dataclass(frozen=True, eq=False)
class TrackEdges:
    """The first and the last frame of a track, for one that goes on where it ends.

    first, last: the clip, and the offsets (V, 3). leading, trailing: the frames beyond `limits` that the track
    begins and ends with, of the first and of the last clip. whole: whether these are all its frames, of one
    clip.
    """

    first: tuple[str, NDArray[np.float32]]
    last: tuple[str, NDArray[np.float32]]
    leading: int
    trailing: int
    whole: bool

    def joined(self, later: TrackEdges) -> tuple[TrackEdges, int, float]:
        """Return the edges of both, the run of frames across the joint, and the pop there."""
        if self.last[0] != later.first[0] or self.last[1].shape != later.first[1].shape:
            return TrackEdges(self.first, later.last, self.leading, later.trailing, whole=False), 0, 0.0
        run = self.trailing + later.leading
        pop = float(lengths(later.first[1] - self.last[1]).max(initial=0.0))
        leading = run if self.whole else self.leading
        trailing = run if later.whole else later.trailing
        whole = self.whole and later.whole
        return TrackEdges(self.first, later.last, leading, trailing, whole), run, pop


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
        self._first: tuple[str, NDArray[np.float32]] | None = None
        self._leading = 0
        self._leads = True

    @property
    def edges(self) -> TrackEdges | None:
        """Its first and last frame; None without frames."""
        if self._first is None or self._before is None:
            return None
        return TrackEdges(self._first, self._before, self._leading, self._running, self._leads)

    def add(self, offsets: NDArray[np.float32], clip: str, frames: tuple[float, ...]) -> None:
        """Add frames; offsets: (V, F, 3)."""
        distances = lengths(offsets)
        self.largest = np.maximum(self.largest, distances.max(axis=1, initial=0.0))
        self.frames += len(frames)
        off = np.any(distances > self._limits[:, None], axis=0).tolist()
        if self._first is None:
            self._first = clip, offsets[:, 0].copy()
        self._lead(off, clip)
        self._follow_runs(off, clip)
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

    def _lead(self, off: list[bool], clip: str) -> None:
        for one in off:
            self._leads = self._leads and one and self._first is not None and self._first[0] == clip
            self._leading += self._leads

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
