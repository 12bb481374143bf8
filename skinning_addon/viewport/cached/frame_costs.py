"""How long frames take while Blender plays: evaluated by Blender, and with characters shown from memory."""

from __future__ import annotations

import statistics
import time
from collections import deque
from collections.abc import Callable

FRAMES_KEPT = 50
"""The last ones of each kind."""


class FrameCosts:
    """Everything but the drawing, in seconds a frame."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._began: float | None = None
        self._blenders: deque[float] = deque(maxlen=FRAMES_KEPT)
        self._remembered: deque[float] = deque(maxlen=FRAMES_KEPT)

    def begin(self) -> None:
        """Blender is about to evaluate a frame."""
        self._began = self._clock()

    def end(self, *, from_memory: bool, counts: bool) -> None:
        """Blender has evaluated it. from_memory: whether characters were aside. counts: whether it played."""
        if self._began is not None and counts:
            (self._remembered if from_memory else self._blenders).append(self._clock() - self._began)
        self._began = None

    @property
    def blenders(self) -> float | None:
        """What a frame takes with all characters evaluated; None before one was played."""
        return statistics.median(self._blenders) if self._blenders else None

    @property
    def remembered(self) -> float | None:
        """What a frame takes with characters aside; None before one was played."""
        return statistics.median(self._remembered) if self._remembered else None

    def clear(self) -> None:
        """Forget all, as when the characters are others."""
        self._blenders.clear()
        self._remembered.clear()
