"""Requests to stop, from Ctrl-C or a terminated job: both become one exception, so that finished work is
still reported.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupted(BaseException):
    """Not an Exception: only the command itself should catch it."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.name = signal.Signals(number).name
        self.status = 128 + number
        """The exit status, by the shells' convention."""


class Noted:
    """A signal that waits for a moment at which nothing is lost. interruption: what it asks for, if it came."""

    interruption: Interrupted | None = None


_noting: list[Noted] = []
"""Blocks in which signals are noted, the innermost last."""


@contextmanager
def interruptible() -> Iterator[None]:
    """Within the block, raise `Interrupted` in the main thread on the first signal; later ones are
    ignored.
    """

    def stop(number: int, _frame: FrameType | None) -> None:
        for one in SIGNALS:
            signal.signal(one, signal.SIG_IGN)
        if not _noting:
            raise Interrupted(number)
        _noting[-1].interruption = Interrupted(number)

    before = {one: signal.signal(one, stop) for one in SIGNALS}
    try:
        yield
    finally:
        for one, handler in before.items():
            # None: the handler was not set from Python.
            signal.signal(one, signal.SIG_DFL if handler is None else handler)


@contextmanager
def signals_noted() -> Iterator[Noted]:
    """Within the block, a signal that `interruptible` would raise is only noted; it is raised where the block
    ends without another exception.
    """
    noted = Noted()
    _noting.append(noted)
    try:
        yield noted
    finally:
        _noting.remove(noted)
    if noted.interruption is not None:
        raise noted.interruption
