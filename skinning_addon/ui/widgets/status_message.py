"""Messages from timers, shown in the status bar as operators' reports are, for as long as those."""

from __future__ import annotations

from typing import ClassVar

import bpy
from bpy.props import EnumProperty, StringProperty

from ...core.text.message import Message
from ...viewport.choices.translation import translated_report
from .modal_operators import begin_modal, end_modal

SECONDS = 0.01
"""Until the report: only an operator that the event loop calls has its reports shown."""


class SKINSCOPE_OT_tell(bpy.types.Operator):
    """Show a message in the status bar"""

    bl_idname = "skinscope.tell"
    bl_label = "Show Message"
    bl_options: ClassVar = {"INTERNAL"}

    message: StringProperty(options={"HIDDEN", "SKIP_SAVE"})
    level: EnumProperty(
        items=[("INFO", "Info", ""), ("WARNING", "Warning", "")], options={"HIDDEN", "SKIP_SAVE"}
    )

    _timer: bpy.types.Timer

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        manager = context.window_manager
        self._timer = manager.event_timer_add(SECONDS, window=context.window)
        return begin_modal(context, self)

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        self.cancel(context)
        self.report({self.level}, self.message)
        return {"FINISHED"}

    def cancel(self, context: bpy.types.Context) -> None:
        end_modal(self)
        context.window_manager.event_timer_remove(self._timer)


def tell_in_status_bar(message: Message, *, good: bool) -> None:
    """Show a message in the first window, and in the Info editor; nowhere if there is no window."""
    if bpy.app.background:
        # A file's windows are listed in the background, too, but they take no events.
        return
    level = "INFO" if good else "WARNING"
    for window in bpy.context.window_manager.windows[:1]:
        with bpy.context.temp_override(window=window):
            bpy.ops.skinscope.tell("INVOKE_DEFAULT", message=translated_report(message), level=level)  # pyright: ignore[reportAttributeAccessIssue]
