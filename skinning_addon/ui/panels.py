"""The side bar of the 3D view: previews, how they are shown, and what was measured."""

from __future__ import annotations

import bpy

from ..viewport.live_mesh import Figures
from ..viewport.preview import Preview
from ..viewport.sentences import MOST_LINES, is_same, length, summary, verdict
from ..viewport.session import ViewportSession, current_session, layer_key
from .preview_operators import SKINSCOPE_OT_preview_start, SKINSCOPE_OT_preview_stop
from .properties import scene_settings
from .wrapped_label import wrapped_label


class _SidebarPanel:
    layout: bpy.types.UILayout
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Skinscope"


class SKINSCOPE_PT_preview(_SidebarPanel, bpy.types.Panel):
    """Previews of the scene, each with its state"""

    bl_label = "Skinscope"

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        session = current_session()
        buttons = layout.row(align=True)
        buttons.scale_y = 1.4
        if session.previews:
            buttons.operator(SKINSCOPE_OT_preview_stop.bl_idname, icon="SNAP_FACE")
            buttons.operator(SKINSCOPE_OT_preview_start.bl_idname, text="", icon="ADD")
        else:
            buttons.operator(SKINSCOPE_OT_preview_start.bl_idname, icon="PLAY")
        if session.error:
            wrapped_label(layout, context, session.error, "ERROR")
        _draw_state(layout, context, session)


class SKINSCOPE_PT_display(_SidebarPanel, bpy.types.Panel):
    """How previews are shown in the 3D view"""

    bl_label = "Display"
    bl_parent_id = "SKINSCOPE_PT_preview"

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        settings = scene_settings(context.scene)
        layout.prop(settings, "display")
        if settings.display == "DEVIATION":
            layout.prop(settings, "threshold")
        if settings.display != "WIREFRAME":
            layout.prop(settings, "wireframe")
        layout.row().prop(settings, "placement", expand=True)
        if settings.placement == "ASIDE":
            layout.row().prop(settings, "axis", expand=True)
            layout.prop(settings, "distance")
        layout.prop(settings, "show_figures")


class SKINSCOPE_PT_figures(_SidebarPanel, bpy.types.Panel):
    """How far the skinned mesh lies from Blender's own, and why"""

    bl_label = "Deviation"
    bl_parent_id = "SKINSCOPE_PT_preview"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return _preview_in_focus(context) is not None

    def draw(self, context: bpy.types.Context) -> None:
        preview = _preview_in_focus(context)
        if preview is None:
            return
        layout = self.layout
        layout.label(text=preview.name, icon="MESH_DATA")
        message = preview.error or preview.paused
        if message:
            wrapped_label(layout, context, message, "ERROR" if preview.error else "PAUSE")
            return
        figures = _figures(preview, context)
        if figures is not None:
            _draw_figures(layout, context, figures)
        if preview.binding is not None and not preview.binding.exact:
            layout.label(text="Not exact, because:", icon="INFO")
            for reason in preview.binding.reasons:
                wrapped_label(layout, context, reason.message, "DOT")


class SKINSCOPE_PT_meshes(_SidebarPanel, bpy.types.Panel):
    """All previews, each with its state"""

    bl_label = "Meshes"
    bl_parent_id = "SKINSCOPE_PT_preview"

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        return bool(current_session().previews)

    def draw(self, context: bpy.types.Context) -> None:
        rows = self.layout.column(align=True)
        for preview in current_session().previews:
            _draw_row(rows, preview, context)


def _draw_state(layout: bpy.types.UILayout, context: bpy.types.Context, session: ViewportSession) -> None:
    """Say what matters in a line or two: what is off, what is paused, what went wrong."""
    if session.error:
        wrapped_label(layout, context, session.error, "ERROR")
    for line in summary(session.measured(layer_key(context.scene, context.view_layer))):
        wrapped_label(layout, context, line.text, "CHECKMARK" if line.same else "ERROR")
    waiting = [preview for preview in session.previews if preview.paused or preview.error]
    for preview in waiting[:MOST_LINES]:
        wrapped_label(layout, context, preview.error or preview.paused, "ERROR" if preview.error else "PAUSE")
    if len(waiting) > MOST_LINES:
        layout.label(text=f"{len(waiting) - MOST_LINES} more paused or off", icon="PAUSE")


def _draw_row(rows: bpy.types.UILayout, preview: Preview, context: bpy.types.Context) -> None:
    row = rows.row(align=True)
    figures = _figures(preview, context)
    deviation = figures.deviation if figures else None
    icon, state = "TIME", ""
    if preview.error:
        icon, state = "ERROR", "off"
    elif preview.paused:
        icon, state = "PAUSE", "paused"
    elif deviation is not None:
        icon, state = "CHECKMARK" if is_same(deviation) else "ERROR", length(deviation, deviation.max)
    row.label(text=preview.name, icon=icon)
    value = row.row()
    value.alignment = "RIGHT"
    value.label(text=state)
    row.operator(SKINSCOPE_OT_preview_stop.bl_idname, text="", icon="X", emboss=False).uid = preview.uid


def _draw_figures(layout: bpy.types.UILayout, context: bpy.types.Context, figures: Figures) -> None:
    deviation = figures.deviation
    same = deviation is not None and is_same(deviation)
    wrapped_label(layout, context, verdict(figures), "CHECKMARK" if same else "ERROR")
    if deviation is None:
        return
    table = layout.column(align=True)
    for label, value in (
        ("Max", length(deviation, deviation.max)),
        ("RMS", length(deviation, deviation.rms)),
        ("Worst Vertex", f"{deviation.worst_vertex}"),
    ):
        split = table.split(factor=0.4)
        name = split.row()
        name.alignment = "RIGHT"
        name.label(text=label)
        split.label(text=value)


def _preview_in_focus(context: bpy.types.Context) -> Preview | None:
    """Return the active object's preview; where it has none, that which deviates most."""
    session = current_session()
    active = context.active_object
    preview = session.preview_of(active) if active is not None else None
    if preview is not None or not session.previews:
        return preview
    return max(session.previews, key=lambda one: _deviation_to_sort(one, context))


def _deviation_to_sort(preview: Preview, context: bpy.types.Context) -> float:
    figures = _figures(preview, context)
    return figures.deviation.max if figures and figures.deviation else -1.0


def _figures(preview: Preview, context: bpy.types.Context) -> Figures | None:
    live = preview.live_mesh(layer_key(context.scene, context.view_layer))
    return live.figures if live else None
