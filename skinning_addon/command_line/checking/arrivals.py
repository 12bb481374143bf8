"""Answers that other threads put into a queue, taken by the one that reports them: a signal loses none."""

from __future__ import annotations

from collections.abc import Iterator
from queue import Empty, SimpleQueue

from .answers import Answer
from .interruption import Noted, signals_noted

SECONDS_BETWEEN_SIGNALS = 0.1
"""Signals don't end a wait: an answer that had just come would be lost."""

Numbered = tuple[int, Answer]
"""The index of a file, and the answer about it."""

Arrivals = SimpleQueue[Numbered | BaseException]
"""What other threads put: answers, and what ended one of them."""


def taken(arrivals: Arrivals, count: int) -> Iterator[Numbered]:
    """Yield so many answers as they come. A signal is raised once all that have come are taken, and never while
    one is dealt with.

    Raises:
        BaseException: what was put.
    """
    with signals_noted() as noted:
        for _ in range(count):
            answer = _next_of(arrivals, noted)
            if answer is None:
                yield from _arrived(arrivals)
                return
            if isinstance(answer, BaseException):
                raise answer
            yield answer


def _next_of(arrivals: Arrivals, noted: Noted) -> Numbered | BaseException | None:
    """Return the next answer; None once there is a signal."""
    while noted.interruption is None:
        try:
            return arrivals.get(timeout=SECONDS_BETWEEN_SIGNALS)
        except Empty:
            continue
    return None


def _arrived(arrivals: Arrivals) -> Iterator[Numbered]:
    """Yield the answers that have come by now."""
    for _ in range(arrivals.qsize()):
        answer = arrivals.get_nowait()
        if not isinstance(answer, BaseException):
            yield answer
