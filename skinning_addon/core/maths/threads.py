"""Work on vertices spread over threads: numpy lets go of the interpreter lock while it computes."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

VERTICES_PER_THREAD = 50_000
"""Below this, starting a thread costs more than it saves."""

MOST_THREADS = 16
"""From about here on memory bandwidth is the limit."""

Piece = TypeVar("Piece")


def each_on_some_thread(job: Callable[[Piece], None], pieces: Sequence[Piece], vertices: int) -> None:
    """Call `job` for every piece of a mesh, by several threads if it has many vertices. An exception of any of
    them is raised here, once all have ended.
    """
    worth = min(vertices // VERTICES_PER_THREAD, MOST_THREADS, len(pieces))
    # Asking the system takes as long as skinning a small mesh.
    threads = min(worth, os.cpu_count() or 1) if worth > 1 else 1
    if threads < 2:
        for piece in pieces:
            job(piece)
        return
    # Each thread takes the next piece once it is free; popping a deque is safe from several threads.
    left = deque(pieces)

    def work() -> None:
        while True:
            try:
                piece = left.popleft()
            except IndexError:
                return
            job(piece)

    # Not kept for the next time: Blender may crash if a thread is still there when it ends.
    with ThreadPoolExecutor(threads - 1) as pool:
        others = [pool.submit(work) for _ in range(threads - 1)]
        work()
    for one in others:
        one.result()
