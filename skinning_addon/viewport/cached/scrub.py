"""A drag through time, as in the timeline: Blender reports neither its beginning nor its end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from ..redraw import Later, is_scrubbing
from .groups import Group

FRAMES_OF_A_DRAG = 2
"""A single one is a click, for which stepping aside would take longer than the frame."""

SECONDS_BETWEEN_LOOKS = 0.1

LOOKS_OF_REST = 10
"""A drag that rests for so long has the characters come back, with their bones, though the button is held.
Looks are counted, and not seconds: a view that takes long to draw is no rest.
"""


class Scrub:
    """One drag. on_rest: called when it has ended or rests; not while drawing.

    unknown: characters that were not known at one of its frames: to have them step aside and come back again
    and again would take longer than their frames.
    """

    def __init__(self, on_rest: Callable[[], None]) -> None:
        self._on_rest = on_rest
        self._frames = 0
        self._looks = 0
        self.unknown: set[Group] = set()
        self._look = Later(self.look)

    @property
    def moves(self) -> bool:
        """Whether the user drags, and the frame changes."""
        return self._frames >= FRAMES_OF_A_DRAG and is_scrubbing()

    def note_frame(self, unknown: Iterable[Group]) -> None:
        """The frame has changed. unknown: characters that were not known there."""
        if not is_scrubbing():
            self.end()
            return
        self._frames += 1
        self.unknown.update(unknown)
        self._looks = 0
        self._look.at(time.perf_counter() + SECONDS_BETWEEN_LOOKS)

    def look(self) -> None:
        """See whether it goes on. A timer calls this until it has ended."""
        if not is_scrubbing():
            self.end()
            self._on_rest()
            return
        self._looks += 1
        if self._looks == LOOKS_OF_REST:
            self._frames = 0
            self._on_rest()
        self._look.at(time.perf_counter() + SECONDS_BETWEEN_LOOKS)

    def end(self) -> None:
        """It has ended."""
        self._look.cancel()
        self._frames = 0
        self.unknown.clear()
