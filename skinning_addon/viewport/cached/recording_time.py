"""How much of a frame recording may take while Blender plays."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

SHARE = 0.04
"""Of what a frame takes without drawing; the aim is 5%, and not all of it is seen here."""

LEAST = 1e-3
"""Seconds a frame that may always be taken: where characters are this light, all are recorded at once."""

MOST_LEFT = 5e-3
"""Seconds that may be saved up, for what is laid out at the first frame of each character."""


class RecordingTime:
    """The seconds that recording may take and has taken, over the frames that Blender has played."""

    # The thread's own, which other programs don't use up. On Windows that one ticks too slowly.
    def __init__(
        self, clock: Callable[[], float] = time.perf_counter if sys.platform == "win32" else time.thread_time
    ) -> None:
        self._clock = clock
        self._left = MOST_LEFT
        self._began = 0.0

    def start(self) -> None:
        """Blender begins to play."""
        self._left = MOST_LEFT

    def begin(self, frame_seconds: float) -> None:
        """A frame is recorded from now on. frame_seconds: how long frames take."""
        self._began = self._clock()
        self._left = min(self._left + max(SHARE * frame_seconds, LEAST), MOST_LEFT)

    def end(self) -> None:
        """It is recorded."""
        self._left -= self._clock() - self._began

    @property
    def is_left(self) -> bool:
        """Whether another character may be recorded at this frame, or waits until Blender comes here again."""
        return self._clock() - self._began < self._left
