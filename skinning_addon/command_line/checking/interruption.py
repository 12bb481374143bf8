"""Being told to stop, by Ctrl-C or by whoever ended the job: both become one exception, so that what is done is still reported."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupted(BaseException):
    """Not an Exception: nothing but the command itself is to catch it."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.name = signal.Signals(number).name
        self.status = 128 + number
        """The exit status, as shells have it."""


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise `Interrupted` in the main thread once one of the signals comes, within the block; further ones are ignored then."""

    def stop(number: int, _frame: FrameType | None) -> None:
        for one in SIGNALS:
            signal.signal(one, signal.SIG_IGN)
        raise Interrupted(number)

    before = {one: signal.signal(one, stop) for one in SIGNALS}
    try:
        yield
    finally:
        for one, handler in before.items():
            # None is a handler that was not set from Python.
            signal.signal(one, signal.SIG_DFL if handler is None else handler)
