"""The tool that inspects single vertices: point at one, click to keep it."""

from __future__ import annotations

from typing import ClassVar

import bpy

from ...core.text.message import Message
from ...viewport.choices.translation import translated
from ...viewport.layers import layer_key
from ...viewport.overlay.inspection_words import header_values
from ...viewport.picking import pick
from ...viewport.redraw import redraw_views
from ...viewport.session import current_session
from ..widgets.header_text import HeaderText
from ..widgets.modal_operators import begin_modal, end_modal

KEYS = Message("Left Mouse: pin this vertex in the panel   |   Esc, Right Mouse: finish")

NEEDS_PREVIEW = Message("Start a preview in a 3D view first")


class SKINSCOPE_OT_inspect(bpy.types.Operator):
    """Point at a vertex of a preview to see what moves it, and click to pin it in the panel"""

    bl_idname = "skinscope.inspect"
    bl_label = "Inspect Vertices"
    bl_options: ClassVar = {"REGISTER"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if context.area is not None and context.area.type == "VIEW_3D" and current_session().running:
            return True
        cls.poll_message_set(translated(NEEDS_PREVIEW))
        return False

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        inspection = current_session().inspection
        if inspection.active:
            # Pressed again: the running tool notices at its next event.
            inspection.end()
            redraw_views()
            return {"CANCELLED"}
        inspection.active = True
        self._header = HeaderText()
        context.workspace.status_text_set(translated(KEYS))
        redraw_views()
        return begin_modal(context, self)

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        session = current_session()
        inspection = session.inspection
        if not inspection.active or not session.running:
            return self._end(context)
        if event.type in {"ESC", "RIGHTMOUSE"} and event.value == "PRESS":
            return self._end(context)
        found = view_under_mouse(context, event.mouse_x, event.mouse_y)
        if event.type == "MOUSEMOVE":
            self._hover(context, found, event)
        elif event.type == "LEFTMOUSE" and event.value == "PRESS" and found is not None:
            # The mouse may not have moved since the scene did.
            self._hover(context, found, event)
            if inspection.hovered is not None:
                inspection.pinned = inspection.hovered
                redraw_views()
            return {"RUNNING_MODAL"}
        # Navigating, playing and everything else works as usual.
        return {"PASS_THROUGH"}

    def cancel(self, context: bpy.types.Context) -> None:
        """Blender ends the tool itself, as when another file is loaded, or the extension is disabled."""
        self._end(context)

    def _hover(
        self,
        context: bpy.types.Context,
        found: tuple[bpy.types.Area, bpy.types.Region] | None,
        event: bpy.types.Event,
    ) -> None:
        session = current_session()
        target = None
        if found is not None:
            area, region = found
            pixel = event.mouse_x - region.x + 0.5, event.mouse_y - region.y + 0.5
            layer = layer_key(context.scene, context.view_layer)
            with context.temp_override(area=area, region=region):
                target = pick(session, bpy.context, layer, region, pixel)
        context.window.cursor_set("CROSSHAIR" if found is not None else "DEFAULT")
        if target != session.inspection.hovered:
            session.inspection.hovered = target
            redraw_views()
            self._tell(context, None if found is None else found[0])

    def _tell(self, context: bpy.types.Context, area: bpy.types.Area | None) -> None:
        """Show the hovered vertex in the header, and how far it is off, as long as there is one."""
        session, scene = current_session(), context.scene
        seen = session.look_at(session.inspection.hovered, layer_key(scene, context.view_layer))
        if seen is None or area is None:
            self._header.clear()
            return
        self._header.show(area, *header_values(seen, scene.unit_settings.scale_length))

    def _end(self, context: bpy.types.Context) -> set[str]:
        end_modal(self)
        current_session().inspection.end()
        self._header.clear()
        if context.workspace is not None:
            context.workspace.status_text_set(None)
        if context.window is not None:
            context.window.cursor_set("DEFAULT")
        redraw_views()
        return {"CANCELLED"}


class SKINSCOPE_OT_inspect_clear(bpy.types.Operator):
    """Unpin the vertex in the panel"""

    bl_idname = "skinscope.inspect_clear"
    bl_label = "Clear Inspected Vertex"
    bl_options: ClassVar = {"REGISTER"}

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        if current_session().inspection.pinned is not None:
            return True
        cls.poll_message_set(translated(Message("No vertex is pinned; use Inspect Vertices and click one")))
        return False

    def execute(self, _context: bpy.types.Context) -> set[str]:
        current_session().inspection.clear()
        redraw_views()
        return {"FINISHED"}


def view_under_mouse(
    context: bpy.types.Context, x: int, y: int
) -> tuple[bpy.types.Area, bpy.types.Region] | None:
    """Find the 3D view's region at a pixel of the window: any of a quad view's four, but not under a bar."""
    for area in context.screen.areas:
        if area.type != "VIEW_3D" or not _contains(area, x, y):
            continue
        over = [region for region in area.regions if region.width > 1 and _contains(region, x, y)]
        if over and all(region.type == "WINDOW" for region in over):
            return area, over[0]
    return None


def _contains(area: bpy.types.Area | bpy.types.Region, x: int, y: int) -> bool:
    return area.x <= x < area.x + area.width and area.y <= y < area.y + area.height
