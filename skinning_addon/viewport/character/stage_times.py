"""How long the stages of a frame take: a running average that costs next to nothing."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

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

    @contextmanager
    def measured(self, stage: str) -> Iterator[None]:
        """Record how long the block takes. One that raises is left out."""
        started = self._clock()
        yield
        self._seconds[stage].append(self._clock() - started)

    def milliseconds(self, stage: str) -> float | None:
        """Return the average over the latest times, None if the stage has not run yet."""
        seconds = self._seconds[stage]
        return 1000 * sum(seconds) / len(seconds) if seconds else None
