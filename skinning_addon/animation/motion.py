"""A track's position in its clip as a pure function of time, and the times when it passes a given position.

A track has an *anchor*: a time and a position. From there on its speed is a ramp, so its position is the ramp's
integral: not a sum over steps, hence the same number however time is divided. The motion has three pieces, each
in one
direction: until the speed changes sign (if it does), until the end of the ramp, and on at the final speed
forever.

Positions are in clip seconds and not wrapped: after one loop they are one duration further. For clamped clips
they stay between 0 and the duration.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .ramps import Array, Ramps

STANDING = 1e-9
"""A track that starts or stops within this many seconds of a marker is on it: arriving passed it, and leaving
does not pass it again. Far above rounding, far below a frame."""

BISECTIONS = 60


@dataclass(frozen=True, eq=False)
class Motion:
    """The motion of N tracks from their anchors on.

    anchor: (N,) seconds. position: (N,) at the anchor. speed: ramps (N,) that began at or before the anchor.
    low, high: (N,) the smallest and largest position: infinite if the clip loops.
    """

    anchor: Array
    position: Array
    speed: Ramps
    low: Array
    high: Array

    @cached_property
    def pieces(self) -> tuple[Array, Array, Array]:
        """Each piece's start time, the position there, and the ramp's integral up to there; (3, N) each."""
        ramp_end = np.maximum(self.anchor, self.speed.start + self.speed.duration)
        zero = self.speed.zero_time()
        turns = (zero > self.anchor) & (zero < ramp_end)
        begins = np.stack((self.anchor, np.where(turns, zero, ramp_end), ramp_end))
        ways = self.speed.integral(begins)
        first = np.clip(self.position, self.low, self.high)
        second = np.clip(first + (ways[1] - ways[0]), self.low, self.high)
        third = np.clip(second + (ways[2] - ways[1]), self.low, self.high)
        return begins, np.stack((first, second, third)), ways

    def at(self, time: float | Array) -> Array:
        """Return the positions at `time`, not before the anchor."""
        begins, positions, ways = self.pieces
        # At constant speed the ramp's integral is not used, so that the position is monotonic in time.
        position: Array = positions[2] + (time - begins[2]) * self.speed.end
        on_ramp = time <= begins[2]
        if on_ramp.any():
            way = self.speed.integral(time)
            first: Array = positions[0] + (way - ways[0])
            second: Array = positions[1] + (way - ways[1])
            position = np.where(on_ramp, np.where(time <= begins[1], first, second), position)
        return np.clip(position, self.low, self.high)

    def of(self, rows: NDArray[np.intp]) -> Motion:
        """Pick some tracks, one perhaps several times."""
        return Motion(
            self.anchor[rows], self.position[rows], self.speed.at(rows), self.low[rows], self.high[rows]
        )

    def arrivals(self, targets: Array, *, up_to: Array, until: float | Array) -> Array:
        """Return when each track passes its target in each piece, (3, N); NaN if it does not.

        A passing belongs to the piece that arrives there. The anchor itself is not passed. up_to: (N,)
        positions that count as reached, and until: (N,) their times, for targets that rounding puts just
        beyond them.
        """
        begins, positions, _ = self.pieces
        ends = np.concatenate((begins[1:], np.full_like(begins[:1], np.inf)))
        times = np.full_like(begins, np.nan)
        for piece in range(3):
            start, stop = positions[piece], positions[min(piece + 1, 2)]
            speed = self.speed.end if piece == 2 else np.sign(stop - start)
            ahead = (targets - start) * np.sign(speed)
            margin = np.where(begins[piece] == self.anchor, STANDING, 0.0)
            meets = (ahead > margin) & (speed != 0) & (begins[piece] < ends[piece])
            meets &= (targets >= self.low) & (targets <= self.high)
            if piece < 2:
                meets &= ahead <= np.abs(stop - start)
                if meets.any():
                    times[piece] = np.where(
                        meets, self._solve(targets - start, begins[piece], ends[piece]), np.nan
                    )
            else:
                safe = np.where(speed == 0, 1, speed)
                # At almost zero speed the time overflows: never.
                with np.errstate(over="ignore"):
                    times[piece] = np.where(meets, begins[piece] + (targets - start) / safe, np.nan)
        near = np.abs(targets - up_to) <= STANDING
        return np.where(near & (times > until), until, times)

    def _solve(self, way: Array, begins: Array, ends: Array) -> Array:
        """Find when the ramps have covered `way` since `begins`, by bisection: a piece is monotonic."""
        before, after = begins.copy(), np.where(np.isfinite(ends), ends, begins)
        origin, forward = self.speed.integral(begins), np.sign(way)
        for _ in range(BISECTIONS):
            middle = (before + after) / 2
            short = (self.speed.integral(middle) - origin) * forward < way * forward
            before, after = np.where(short, middle, before), np.where(short, after, middle)
        return after


def wrapped(position: Array, duration: Array, looping: NDArray[np.bool_]) -> Array:
    """Wrap positions of loops to the first round; those of zero-length clips become 0."""
    some = duration > 0
    around = np.mod(position, np.where(some, duration, 1))
    return np.where(some, np.where(looping, around, position), 0.0)
