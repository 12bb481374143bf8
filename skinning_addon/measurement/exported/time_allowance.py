"""How long something may take, and what is left of it."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import contextmanager


class TimeAllowance:
    """Counts from when it is made. Work in steps: another of a kind fits if there is time for the longest so
    far of that kind.
    """

    def __init__(self, seconds: float) -> None:
        self._end = time.perf_counter() + seconds
        self._longest: dict[str, float] = {}

    @property
    def left(self) -> float:
        """Seconds; negative if it is over."""
        return self._end - time.perf_counter()

    @property
    def is_over(self) -> bool:
        """Whether it is used up."""
        return self.left <= 0

    def has_time_for(self, kind: str) -> bool:
        """Whether there is time for another step of that kind."""
        return self.left > self._longest.get(kind, 0.0)

    @contextmanager
    def step(self, kind: str) -> Generator[None]:
        """Measure a step."""
        start = time.perf_counter()
        yield
        self._longest[kind] = max(self._longest.get(kind, 0.0), time.perf_counter() - start)

    def part(self, share: float) -> TimeAllowance:
        """Return an allowance of a share of what is left."""
        return TimeAllowance(self.left * share)
