"""A progress line on standard error, for people: shown only on a terminal."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType

from ...core.text.message import Message
from ...core.text.printable import printable
from .streams import error_stream

SECONDS_BETWEEN = 0.1
CLEAR_LINE = "\r\x1b[K"


class ProgressLine:
    """Shows one line and keeps it up to date; gone when the block ends.

    show: receives the line, '' for none; defaults to standard error's terminal.
    """

    def __init__(self, show: Callable[[str], None] | None = None) -> None:
        self._show = show or (_show_in_terminal if is_shown() else _show_nowhere)
        self._what = ""
        self._next = 0.0

    def say(self, what: str) -> None:
        """Show what is being done from now on."""
        self._what = what
        self._show(what)

    def frames(self, done: int, total: int) -> None:
        """Show how many frames are done, out of how many."""
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + SECONDS_BETWEEN
            self._show(Message("{what}: frame {done} of {total}", what=self._what, done=done, total=total))

    def clear(self) -> None:
        """Remove the line, so that others may print."""
        self._show("")

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.clear()


def is_shown() -> bool:
    """Whether standard error is a terminal."""
    stream = error_stream()
    return stream is not None and stream.isatty()


def _show_in_terminal(line: str) -> None:
    print(f"{CLEAR_LINE}{printable(line)}", end="", file=error_stream(), flush=True)


def _show_nowhere(_line: str) -> None:
    pass
