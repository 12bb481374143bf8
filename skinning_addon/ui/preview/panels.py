"""The sidebar of the 3D view: previews, their display, and the measurements."""

from __future__ import annotations

import bpy

from ...core.profiles.profile import Profile
from ...core.text.message import Message
from ...viewport.character.figures import Figures
from ...viewport.character.preview import Preview
from ...viewport.choices.translation import CONTEXT, translated
from ...viewport.objects.hidden_meshes import can_be_hidden
from ...viewport.overlay.sentences import (
    MOST_LINES,
    compared_with,
    dropped_by,
    is_same,
    length,
    summary,
    verdict,
)
from ...viewport.session import ViewportSession, current_session, layer_key
from ..settings.properties import preview_settings, scene_settings
from ..widgets.focus import figures_of, hidden_in, preview_in_focus
from ..widgets.sidebar import SidebarPanel
from ..widgets.wrapped_label import wrapped_label
from .comparison_operators import SKINSCOPE_OT_flicker, SKINSCOPE_OT_split_move
from .presets import SKINSCOPE_PT_display_presets
from .preview_operators import SKINSCOPE_OT_preview_start, SKINSCOPE_OT_preview_stop
from .selection_operators import SKINSCOPE_OT_frame_worst_vertex, SKINSCOPE_OT_select_deviating


class SKINSCOPE_PT_preview(SidebarPanel, bpy.types.Panel):
    """The scene's previews and their state"""

    bl_label = "Skinscope"

    def draw_header(self, context: bpy.types.Context) -> None:
        self.layout.prop(scene_settings(context.scene), "show_previews", text="")

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
        _draw_state(layout, context, session)


class SKINSCOPE_PT_display(SidebarPanel, bpy.types.Panel):
    """How to show previews in the 3D view"""

    bl_label = "Display"
    bl_parent_id = "SKINSCOPE_PT_preview"

    def draw_header_preset(self, _context: bpy.types.Context) -> None:
        SKINSCOPE_PT_display_presets.draw_panel_header(self.layout)

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        settings = scene_settings(context.scene)
        layout.prop(settings, "display")
        if settings.display == "DEVIATION":
            layout.prop(settings, "threshold")
        elif settings.display == "DROPPED_WEIGHT":
            profile = preview_settings(context.scene).profile
            if profile.is_blender:
                layout.prop(settings, "influence_limit")
            else:
                wrapped_label(layout, context, dropped_by(profile), "INFO")
        if settings.display != "WIREFRAME":
            layout.prop(settings, "wireframe")
        # Beside its label there is no room for three names.
        row = layout.row()
        row.use_property_split = False
        row.prop(settings, "placement", expand=True)
        if settings.placement == "ASIDE":
            layout.row().prop(settings, "axis", expand=True)
            layout.prop(settings, "distance")
        if settings.placement == "SPLIT":
            row = layout.row(align=True)
            row.prop(settings, "split")
            row.operator(SKINSCOPE_OT_split_move.bl_idname, text="", icon="ARROW_LEFTRIGHT")
        else:
            layout.row().prop(settings, "blender_mesh", expand=True)
        linked = _linked_meshes()
        if linked and preview_settings(context.scene).hides_blenders_mesh:
            wrapped_label(
                layout,
                context,
                Message(
                    "Blender still draws {meshes}, which can't be hidden because it is linked; make a "
                    "library override",
                    meshes=linked,
                ),
                "INFO",
            )
        layout.operator(
            SKINSCOPE_OT_flicker.bl_idname, icon="ARROW_LEFTRIGHT", depress=current_session().swapped
        )
        layout.prop(settings, "show_figures")


class SKINSCOPE_PT_figures(SidebarPanel, bpy.types.Panel):
    """How far the skinned mesh is from Blender's, and why"""

    bl_label = "Deviation"
    bl_parent_id = "SKINSCOPE_PT_preview"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return preview_in_focus(context) is not None

    def draw(self, context: bpy.types.Context) -> None:
        preview = preview_in_focus(context)
        if preview is None:
            return
        layout = self.layout
        layout.label(text=preview.name, icon="MESH_DATA", translate=False)
        message = preview.error or preview.paused
        if message:
            wrapped_label(layout, context, message, "ERROR" if preview.error else "PAUSE")
            return
        if preview.uid in hidden_in(context):
            layout.label(text="Hidden in this 3D view", icon="HIDE_ON")
            return
        figures = figures_of(preview, context)
        if figures is not None:
            _draw_figures(layout, context, figures, preview.profile)
        if reasons := preview.reasons:
            layout.label(text="Not exact, because:", icon="INFO")
            for reason in reasons:
                wrapped_label(layout, context, reason.message, "DOT")


class SKINSCOPE_PT_meshes(SidebarPanel, bpy.types.Panel):
    """All previews and their state"""

    bl_label = "Meshes"
    bl_translation_context = CONTEXT
    bl_parent_id = "SKINSCOPE_PT_preview"

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        return bool(current_session().previews)

    def draw(self, context: bpy.types.Context) -> None:
        rows = self.layout.column(align=True)
        hidden = hidden_in(context)
        for preview in current_session().previews:
            _draw_row(rows, preview, context, hidden=preview.uid in hidden)


def _linked_meshes() -> str:
    """Name the previewed meshes that Blender always draws, whatever the setting."""
    session = current_session()
    meshes = (session.objects.find(preview.uid) for preview in session.previews)
    return ", ".join(f"'{one.name}'" for one in meshes if one is not None and not can_be_hidden(one))


def _draw_state(layout: bpy.types.UILayout, context: bpy.types.Context, session: ViewportSession) -> None:
    """Draw the state in a line or two: what is off, what is paused, what went wrong."""
    if session.error:
        wrapped_label(layout, context, session.error, "ERROR")
    hidden = hidden_in(context)
    for line in summary(session.measured(layer_key(context.scene, context.view_layer), hidden)):
        wrapped_label(layout, context, line.text, "CHECKMARK" if line.same else "ERROR")
    waiting = [preview for preview in session.previews if preview.paused or preview.error]
    for preview in waiting[:MOST_LINES]:
        wrapped_label(layout, context, preview.error or preview.paused, "ERROR" if preview.error else "PAUSE")
    if len(waiting) > MOST_LINES:
        wrapped_label(
            layout, context, Message("{count} more paused or off", count=len(waiting) - MOST_LINES), "PAUSE"
        )
    out_of_sight = [one.name for one in session.previews if one.uid in hidden and one not in waiting]
    if len(out_of_sight) == 1:
        text = Message("'{mesh}' is hidden in this 3D view", mesh=out_of_sight[0])
        wrapped_label(layout, context, text, "HIDE_ON")
    elif out_of_sight:
        text = Message("{count} meshes are hidden in this 3D view", count=len(out_of_sight))
        wrapped_label(layout, context, text, "HIDE_ON")


def _draw_row(
    rows: bpy.types.UILayout, preview: Preview, context: bpy.types.Context, *, hidden: bool
) -> None:
    row = rows.row(align=True)
    figures = figures_of(preview, context)
    deviation = figures.deviation if figures else None
    icon, state = "TIME", ""
    if preview.error:
        icon, state = "ERROR", Message("off")
    elif preview.paused:
        icon, state = "PAUSE", Message("paused")
    elif hidden:
        icon, state = "HIDE_ON", Message("hidden")
    elif deviation is not None:
        icon, state = "CHECKMARK" if is_same(deviation) else "ERROR", length(deviation, deviation.max)
    row.label(text=preview.name, icon=icon, translate=False)
    value = row.row()
    value.alignment = "RIGHT"
    value.label(text=translated(state), translate=False)
    row.operator(SKINSCOPE_OT_preview_stop.bl_idname, text="", icon="X", emboss=False).uid = preview.uid


def _draw_figures(
    layout: bpy.types.UILayout, context: bpy.types.Context, figures: Figures, profile: Profile
) -> None:
    deviation = figures.deviation
    same = deviation is not None and is_same(deviation)
    wrapped_label(layout, context, verdict(figures), "CHECKMARK" if same else "ERROR")
    if deviation is None or same:
        return
    wrapped_label(layout, context, compared_with([figures.before], profile))
    buttons = layout.row(align=True)
    buttons.operator(SKINSCOPE_OT_frame_worst_vertex.bl_idname, text="Frame Worst", icon="ZOOM_SELECTED")
    buttons.operator(SKINSCOPE_OT_select_deviating.bl_idname, text="Select Above", icon="VERTEXSEL")
