"""The tracks of all instances as arrays: each one's clip, position, speed and weight."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from .motion import Motion, wrapped
from .ramps import Array, Ramps

NO_CLIP = -1


@dataclass(eq=False)
class TrackStates:
    """K tracks of I instances, (I, K) each; modified in place.

    clip: index, NO_CLIP for none. enabled: plays and contributes. high: whether in the high-priority group.
    anchor: seconds; position: of the clip, at the anchor (see `motion`). A track that is not enabled stays
    there.
    speed, weight: ramps; mask: the strength of the track's mask, also a ramp. told: the time up to which
    marker passings have been reported.
    """

    clip: NDArray[np.int32]
    enabled: NDArray[np.bool_]
    high: NDArray[np.bool_]
    anchor: Array
    position: Array
    speed: Ramps
    weight: Ramps
    mask: Ramps
    told: Array

    @classmethod
    def empty(cls, instances: int, tracks: int) -> TrackStates:
        """Make tracks that play nothing."""
        shape = instances, tracks
        return cls(
            clip=np.full(shape, NO_CLIP, dtype=np.int32),
            enabled=np.zeros(shape, dtype=np.bool_),
            high=np.zeros(shape, dtype=np.bool_),
            anchor=np.zeros(shape),
            position=np.zeros(shape),
            speed=Ramps.constant(shape, 1.0),
            weight=Ramps.constant(shape, 1.0),
            mask=Ramps.constant(shape, 1.0),
            told=np.zeros(shape),
        )


@dataclass(frozen=True, eq=False)
class ClipLengths:
    """The clips of a controller: duration (M,) in seconds, looping (M,)."""

    duration: Array
    looping: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Rows:
    """Some tracks of some instances. instance, track: (N,)."""

    instance: NDArray[np.intp]
    track: NDArray[np.intp]

    @classmethod
    def of(cls, instances: NDArray[np.intp], track: int) -> Rows:
        """Return the rows of one track of some instances."""
        return cls(instances, np.full(len(instances), track, dtype=np.intp))

    @property
    def index(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Their index into an array (I, K)."""
        return self.instance, self.track

    def where(self, mask: NDArray[np.bool_]) -> Rows:
        """Keep those where `mask` (N,)."""
        return Rows(self.instance[mask], self.track[mask])

    def where_at(self, indices: NDArray[np.intp]) -> Rows:
        """Pick some by index, one perhaps several times."""
        return Rows(self.instance[indices], self.track[indices])


def motion_of(states: TrackStates, lengths: ClipLengths, rows: Rows) -> Motion:
    """Return the tracks' motion from their anchors on; tracks without a clip or of zero length stay at 0."""
    clip = states.clip[rows.index]
    has = clip != NO_CLIP
    duration = np.where(has, lengths.duration[clip], 0.0) if len(lengths.duration) else np.zeros(len(clip))
    looping = has & (lengths.looping[clip] if len(lengths.looping) else False) & (duration > 0)
    return Motion(
        anchor=states.anchor[rows.index],
        position=states.position[rows.index],
        speed=states.speed.at(rows.index),
        low=np.where(looping, -np.inf, 0.0),
        high=np.where(looping, np.inf, duration),
    )


def positions_at(states: TrackStates, lengths: ClipLengths, rows: Rows, time: float) -> Array:
    """Return the tracks' positions at `time`, seconds from their clips' starts, with loops wrapped to the
    first round.
    """
    motion = motion_of(states, lengths, rows)
    position = np.where(states.enabled[rows.index], motion.at(time), motion.position)
    looping = np.isinf(motion.high)
    duration = np.where(
        looping, lengths.duration[states.clip[rows.index]] if len(lengths.duration) else 0.0, motion.high
    )
    return wrapped(position, duration, looping)


def set_anchor(states: TrackStates, lengths: ClipLengths, rows: Rows, time: float) -> None:
    """Make `time` the anchor of some tracks. Earlier motion is forgotten: report its passings first."""
    states.position[rows.index] = positions_at(states, lengths, rows, time)
    states.anchor[rows.index] = time


def arrays_of(states: TrackStates) -> dict[str, object]:
    """Return all arrays as lists, by name."""
    return {one.name: _listed(getattr(states, one.name)) for one in fields(states)}


def _listed(value: object) -> object:
    if isinstance(value, Ramps):
        return {one.name: getattr(value, one.name).tolist() for one in fields(value)}
    return np.asarray(value).tolist()
