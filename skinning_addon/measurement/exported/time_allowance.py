"""How long something may take, and what is left of it."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import contextmanager

MARGIN = 1.25
"""How much longer a step may take than those before: Blender's and the machine's other work varies."""


class TimeAllowance:
    """Counts from when it is made. Work in steps: another of a kind fits if there is time for one that takes
    longer than those before. Parts of an allowance know each other's steps.
    """

    def __init__(self, seconds: float, longest: dict[str, float] | None = None) -> None:
        self._end = time.perf_counter() + seconds
        self._longest: dict[str, float] = {} if longest is None else longest

    @property
    def left(self) -> float:
        """Seconds; negative if it is over."""
        return self._end - time.perf_counter()

    @property
    def is_over(self) -> bool:
        """Whether it is used up."""
        return self.left <= 0

    def has_time_for(self, *kinds: str, times: float = 1.0) -> bool:
        """Whether there is time for another step that takes as long as the longest of these kinds so far.

        times: how many times as much there is to do.
        """
        return self.left > MARGIN * times * max(self._longest.get(kind, 0.0) for kind in kinds)

    @contextmanager
    def step(self, kind: str) -> Generator[None]:
        """Measure a step."""
        start = time.perf_counter()
        yield
        self._longest[kind] = max(self._longest.get(kind, 0.0), time.perf_counter() - start)

    def part(self, share: float) -> TimeAllowance:
        """Return an allowance of a share of what is left."""
        return TimeAllowance(self.left * share, self._longest)
