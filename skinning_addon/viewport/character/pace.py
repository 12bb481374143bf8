"""Limits how often costly work is done while things change quickly."""

from __future__ import annotations

import time
from collections.abc import Callable


class Pace:
    """Spaces out a kind of work: at least `seconds` apart, and never more than a `share` of the time.

    If requested again too early, the work is postponed, not dropped: `due` says when to come back.
    """

    def __init__(
        self, seconds: float, share: float = 0.25, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self._seconds = seconds
        self._share = share
        self._clock = clock
        self._started = 0.0
        self.due = 0.0

    def allows(self) -> bool:
        """Whether enough time has passed since the work was last done."""
        return self._clock() >= self.due

    def __enter__(self) -> None:
        self._started = self._clock()

    def __exit__(self, *_: object) -> None:
        cost = self._clock() - self._started
        self.due = self._started + max(self._seconds, cost / self._share)
