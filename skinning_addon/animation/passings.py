"""Markers passed by tracks: each passing reported exactly once, at its own time, however time is divided into
steps.

The time of a passing follows from the track's anchor alone (`motion`), so a step only selects those within
it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .clip import Clip, Marker
from .motion import STANDING, Motion
from .ramps import Array
from .tracks import ClipLengths, Rows, TrackStates, motion_of


class Passing(NamedTuple):
    """A marker that was passed.

    time: seconds on the controller's clock. marker: its name. weight: of the track at that time; a footstep
    in a clip that has nearly faded out may be too faint to hear. backwards: whether the clip was played
    backwards. data: the marker's.
    """

    time: float
    instance: int
    track: int
    clip: str
    marker: str
    weight: float
    backwards: bool
    data: object = None

    @property
    def order(self) -> tuple[float, int, int, str, str]:
        """The sort key of passings; data need not be comparable."""
        return self.time, self.instance, self.track, self.clip, self.marker


def tell_passings(
    states: TrackStates,
    lengths: ClipLengths,
    clips: tuple[Clip, ...],
    rows: Rows,
    time: float,
    *,
    stopping: bool = False,
) -> list[Passing]:
    """List the markers that tracks have passed since the last report, up to `time`, and record that they were
    reported.

    stopping: whether the tracks get a new anchor at `time`; markers they are on then count as passed.
    """
    marked = [number for number, clip in enumerate(clips) if clip.markers and clip.duration > 0]
    rows = rows.where(states.enabled[rows.index] & np.isin(states.clip[rows.index], marked))
    if not rows.instance.size:
        return []
    after = np.maximum(states.told[rows.index], states.anchor[rows.index])
    motion = motion_of(states, lengths, rows)
    low, high = _reach(motion, after, time)
    playing = states.clip[rows.index]
    told: list[Passing] = []
    for number in marked:
        clip, of_clip = clips[number], np.flatnonzero(playing == number)
        if not of_clip.size:
            continue
        for marker, position in zip(clip.markers, clip.marker_positions.tolist(), strict=True):
            met, targets = _targets(position, clip, low[of_clip], high[of_clip])
            if met.size:
                row = of_clip[met]
                hits = _arrivals(motion.of(row), targets, after[row], time, stopping=stopping)
                told += _named(states, rows.where_at(row), motion.of(row), hits, (clip, marker))
    return told


def _arrivals(
    motion: Motion, targets: Array, after: Array, time: float, *, stopping: bool
) -> tuple[NDArray[np.intp], Array]:
    """Return the tracks that reach their targets after `after` and up to `time`, and when."""
    now = motion.at(time) if stopping else np.full(len(targets), np.nan)
    times = motion.arrivals(targets, up_to=now, until=time)
    piece, row = np.nonzero((times > after) & (times <= time))
    return row, times[piece, row]


def _named(
    states: TrackStates,
    rows: Rows,
    motion: Motion,
    hits: tuple[NDArray[np.intp], Array],
    passed_of: tuple[Clip, Marker],
) -> list[Passing]:
    row, moments = hits
    clip, marker = passed_of
    passed = rows.where_at(row)
    weights = states.weight.at(passed.index).value(moments)
    backwards = motion.speed.at(row).value(moments) < 0
    columns = moments, passed.instance, passed.track, weights, backwards
    return [
        Passing(moment, instance, track, clip.name, marker.name, weight, back, marker.data)
        for moment, instance, track, weight, back in zip(*(one.tolist() for one in columns), strict=True)
    ]


def _reach(motion: Motion, after: Array, time: float) -> tuple[Array, Array]:
    """Return the smallest and largest position between two times, with a small margin."""
    begins, positions, _ = motion.pieces
    inside = (begins > after) & (begins < time)
    seen = [motion.at(after), motion.at(np.full_like(after, time))]
    seen += [np.where(inside[piece], positions[piece], seen[0]) for piece in range(3)]
    return np.minimum.reduce(seen) - 2 * STANDING, np.maximum.reduce(seen) + 2 * STANDING


def _targets(position: float, clip: Clip, low: Array, high: Array) -> tuple[NDArray[np.intp], Array]:
    """List the positions where each track would meet a marker between `low` and `high`: (row, position)."""
    if not clip.looping:
        row = np.flatnonzero((position >= low) & (position <= high))
        return row, np.full(len(row), position)
    first: Array = np.ceil((low - position) / clip.duration)
    counts = np.maximum(np.floor((high - position) / clip.duration) - first + 1, 0).astype(np.intp)
    row = np.repeat(np.arange(len(low)), counts)
    round_of_row = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
    targets: Array = position + (first[row] + round_of_row) * clip.duration
    return row, targets
