"""Asks Blender to redraw, and to call back later: when idle, it redraws only what it is told has changed."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import bpy


def redraw_views() -> None:
    """Have every 3D view and its sidebar drawn again."""
    _tag({"WINDOW", "UI"})


def redraw_panels() -> None:
    """Have the sidebars of the 3D views drawn again."""
    _tag({"UI"})


def redraw_timelines() -> None:
    """Have timelines and dope sheets drawn again."""
    _tag({"WINDOW"}, "DOPESHEET_EDITOR")


def redraw_status_bars() -> None:
    """Have status bars drawn again, but for those in which an operator that runs may have written."""
    for window in bpy.context.window_manager.windows:
        if not len(window.modal_operators):
            with bpy.context.temp_override(window=window):
                # There is no way to tag them. This one sets what is set already.
                window.workspace.status_text_set(None)


def is_playing_back() -> bool:
    """Whether Blender plays, in any window."""
    return any(
        window.screen.is_animation_playing for window in bpy.context.window_manager.windows if window.screen
    )


def is_scrubbing() -> bool:
    """Whether the user drags through time, in any window."""
    return any(window.screen.is_scrubbing for window in bpy.context.window_manager.windows if window.screen)


def _tag(region_types: set[str], area_type: str = "VIEW_3D") -> None:
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == area_type:
                for region in area.regions:
                    if region.type in region_types:
                        region.tag_redraw()


class Later:
    """A timer that calls `action` from Blender's event loop, outside drawing, where data may be changed."""

    def __init__(self, action: Callable[[], None], clock: Callable[[], float] = time.perf_counter) -> None:
        self._action = action
        self._clock = clock
        self._due = math.inf
        self._fires = False
        # Blender identifies timers by the object it was given; a bound method is a new one each time.
        self._timer = self._fire

    def at(self, due: float) -> None:
        """Call at `due`, in the clock's seconds, or earlier. The action itself may ask to be called again."""
        if self._fires:
            # A timer that is being called still counts as registered.
            self._due = min(self._due, due)
            return
        if bpy.app.timers.is_registered(self._timer):
            if self._due <= due:
                return
            bpy.app.timers.unregister(self._timer)
        self._due = due
        bpy.app.timers.register(self._timer, first_interval=max(0.0, due - self._clock()), persistent=True)

    def only_at(self, due: float) -> None:
        """Call at `due`, whatever was asked for before: what is asked for again and again waits for the end."""
        self.cancel()
        self.at(due)

    def cancel(self) -> None:
        """Cancel the call."""
        self._due = math.inf
        if bpy.app.timers.is_registered(self._timer):
            bpy.app.timers.unregister(self._timer)

    def _fire(self) -> float | None:
        """Return after how many seconds Blender should call again, None for never."""
        self._fires, self._due = True, math.inf
        try:
            self._action()
        finally:
            self._fires = False
        return None if self._due == math.inf else max(0.0, self._due - self._clock())
