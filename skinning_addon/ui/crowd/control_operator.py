"""Take Control: pick an agent of the crowd, and steer it with keys while the timeline plays."""

from __future__ import annotations

from typing import ClassVar

import bpy
import numpy as np

from ...animation.crowd.state import Mode
from ...core.text.message import Message
from ...scene.matrices import row_vectors
from ...viewport.choices.translation import translated
from ...viewport.crowds.agents_in_view import agent_at, ground_direction
from ...viewport.crowds.crowd_player import CrowdPlayer
from ...viewport.redraw import is_playing_back, redraw_views
from ...viewport.session import current_session
from ..inspect.inspect_operator import view_under_mouse
from ..settings.crowd_settings import crowd_settings
from ..widgets.modal_operators import begin_modal, end_modal, turns_views

CHOOSE = Message("Left Mouse: take control of an agent   |   Esc, Right Mouse: cancel")
STEER = Message(
    "W A S D, Arrow Keys: walk   |   Shift: run   |   F: view follows   |   Space: play, pause   |   "
    "Esc, Enter, Right Mouse: release"
)

WAYS = {
    "W": (0, 1),
    "UP_ARROW": (0, 1),
    "S": (0, -1),
    "DOWN_ARROW": (0, -1),
    "A": (-1, 0),
    "LEFT_ARROW": (-1, 0),
    "D": (1, 0),
    "RIGHT_ARROW": (1, 0),
}
"""Right and ahead, as the view shows it."""

RUN_KEYS = frozenset({"LEFT_SHIFT", "RIGHT_SHIFT"})
SECONDS_BETWEEN_TICKS = 1 / 60


class SKINSCOPE_OT_crowd_control(bpy.types.Operator):
    """Click an agent of the crowd, and steer it with arrow keys or W A S D; released, it goes on by itself"""

    bl_idname = "skinscope.crowd_control"
    bl_label = "Take Control"
    bl_options: ClassVar = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if context.area is None or context.area.type != "VIEW_3D":
            cls.poll_message_set(translated(Message("Use it in a 3D view")))
            return False
        if not current_session().crowd.is_of(context.scene):
            cls.poll_message_set(translated(Message("Switch the crowd on first")))
            return False
        if current_session().crowd.behind and not is_playing_back():
            # Agents are picked where they are seen.
            cls.poll_message_set(translated(Message("Wait until the crowd has come to this frame")))
            return False
        return True

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        crowd = current_session().crowd
        if crowd.player is None:
            return {"CANCELLED"}
        self._player: CrowdPlayer = crowd.player
        self._held: set[str] = set()
        self._told: tuple[tuple[float, float], str] | None = None
        self._follows = self._plays = self._steered = False
        self._region: bpy.types.Region | None = None
        self._timer: bpy.types.Timer | None = None
        context.workspace.status_text_set(translated(CHOOSE))
        context.window.cursor_set("CROSSHAIR")
        return begin_modal(context, self)

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        crowd = current_session().crowd
        if crowd.player is not self._player:
            # Another file, another crowd, or undo.
            return self._end(context)
        if event.type in {"ESC", "RIGHTMOUSE"} and event.value == "PRESS":
            return self._end(context)
        if crowd.controlled is None:
            return self._choose(context, event)
        if event.type in {"RET", "NUMPAD_ENTER"} and event.value == "PRESS":
            return self._end(context)
        return self._control(event)

    def cancel(self, context: bpy.types.Context) -> None:
        """Blender ends the tool itself, as when another file is loaded, or the extension is disabled."""
        self._end(context)

    def _choose(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        if event.type != "LEFTMOUSE" or event.value != "PRESS":
            return {"PASS_THROUGH"}
        found = view_under_mouse(context, event.mouse_x, event.mouse_y)
        if found is None or found[1].data is None:
            return {"PASS_THROUGH"}
        region, view = found[1], found[1].data
        world_to_clip = row_vectors(view.view_matrix) @ row_vectors(view.window_matrix)
        pixel = event.mouse_x - region.x + 0.5, event.mouse_y - region.y + 0.5
        agent = agent_at(self._player, world_to_clip, (region.width, region.height), pixel)
        if agent is None:
            self.report({"INFO"}, translated(Message("Nobody is there; click an agent")))
            return {"RUNNING_MODAL"}
        current_session().crowd.controlled = agent
        self._region = region
        self._timer = context.window_manager.event_timer_add(SECONDS_BETWEEN_TICKS, window=context.window)
        if not is_playing_back():
            bpy.ops.screen.animation_play()
            self._plays = True
        context.workspace.status_text_set(translated(STEER))
        context.window.cursor_set("DEFAULT")
        redraw_views()
        return {"RUNNING_MODAL"}

    def _control(self, event: bpy.types.Event) -> set[str]:
        if event.type == "TIMER":
            self._steer()
            return {"PASS_THROUGH"}
        if event.type == "WINDOW_DEACTIVATE":
            self._held.clear()
            return {"PASS_THROUGH"}
        if event.type in WAYS or event.type in RUN_KEYS:
            if event.value == "PRESS":
                self._held.add(event.type)
            elif event.value == "RELEASE":
                self._held.discard(event.type)
            self._steer()
            return {"RUNNING_MODAL"}
        if event.type == "F" and event.value == "PRESS":
            self._follows = not self._follows
            return {"RUNNING_MODAL"}
        if event.type == "SPACE" and event.value == "PRESS":
            bpy.ops.screen.animation_play()
            self._plays = is_playing_back()
            return {"RUNNING_MODAL"}
        # Turning the view works as usual; anything else might change the file in the middle.
        passes = turns_views(event) or event.type.startswith(("MOUSE", "TIMER", "NUMPAD", "INBETWEEN"))
        return {"PASS_THROUGH"} if passes else {"RUNNING_MODAL"}

    def _steer(self) -> None:
        """Tell the agent where to go, if that has changed, and have the view follow."""
        crowd, player = current_session().crowd, self._player
        view = self._region.data if self._region is not None else None
        if crowd.controlled is None or view is None:
            return
        right, ahead = np.sum([WAYS[one] for one in self._held if one in WAYS] or [(0, 0)], axis=0).tolist()
        way = ground_direction(
            row_vectors(view.view_matrix.inverted()), int(np.sign(right)), int(np.sign(ahead))
        )
        told = way, "run" if self._held & RUN_KEYS else "walk"
        # It is not under control any more where the timeline has started over.
        if told != self._told or player.crowd.state.mode[crowd.controlled] != Mode.STEERED:
            player.crowd.steer(crowd.controlled, *told)
            self._told, self._steered = told, True
        if self._follows:
            x, y, z = player.places[crowd.controlled].tolist()
            view.view_location = (x, y, z + float(player.heights[crowd.controlled]) / 2)
            redraw_views()

    def _end(self, context: bpy.types.Context) -> set[str]:
        end_modal(self)
        if self._timer is not None:
            context.window_manager.event_timer_remove(self._timer)
            self._timer = None
        if context.workspace is not None:
            context.workspace.status_text_set(None)
        if context.window is not None:
            context.window.cursor_set("DEFAULT")
        if self._plays and is_playing_back():
            bpy.ops.screen.animation_cancel(restore_frame=False)
        crowd, player = current_session().crowd, self._player
        agent, crowd.controlled = crowd.controlled, None
        redraw_views()
        if crowd.player is not player or agent is None or not self._steered:
            return {"CANCELLED"}
        player.crowd.release(agent)
        crowd.steering_kept(player.steered)
        crowd_settings(context.scene).inputs = player.steered
        return {"FINISHED"}
