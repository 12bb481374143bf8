"""Operators of Cached Playback."""

from __future__ import annotations

import time
from typing import Any, ClassVar

import bpy

from ...core.text.errors import SkinscopeError
from ...core.text.message import Message
from ...viewport.choices.translation import translated, translated_report
from ...viewport.redraw import Later, is_playing_back, redraw_panels, redraw_status_bars
from ...viewport.session import current_session
from ..settings.properties import scene_settings
from ..widgets.modal_operators import begin_modal, end_modal, turns_views
from .background_recording import groups_to_record, recording

MODIFIERS = frozenset(
    {"LEFT_ALT", "LEFT_CTRL", "LEFT_SHIFT", "OSKEY", "RIGHT_ALT", "RIGHT_CTRL", "RIGHT_SHIFT"}
)

SECONDS_OF_A_PRESS = 0.1
"""Blender may have stopped so long ago, by the press that another operator is told of now."""

PRESSES = frozenset({"PRESS", "DOUBLE_CLICK", "CLICK_DRAG"})


class SKINSCOPE_OT_cached_playback_toggle(bpy.types.Operator):
    """Remember characters' frames as Blender plays, and play them from memory once all are known"""

    bl_idname = "skinscope.cached_playback_toggle"
    bl_label = "Toggle Cached Playback"
    bl_options: ClassVar = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        settings = scene_settings(context.scene)
        settings.cached_playback = not settings.cached_playback
        return {"FINISHED"}


class SKINSCOPE_OT_cached_playback_forget(bpy.types.Operator):
    """Forget all remembered frames; they are recorded again as Blender plays"""

    bl_idname = "skinscope.cached_playback_forget"
    bl_label = "Forget Cached Frames"
    bl_options: ClassVar = {"REGISTER"}

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        cached = current_session().cached
        if cached.cache.byte_count == 0 and not cached.error:
            cls.poll_message_set(translated(Message("No frames are remembered")))
            return False
        return True

    def execute(self, _context: bpy.types.Context) -> set[str]:
        cached = current_session().cached
        cached.stop()
        cached.refresh()
        return {"FINISHED"}


class SKINSCOPE_OT_cached_playback_record(bpy.types.Operator):
    """Record all frames in another Blender, on a copy of the file, while this one stays free; frames of characters that are edited meanwhile are left out"""  # noqa: E501 - a tooltip

    bl_idname = "skinscope.cached_playback_record"
    bl_label = "Record in Background"
    bl_options: ClassVar = {"REGISTER"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        cached = current_session().cached
        reason = None
        if not cached.is_on(context.scene):
            reason = Message("Switch Cached Playback on first")
        elif recording.is_running:
            reason = Message("Frames are being recorded")
        elif not cached.chosen(context.scene, context.view_layer):
            reason = Message("No character can be played from memory")
        elif not groups_to_record(context):
            reason = Message("All frames are known, or their characters are previewed")
        if reason is not None:
            cls.poll_message_set(translated(reason))
        return reason is None

    def execute(self, context: bpy.types.Context) -> set[str]:
        try:
            recording.start(context)
        except SkinscopeError as error:
            self.report({"ERROR"}, translated_report(error.args[0]))
            return {"CANCELLED"}
        return {"FINISHED"}


class SKINSCOPE_OT_cached_playback_stop_recording(bpy.types.Operator):
    """Stop recording in the background; frames that are recorded stay"""

    bl_idname = "skinscope.cached_playback_stop_recording"
    bl_label = "Stop Recording"
    bl_options: ClassVar = {"REGISTER"}

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        if not recording.is_running:
            cls.poll_message_set(translated(Message("No frames are being recorded")))
            return False
        return True

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        played = time.perf_counter() - current_session().cached.stopped_at < SECONDS_OF_A_PRESS
        if event.type == "ESC" and (is_playing_back() or played):
            # It stops Blender first, which passes it on.
            return {"PASS_THROUGH"}
        return self.execute(context)

    def execute(self, _context: bpy.types.Context) -> set[str]:
        recording.stop()
        redraw_panels()
        redraw_status_bars()
        return {"FINISHED"}


class SKINSCOPE_OT_cached_playback_watch(bpy.types.Operator):
    """Bring characters back at the first press while they are shown from memory"""

    bl_idname = "skinscope.cached_playback_watch"
    bl_label = "Watch Cached Playback"
    bl_options: ClassVar = {"INTERNAL"}

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        return begin_modal(context, self)

    def modal(self, _context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        cached = current_session().cached
        if not cached.aside:
            end_modal(self)
            return {"FINISHED", "PASS_THROUGH"}
        if touches_data(event, releases=not cached.plays):
            # Before any other operator sees it: what it does, it does to the user's own data. With the release
            # that ends a drag, Blender keeps an undo step.
            cached.note_press()
            end_modal(self)
            return {"FINISHED", "PASS_THROUGH"}
        return {"PASS_THROUGH"}

    def cancel(self, context: bpy.types.Context) -> None:  # noqa: ARG002 - Blender's
        current_session().cached.bring_back()
        end_modal(self)


def touches_data(event: bpy.types.Event, *, releases: bool = False) -> bool:
    """Whether an event may be the start of something that changes data. releases: whether a key or button that
    is released may, too.
    """
    if event.value not in ({*PRESSES, "RELEASE"} if releases else PRESSES):
        return False
    if event.type in MODIFIERS or event.type.startswith("TIMER") or turns_views(event):
        return False
    return event.type not in {"MOUSEMOVE", "INBETWEEN_MOUSEMOVE", "WINDOW_DEACTIVATE"}


def _watch() -> None:
    """Begin to watch, in the window that plays or is scrubbed. Not called by handlers, which have no events."""
    if not current_session().cached.aside:
        return
    for window in bpy.context.window_manager.windows:
        if window.screen.is_animation_playing or window.screen.is_scrubbing:
            with bpy.context.temp_override(window=window):
                operators: Any = bpy.ops
                operators.skinscope.cached_playback_watch("INVOKE_DEFAULT")
            return


def _begin() -> None:
    """Begin to watch, or have a timer do it."""
    if not current_session().cached.plays:
        # In the timer that had them step aside, so that no release comes in between.
        _watch()
    else:
        _later.at(0.0)


_later = Later(_watch)


def add_watch() -> None:
    """Have presses bring characters back."""
    current_session().cached.on_aside = _begin


def remove_watch() -> None:
    """Undo `add_watch`."""
    _later.cancel()
    current_session().cached.on_aside = lambda: None
