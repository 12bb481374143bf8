"""Operators whose work takes long: done at once for a script; for a user in steps with progress, which Esc
ends.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import bpy

from ...core.text.errors import SkinscopeError, UsageError
from ...core.text.message import Message
from ...viewport.choices.translation import translated, translated_report
from .modal_operators import begin_modal, end_modal

SECONDS_WITHOUT_PROGRESS = 0.5
"""Work that finishes sooner needs no progress bar."""

SECONDS_BETWEEN_STEPS = 0.1
"""How long to work at least before showing progress and checking keys; one step may take longer."""

MOST_SECONDS_BETWEEN_STEPS = 0.5
"""How long to work at most, so that Esc is answered within a second."""


@dataclass(frozen=True)
class StepProgress:
    """text: for the status bar. done of total: for the pointer."""

    text: Message
    done: int
    total: int


Steps = Generator[StepProgress, None, None]


def working_seconds(pause: float) -> float:
    """Return how long to work after a pause of so many seconds, in which Blender has drawn and handled
    events: as long, within limits. Where drawing is slow, half of the time is still work.
    """
    return min(max(SECONDS_BETWEEN_STEPS, pause), MOST_SECONDS_BETWEEN_STEPS)


class SteppedOperator:
    """`begin` returns the steps, or None after reporting what is wrong; closing the steps must undo what they
    made.

    `finish` is called after the last one, and returns the operator's result if that is not FINISHED. Both,
    and the
    steps, may raise SkinscopeError, which is reported.

    cancelled: the message after Esc.
    """

    cancelled: ClassVar[Message] = Message("Canceled; nothing was changed")
    _steps: Steps
    _progress: StepProgress
    _timer: bpy.types.Timer
    _paused_at: float

    if TYPE_CHECKING:
        report: Callable[[set[str], str], None]

        def begin(self, context: bpy.types.Context) -> Steps | None: ...

        def finish(self, context: bpy.types.Context) -> set[str] | None: ...

    def execute(self, context: bpy.types.Context) -> set[str]:
        return self._started(context, math.inf) or {"CANCELLED"}

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        result = self._started(context, SECONDS_WITHOUT_PROGRESS)
        if result is not None:
            return result
        manager = context.window_manager
        manager.progress_begin(0, max(self._progress.total, 1))
        self._tell_progress(context)
        self._paused_at = time.perf_counter()
        self._timer = manager.event_timer_add(SECONDS_BETWEEN_STEPS, window=context.window)
        return begin_modal(context, self)

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        if event.type in {"ESC", "RIGHTMOUSE"} and event.value == "PRESS":
            self.cancel(context)
            self.report({"INFO"}, translated_report(self.cancelled))
            return {"CANCELLED"}
        # No other events get through: they could change the data that the steps work on.
        if event.type != "TIMER":
            return {"RUNNING_MODAL"}
        try:
            done = self._work_for(working_seconds(time.perf_counter() - self._paused_at))
        except Exception as error:
            # Whatever went wrong: without its operator nothing would take the progress away.
            self.cancel(context)
            if isinstance(error, SkinscopeError):
                return self._refuse(error)
            if isinstance(error, ReferenceError):
                # Other extensions' timers go on.
                return self._refuse(
                    UsageError("What this works on was removed meanwhile, so it ended; nothing was changed.")
                )
            raise
        if not done:
            self._tell_progress(context)
            self._paused_at = time.perf_counter()
            return {"RUNNING_MODAL"}
        self._end_progress(context)
        try:
            return self._finish(context)
        except SkinscopeError as error:
            return self._refuse(error)

    def cancel(self, context: bpy.types.Context) -> None:
        """Esc was pressed, another file is loaded, the extension disabled, or Blender quits."""
        self._steps.close()
        self._end_progress(context)

    def _started(self, context: bpy.types.Context, seconds: float) -> set[str] | None:
        """Work until the time is up; return the operator's result, None if there is more to do."""
        try:
            steps = self.begin(context)
            if steps is None:
                return {"CANCELLED"}
            self._steps = steps
            return self._finish(context) if self._work_for(seconds) else None
        except SkinscopeError as error:
            return self._refuse(error)

    def _finish(self, context: bpy.types.Context) -> set[str]:
        return self.finish(context) or {"FINISHED"}

    def _refuse(self, error: SkinscopeError) -> set[str]:
        self.report({"ERROR"}, translated_report(error.args[0]))
        return {"CANCELLED"}

    def _work_for(self, seconds: float) -> bool:
        """Work until the time is up, at least one step; return whether everything is done."""
        end = time.perf_counter() + seconds
        for progress in self._steps:
            self._progress = progress
            if time.perf_counter() > end:
                return False
        return True

    def _tell_progress(self, context: bpy.types.Context) -> None:
        context.window_manager.progress_update(self._progress.done)
        context.workspace.status_text_set(translated(self._progress.text))

    def _end_progress(self, context: bpy.types.Context) -> None:
        end_modal(self)
        context.window_manager.event_timer_remove(self._timer)
        context.window_manager.progress_end()
        # None while Blender quits.
        if context.workspace is not None:
            context.workspace.status_text_set(None)
