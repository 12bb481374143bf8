"""The sidebar of the 3D view: previews, their display, and the measurements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import bpy

from ...core.profiles.binding import Reason
from ...core.text.message import Message
from ...viewport.character.comparing import is_painted
from ...viewport.character.preview import Preview
from ...viewport.choices.translation import CONTEXT, translated
from ...viewport.layers import layer_key
from ...viewport.objects.hidden_meshes import can_be_hidden
from ...viewport.overlay.sentences import (
    MOST_LINES,
    compared_with,
    dropped_by,
    length,
    level_of_figures,
    limit_of,
    summary,
    when,
)
from ...viewport.session import ViewportSession, current_session
from ..settings.profile_settings import shown_alone
from ..settings.properties import AXES, BESIDE, SKINSCOPE_PG_settings, preview_settings, scene_settings
from ..widgets.focus import figures_of, hidden_in, mesh_in_layer_of, preview_in_focus
from ..widgets.level_icons import level_icon
from ..widgets.sidebar import SidebarPanel
from ..widgets.wrapped_label import wrapped_label
from .comparison_operators import SKINSCOPE_OT_flicker, SKINSCOPE_OT_split_move
from .presets import SKINSCOPE_PT_display_presets
from .preview_operators import SKINSCOPE_OT_preview_stop
from .selection_operators import SKINSCOPE_OT_frame_worst_vertex, SKINSCOPE_OT_select_deviating

PAINTED_IN_PLACE = Message("What you paint is not covered; to see the preview, choose Aside or Split")

PLAYED = Message("Clips play; their poses are not compared with Blender's")

VIEW_WIDTH, AXES_WIDTH = 2.8, 4.0
"""Widths of the buttons that choose the direction aside, in widget heights: the view's, and the three axes'."""

SENTENCE_LINES = 2
"""Lines kept for a sentence, so that what is below it does not move when the sentence changes."""


STATE_LINES = 3
"""Lines kept for what is said about the previews, with the heading."""


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
        _draw_limit(layout, context, settings)
        row = layout.row()
        row.active = settings.display != "WIREFRAME"
        row.prop(settings, "wireframe")
        # Beside its label there is no room for three names.
        row = layout.row()
        row.use_property_split = False
        row.prop(settings, "placement", expand=True)
        _draw_place(layout, settings)
        row = layout.row()
        row.active = settings.placement != "SPLIT"
        row.prop(settings, "blender_mesh", expand=True)
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
        if _is_painted_in_place(context):
            # At the end, so that the buttons stay in place when painting begins.
            wrapped_label(layout, context, PAINTED_IN_PLACE, "INFO")


class SKINSCOPE_PT_figures(SidebarPanel, bpy.types.Panel):
    """How far the skinned mesh is from Blender's"""

    bl_label = "Deviation"
    bl_parent_id = "SKINSCOPE_PT_preview"

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        preview = preview_in_focus(context)
        figures = None
        if preview is None:
            row = layout.row()
            row.active = False
            row.label(text="No preview", icon="MESH_DATA")
        else:
            hidden = preview.uid in hidden_in(context)
            _draw_mesh(layout.row(align=True), preview, context, hidden=hidden)
            figures = None if preview.error or preview.paused or hidden else figures_of(preview, context)
        deviation = figures.deviation if figures is not None else None
        text = ""
        if figures is not None and preview is not None:
            text = figures.problem if deviation is None else compared_with([figures.before], preview.profile)
        wrapped_label(layout, context, text, lines=SENTENCE_LINES)
        buttons = layout.row(align=True)
        buttons.enabled = figures is not None and deviation is not None and not figures.rounding
        buttons.operator(SKINSCOPE_OT_frame_worst_vertex.bl_idname, text="Frame Worst", icon="ZOOM_SELECTED")
        buttons.operator(SKINSCOPE_OT_select_deviating.bl_idname, text="Select Vertices", icon="VERTEXSEL")


class SKINSCOPE_PT_reasons(SidebarPanel, bpy.types.Panel):
    """What Blender does to the mesh that an engine's skinning does not"""

    bl_label = "Not Exact"
    bl_parent_id = "SKINSCOPE_PT_figures"
    bl_options: ClassVar = {"DEFAULT_CLOSED"}

    def draw_header_preset(self, context: bpy.types.Context) -> None:
        self.layout.label(text=_count(len(_reasons(context))), translate=False)

    def draw(self, context: bpy.types.Context) -> None:
        reasons = _reasons(context)
        if not reasons:
            column = self.layout.column()
            column.active = False
            wrapped_label(column, context, Message("Nothing keeps skinning from being exact"))
        for reason in reasons:
            wrapped_label(self.layout, context, reason.message, "DOT")


class SKINSCOPE_PT_meshes(SidebarPanel, bpy.types.Panel):
    """All previews and their state"""

    bl_label = "Meshes"
    bl_translation_context = CONTEXT
    bl_parent_id = "SKINSCOPE_PT_preview"
    # Open it is as long as a character has meshes.
    bl_options: ClassVar = {"DEFAULT_CLOSED"}

    def draw_header_preset(self, _context: bpy.types.Context) -> None:
        self.layout.label(text=_count(len(current_session().previews)), translate=False)

    def draw(self, context: bpy.types.Context) -> None:
        rows = self.layout.column(align=True)
        hidden = hidden_in(context)
        for preview in current_session().previews:
            row = rows.row(align=True)
            _draw_mesh(row, preview, context, hidden=preview.uid in hidden)
            row.operator(
                SKINSCOPE_OT_preview_stop.bl_idname, text="", icon="X", emboss=False
            ).uid = preview.uid
        if not current_session().previews:
            rows.active = False
            rows.label(text="No preview")
        self.layout.prop(scene_settings(context.scene), "start_with_file")


def _count(number: int) -> str:
    """Write a number for a panel's title; nothing for none."""
    return f"{number:,}" if number else ""


def _reasons(context: bpy.types.Context) -> Sequence[Reason]:
    preview = preview_in_focus(context)
    return preview.reasons if preview is not None else ()


def _draw_limit(
    layout: bpy.types.UILayout, context: bpy.types.Context, settings: SKINSCOPE_PG_settings
) -> None:
    """Draw the limit that the display is about, in one row whichever it is."""
    if settings.display not in {"DROPPED_WEIGHT", "INFLUENCE_COUNT"}:
        row = layout.row()
        row.active = settings.display == "DEVIATION"
        row.prop(settings, "threshold")
        return
    profile = preview_settings(context.scene).profile
    if profile.is_blender:
        layout.prop(settings, "influence_limit")
    elif settings.display == "INFLUENCE_COUNT":
        wrapped_label(layout, context, limit_of(profile), "INFO")
    else:
        wrapped_label(layout, context, dropped_by(profile), "INFO")


def _draw_place(layout: bpy.types.UILayout, settings: SKINSCOPE_PG_settings) -> None:
    """Draw how far aside or where the line is, in one row whatever the placement."""
    row = layout.row(align=True)
    row.use_property_split = False
    if settings.placement == "SPLIT":
        row.prop(settings, "split")
        row.operator(SKINSCOPE_OT_split_move.bl_idname, text="", icon="ARROW_LEFTRIGHT")
        return
    row.active = settings.placement == "ASIDE"
    view = row.row(align=True)
    view.ui_units_x = VIEW_WIDTH
    view.prop_enum(settings, "axis", BESIDE)
    axes = row.row(align=True)
    axes.ui_units_x = AXES_WIDTH
    for axis in AXES:
        axes.prop_enum(settings, "axis", axis)
    distance = row.row(align=True)
    distance.active = settings.axis != BESIDE
    distance.prop(settings, "distance", text="")


def _is_painted_in_place(context: bpy.types.Context) -> bool:
    """Whether the active object's preview is left out, so that its painted colors can be seen."""
    painted = context.active_object
    if painted is None or not is_painted(painted) or current_session().preview_of(painted) is None:
        return False
    settings = preview_settings(context.scene)
    return settings.is_in_place and settings.split is None


def _linked_meshes() -> str:
    """Name the previewed meshes that Blender always draws, whatever the setting."""
    session = current_session()
    meshes = (session.objects.find(preview.uid) for preview in session.previews)
    return ", ".join(f"'{one.name}'" for one in meshes if one is not None and not can_be_hidden(one))


def draw_state(layout: bpy.types.UILayout, context: bpy.types.Context, session: ViewportSession) -> None:
    """Draw what is off at the frame that the 3D view shows, what is paused, and what went wrong: in as many
    lines as while nothing is previewed, unless there is more to say.
    """
    # Aligned, so that no gaps between sentences come and go with them.
    column = layout.column(align=True)
    heading = column.column(align=True)
    heading.active = bool(session.previews)
    taken = wrapped_label(heading, context, _heading(context, session))
    taken += sum(wrapped_label(column, context, text, icon) for text, icon in _state(context, session))
    if taken < STATE_LINES:
        wrapped_label(column, context, "", lines=STATE_LINES - taken)


def _heading(context: bpy.types.Context, session: ViewportSession) -> str:
    """Say which frame the figures below are of, or what to press to see any."""
    if not session.previews:
        return Message("Press Preview to see it in the view")
    measured = session.measured(layer_key(context.scene, context.view_layer), hidden_in(context))
    figures = [one for _, one in measured]
    return when(figures, context.scene.frame_current_final, shown_alone(context.scene)) if figures else ""


def _state(context: bpy.types.Context, session: ViewportSession) -> list[tuple[str, Any]]:
    """List the sentences about the previews, each with its icon."""
    lines: list[tuple[str, Any]] = [(session.error, "ERROR")] if session.error else []
    hidden = hidden_in(context)
    layer = layer_key(context.scene, context.view_layer)
    measured = session.measured(layer, hidden)
    unmeasured, played = session.waiting(layer, hidden)
    lines += [(line.text, level_icon(line.level)) for line in summary(measured)]
    if played:
        lines.append((PLAYED, "PLAY"))
    if unmeasured and not measured:
        lines.append((Message("Measuring..."), "TIME"))
    waiting = [preview for preview in session.previews if preview.paused or preview.error]
    lines += [
        (one.error or one.paused or "", "ERROR" if one.error else "PAUSE") for one in waiting[:MOST_LINES]
    ]
    if len(waiting) > MOST_LINES:
        more = Message("{count} more paused or off", count=len(waiting) - MOST_LINES)
        lines.append((more, "PAUSE"))
    out_of_sight = [one.name for one in session.previews if one.uid in hidden and one not in waiting]
    if len(out_of_sight) == 1:
        lines.append((Message("'{mesh}' is not shown in this 3D view", mesh=out_of_sight[0]), "HIDE_ON"))
    elif out_of_sight:
        text = Message("{count} meshes are not shown in this 3D view", count=len(out_of_sight))
        lines.append((text, "HIDE_ON"))
    return lines


def _draw_mesh(
    row: bpy.types.UILayout, preview: Preview, context: bpy.types.Context, *, hidden: bool
) -> None:
    """Draw a mesh's name, and how far it is off or why it is not known."""
    figures = figures_of(preview, context)
    deviation = figures.deviation if figures else None
    icon, state = "TIME", ""
    live = mesh_in_layer_of(preview, context)
    if preview.error:
        icon, state = "ERROR", Message("off")
    elif preview.paused:
        icon, state = "PAUSE", Message("paused")
    elif hidden:
        icon, state = "HIDE_ON", Message("hidden")
    elif live is not None and live.is_played:
        icon = "PLAY"
    elif figures is not None and deviation is not None:
        icon, state = level_icon(level_of_figures(figures)), length(deviation, deviation.max)
    row.label(text=preview.name, icon=icon, translate=False)
    value = row.row()
    value.alignment = "RIGHT"
    value.label(text=translated(state), translate=False)
