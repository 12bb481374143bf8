"""How long the stages of a frame take: a running average that costs next to nothing."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from types import TracebackType

STAGES = ("read", "palette", "upload", "draw")
"""Reading poses, making matrices from them, sending those to the GPU, and asking it to draw, in the order of a
frame."""

FRAMES = 30
"""How many of the latest times each stage is averaged over."""


class StageTimes:
    """The CPU time of each stage, without the GPU's."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._seconds: dict[str, deque[float]] = {stage: deque(maxlen=FRAMES) for stage in STAGES}

    def measured(self, stage: str) -> _Measured:
        """Record how long the block takes. One that raises is left out."""
        return _Measured(self._clock, self._seconds[stage])

    def milliseconds(self, stage: str) -> float | None:
        """Return the average over the latest times, None if the stage has not run yet."""
        seconds = self._seconds[stage]
        return 1000 * sum(seconds) / len(seconds) if seconds else None


class _Measured:
    """Adds the seconds that a block takes. Not a generator, which takes three times as long."""

    __slots__ = ("_clock", "_seconds", "_started")

    def __init__(self, clock: Callable[[], float], seconds: deque[float]) -> None:
        self._clock = clock
        self._seconds = seconds

    def __enter__(self) -> None:
        self._started = self._clock()

    def __exit__(
        self, kind: type[BaseException] | None, _error: BaseException | None, _traceback: TracebackType | None
    ) -> None:
        if kind is None:
            self._seconds.append(self._clock() - self._started)
