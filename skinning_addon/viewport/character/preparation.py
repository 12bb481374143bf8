"""Work that takes seconds, done in another thread while the view continues with what it has."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable


class Preparation:
    """Does one piece of work at a time; the latest request is next. The work must not touch Blender or the
    GPU.

    Work that has started is finished: numpy can't be interrupted. Its exceptions are dropped, since the code
    that needs the result does the work again and gets the error.
    """

    def __init__(self) -> None:
        self._key: Hashable = None
        self._thread: threading.Thread | None = None

    @property
    def running(self) -> bool:
        """Whether something is being prepared."""
        return self._thread is not None and self._thread.is_alive()

    def ready(self, key: Hashable, work: Callable[[], object]) -> bool:
        """Whether `work` has been done under this key; starts it if not and nothing else runs."""
        if self.running:
            return False
        if self._key == key:
            return True
        self._key = key

        def run() -> None:
            try:
                work()
            except Exception:  # noqa: BLE001 - see the class
                return

        self._thread = threading.Thread(target=run, name="skinscope preparation")
        self._thread.start()
        return False
