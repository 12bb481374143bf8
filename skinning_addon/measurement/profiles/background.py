"""Work handed to one other thread, in order, while this one continues."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Generic, Self, TypeVar

Item = TypeVar("Item")


class Background(Generic[Item]):
    """Calls a function with one item after another in another thread; the function must not touch Blender's
    data or the GPU.

    Leaving the block waits for the last call and re-raises its exception, if any; leaving it by an exception
    waits for the running call and drops the rest.
    """

    def __init__(self, work: Callable[[Item], None]) -> None:
        self._work = work
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="skinscope")
        self._last: Future[None] | None = None

    def hand_over(self, item: Item) -> None:
        """Wait until the previous item is done, then start this one: only one at a time is kept in memory.

        Re-raises the previous call's exception.
        """
        self._wait()
        self._last = self._pool.submit(self._work, item)

    def _wait(self) -> None:
        last, self._last = self._last, None
        if last is not None:
            last.result()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _error: BaseException | None, _traceback: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._wait()
        finally:
            self._pool.shutdown(cancel_futures=True)
