"""Progress of a work in parts, which never goes back."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[float], None]
"""Called with the finished fraction; it may raise to stop."""


def part(progress: Progress, number: int, count: int) -> Progress:
    """Return what is called with the finished fraction of a part, one of `count` alike."""
    return lambda done: progress((number + done) / count)
