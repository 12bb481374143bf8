"""Work on vertices, spread over threads: numpy lets go of the interpreter lock while it computes."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

VERTICES_PER_THREAD = 50_000
"""Skinning fewer is done before a thread is started."""

MOST_THREADS = 16
"""From about here on memory bandwidth is the limit."""

Piece = TypeVar("Piece")


def threads_to_skin(vertices: int) -> int:
    """Return how many threads are worth starting to skin so many vertices, 0 or more."""
    return min(vertices // VERTICES_PER_THREAD, MOST_THREADS)


def each_on_some_thread(
    job: Callable[[Piece], None],
    pieces: Sequence[Piece],
    most: int,
    *,
    after_each: Callable[[], None] | None = None,
) -> None:
    """Call `job` for every piece, on up to `most` threads, this one among them.

    after_each: called on this thread after each piece that is done on it. What `job` or `after_each` raises is
    raised here once the pieces that are being worked on are done; the others are then left.
    """
    worth = min(most, len(pieces))
    # Asking the system takes as long as skinning a small mesh.
    threads = min(worth, os.cpu_count() or 1) if worth > 1 else 1
    # Each thread takes the next piece once it is free; popping a deque is safe from several threads.
    left = deque(pieces)

    def work(after: Callable[[], None] | None = None) -> None:
        try:
            while left:
                try:
                    piece = left.popleft()
                except IndexError:
                    return
                job(piece)
                if after is not None:
                    after()
        except BaseException:
            left.clear()
            raise

    if threads < 2:
        work(after_each)
        return
    # Not kept for the next time: Blender may crash if a thread is still there when it ends.
    with ThreadPoolExecutor(threads - 1) as pool:
        others = [pool.submit(work) for _ in range(threads - 1)]
        work(after_each)
    for one in others:
        one.result()
