"""A line on standard error that says how far a command is, for people: nothing where it is no terminal."""

from __future__ import annotations

import sys
import time
from types import TracebackType

SECONDS_BETWEEN = 0.1
CLEAR_LINE = "\r\x1b[K"


class ProgressLine:
    """Shows one line and keeps it up to date; gone when the block ends."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()
        self._what = ""
        self._next = 0.0

    def say(self, what: str) -> None:
        """Tell what is done from here on."""
        self._what = what
        self._show(what)

    def frames(self, done: int, total: int) -> None:
        """Tell how many frames are done, and of how many."""
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + SECONDS_BETWEEN
            self._show(f"{self._what}: frame {done} of {total}")

    def clear(self) -> None:
        """Take the line away, so that others may print."""
        self._show("")

    def _show(self, line: str) -> None:
        if self._shown:
            print(f"{CLEAR_LINE}{line}", end="", file=sys.stderr, flush=True)

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.clear()
