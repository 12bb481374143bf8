"""Recording in the background that starts by itself, once the user has rested for some seconds.

Blender tells timers nothing of keys and the mouse. So a modal operator listens, for a few seconds at a time: as
long as one is alive, Blender postpones its autosave.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, ClassVar

import bpy

from ...core.text.errors import SkinscopeError
from ...core.text.message import Message
from ...viewport.cached.cached_playback import played_frames
from ...viewport.cached.frame_cache import AnyCachedMesh
from ...viewport.choices.preferences import read_preferences
from ...viewport.redraw import Later, is_playing_back, is_scrubbing
from ...viewport.session import current_session
from ..widgets.modal_operators import begin_modal, end_modal
from ..widgets.status_message import tell_in_status_bar
from .background_recording import groups_to_record, recording

SECONDS_BETWEEN_LOOKS = 2.0

SECONDS_OF_REST = 3.0
"""Without a key, a button or a move of the mouse. Saving the copy then stops Blender for a moment."""

SECONDS_BETWEEN_EVENTS = 0.25

STARTED = Message("Recording the frames that are not known, in the background")

_State = tuple[tuple[tuple[AnyCachedMesh, ...], ...], frozenset[int]]


class IdleRecording:
    """Watches for a rest. listens: whether operators listen now. Keeps no Blender object."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self.listens = False
        self._clock = clock
        self._since = 0.0
        self._tried: _State | None = None
        self._look = Later(self.look)

    def begin(self) -> None:
        """Look every now and then, from now on."""
        self._look.at(time.perf_counter() + SECONDS_BETWEEN_LOOKS)

    def end(self) -> None:
        """Undo `begin`."""
        self._look.cancel()
        self.listens, self._tried = False, None

    def look(self) -> None:
        """Begin to listen in every window if there is something to record. A timer calls this."""
        self._look.at(time.perf_counter() + SECONDS_BETWEEN_LOOKS)
        if self.listens or bpy.app.background or not self.is_due(bpy.context):
            return
        self.listens, self._since = True, self._clock()
        operators: Any = bpy.ops
        for window in bpy.context.window_manager.windows:
            with bpy.context.temp_override(window=window):
                operators.skinscope.cached_playback_listen("INVOKE_DEFAULT")

    def is_due(self, context: bpy.types.Context) -> bool:
        """Whether frames are unknown that another Blender could record, and nothing goes on here."""
        cached = current_session().cached
        if not read_preferences().record_when_idle or not cached.is_on(context.scene) or cached.error:
            return False
        if recording.is_running or cached.aside or is_playing_back() or is_scrubbing():
            return False
        if cached.cache.is_stale or cached.cache.is_full:
            return False
        return bool(groups_to_record(context)) and not self._was_tried(_state(context))

    def note_input(self) -> None:
        """The user has touched something."""
        self.listens = False

    def note_quiet(self, context: bpy.types.Context) -> None:
        """Nothing was touched so far: start to record if it was long enough. Not while drawing."""
        if not self.listens or self._clock() < self._since + SECONDS_OF_REST:
            return
        self.listens = False
        # It may have begun to play, or a script may have edited something.
        if not self.is_due(context):
            return
        self._tried = _state(context)
        try:
            recording.start(context)
        except SkinscopeError as error:
            tell_in_status_bar(error.args[0], good=False)
        else:
            tell_in_status_bar(STARTED, good=True)

    def _was_tried(self, state: _State) -> bool:
        """Whether the same frames of the same characters were recorded before, and did not come: edited ones
        have other meshes.
        """
        if self._tried is None or state[1] != self._tried[1] or len(state[0]) != len(self._tried[0]):
            return False
        return all(one is other for one, other in zip(state[0], self._tried[0], strict=True))


def _state(context: bpy.types.Context) -> _State:
    cache = current_session().cached.cache
    groups = groups_to_record(context)
    missing = frozenset(played_frames(context.scene)) - cache.known_frames(groups)
    return tuple(cache.meshes_of(one) for one in groups), missing


idle_recording = IdleRecording()


class SKINSCOPE_OT_cached_playback_listen(bpy.types.Operator):
    """Wait until nothing is pressed or moved, to record frames in the background"""

    bl_idname = "skinscope.cached_playback_listen"
    bl_label = "Wait for Rest"
    bl_options: ClassVar = {"INTERNAL"}

    _timer: bpy.types.Timer
    _mouse: tuple[int, int]

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        self._mouse = event.mouse_x, event.mouse_y
        self._timer = context.window_manager.event_timer_add(SECONDS_BETWEEN_EVENTS, window=context.window)
        return begin_modal(context, self)

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        if event.type == "TIMER":
            idle_recording.note_quiet(context)
        elif self._is_input(event):
            idle_recording.note_input()
        if idle_recording.listens:
            return {"PASS_THROUGH"}
        self.cancel(context)
        return {"FINISHED", "PASS_THROUGH"}

    def _is_input(self, event: bpy.types.Event) -> bool:
        """Whether the user did something: Blender sends moves of the mouse by itself, too."""
        if event.type.startswith("TIMER") or event.type == "NONE":
            return False
        return event.type != "MOUSEMOVE" or (event.mouse_x, event.mouse_y) != self._mouse

    def cancel(self, context: bpy.types.Context) -> None:
        idle_recording.note_input()
        end_modal(self)
        context.window_manager.event_timer_remove(self._timer)


def add_idle_recording() -> None:
    """Have recording start by itself."""
    idle_recording.begin()


def remove_idle_recording() -> None:
    """Undo `add_idle_recording`."""
    idle_recording.end()
