"""Comparing with Blender's own meshes: moving the line that splits a view, and flickering between the two."""

from __future__ import annotations

from typing import ClassVar

import bpy

from ...core.text.message import Message
from ...viewport.choices.translation import translated
from ...viewport.redraw import redraw_views
from ...viewport.session import current_session
from ..settings.properties import scene_settings
from ..widgets.header_text import HeaderText
from ..widgets.modal_operators import begin_modal, end_modal

CENTRE = 0.5

TAP_SECONDS = 0.25
"""Releasing the key sooner is a tap, which toggles; held longer, it lasts as long as the key is held."""

HOW_TO_MOVE = Message("Drag to move the line, Ctrl to snap to the center, Esc or right-click to cancel")

SHOWS_BLENDER, SHOWS_SKINSCOPE = Message("Shown: Blender"), Message("Shown: Skinscope")


class SKINSCOPE_OT_split_move(bpy.types.Operator):
    """Move the line between Blender's result and Skinscope's"""

    bl_idname = "skinscope.split_move"
    bl_label = "Move Split Line"
    bl_options: ClassVar = {"REGISTER", "UNDO", "BLOCKING"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if context.area is None or context.area.type != "VIEW_3D":
            return False
        if scene_settings(context.scene).placement == "SPLIT":
            return True
        cls.poll_message_set(translated(Message("Set Placement to Split")))
        return False

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        self._before = scene_settings(context.scene).split
        # The line's handle is dragged with the button down; from a menu or the sidebar the next click ends it.
        self._drags = event.type == "LEFTMOUSE" and event.value in {"PRESS", "CLICK_DRAG"}
        # A region does not outlive a change of the screen, so only its position is kept.
        region = _window_region(context)
        self._left, self._width = region.x, max(1, region.width)
        context.window.cursor_modal_set("MOVE_X")
        context.workspace.status_text_set(translated(HOW_TO_MOVE))
        self._header = HeaderText()
        self._tell(context)
        return begin_modal(context, self)

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        if event.type in {"MOUSEMOVE", "LEFT_CTRL", "RIGHT_CTRL"}:
            share = (event.mouse_x - self._left) / self._width
            scene_settings(context.scene).split = CENTRE if event.ctrl else min(max(share, 0.0), 1.0)
            self._tell(context)
        elif event.type in {"ESC", "RIGHTMOUSE"}:
            scene_settings(context.scene).split = self._before
            self._end(context)
            return {"CANCELLED"}
        elif event.type == "LEFTMOUSE" and event.value == ("RELEASE" if self._drags else "PRESS"):
            self._end(context)
            return {"FINISHED"}
        return {"RUNNING_MODAL"}

    def cancel(self, context: bpy.types.Context) -> None:
        self._end(context)

    def _end(self, context: bpy.types.Context) -> None:
        end_modal(self)
        context.window.cursor_modal_restore()
        context.workspace.status_text_set(None)
        self._header.clear()

    def _tell(self, context: bpy.types.Context) -> None:
        percent = 100 * scene_settings(context.scene).split
        self._header.show(context.area, Message("Line: {percent:.1f}%", percent=percent))


class SKINSCOPE_OT_flicker(bpy.types.Operator):
    """Switch to Blender's meshes: hold the key to see them for that long, or tap it to keep them until the next tap"""  # noqa: E501 - a tooltip

    bl_idname = "skinscope.flicker"
    bl_label = "Flicker"
    bl_options: ClassVar = {"REGISTER"}

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        if current_session().running:
            return True
        cls.poll_message_set(translated(Message("No preview is running")))
        return False

    def execute(self, _context: bpy.types.Context) -> set[str]:
        _swap()
        return {"FINISHED"}

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        _swap()
        if event.value != "PRESS" or event.type in {"LEFTMOUSE", "RET", "NUMPAD_ENTER"}:
            return {"FINISHED"}
        self._key = event.type
        self._is_held = False
        # No clock: drawing the swap may take longer than a tap. Whichever happened first, the timeout or the
        # key's release, also arrives first as an event, however late.
        self._timer = context.window_manager.event_timer_add(TAP_SECONDS, window=context.window)
        self._header = HeaderText()
        if context.area is not None and context.area.type == "VIEW_3D":
            shown = SHOWS_BLENDER if current_session().swapped else SHOWS_SKINSCOPE
            self._header.show(context.area, shown)
        return begin_modal(context, self)

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        if event.type == self._key:
            if event.value == "PRESS":
                # The key repeats.
                return {"RUNNING_MODAL"}
            return self._ended(context, swaps_back=self._is_held)
        if event.type == "WINDOW_DEACTIVATE":
            return self._ended(context, swaps_back=True)
        if event.type == "TIMER" and self._timer.time_duration >= TAP_SECONDS:
            self._is_held = True
        return {"PASS_THROUGH"}

    def cancel(self, context: bpy.types.Context) -> None:
        self._ended(context, swaps_back=True)

    def _ended(self, context: bpy.types.Context, *, swaps_back: bool) -> set[str]:
        end_modal(self)
        context.window_manager.event_timer_remove(self._timer)
        self._header.clear()
        if swaps_back:
            _swap()
        return {"FINISHED"}


def _swap() -> None:
    session = current_session()
    session.swapped = session.running and not session.swapped
    redraw_views()


def _window_region(context: bpy.types.Context) -> bpy.types.Region:
    """Return the region of the 3D view that an operator is about, even if called from the sidebar."""
    if context.region is not None and context.region.type == "WINDOW":
        return context.region
    return next(region for region in context.area.regions if region.type == "WINDOW")
