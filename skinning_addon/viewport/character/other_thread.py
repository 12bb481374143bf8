"""A piece of work in another thread, whose result is fetched later."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Result = TypeVar("Result")


class OtherThread(Generic[Result]):
    """Does the work at once, in a thread of its own. It must touch neither Blender nor the GPU, and is finished
    even if nobody asks for its result: numpy can't be interrupted.
    """

    def __init__(self, work: Callable[[], Result], name: str) -> None:
        self._work = work
        self._found: list[Result] = []
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name=f"skinscope {name}")
        self._thread.start()

    @property
    def done(self) -> bool:
        """Whether `result` returns without waiting."""
        return not self._thread.is_alive()

    def result(self) -> Result:
        """Wait for the result and return it, or raise what the work has raised."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._found[0]

    def _run(self) -> None:
        try:
            self._found.append(self._work())
        except BaseException as error:  # noqa: BLE001 - whoever asks for the result gets it
            self._error = error
