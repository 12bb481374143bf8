"""The panel at the top of the tab: the engine, the verdict on the characters in it, and the buttons that check
and preview them.
"""

from __future__ import annotations

from typing import Any

import bpy

from ..core.text.message import Clause, Message
from ..core.verdicts.verdict import Level
from ..viewport.choices.moved_shapes import moved_shape
from ..viewport.choices.profile_results import Check
from ..viewport.choices.translation import translated
from ..viewport.overlay.check_words import cause_sentence, checked_when, standing_word, verdict_sentence
from ..viewport.overlay.sentences import shape_moved
from ..viewport.session import current_session
from .engine.finding_operators import SKINSCOPE_OT_profile_jump
from .engine.profile_check_operator import SKINSCOPE_OT_profile_check
from .engine.verdict_operators import (
    SKINSCOPE_OT_fix_accept,
    SKINSCOPE_OT_profile_evidence,
    SKINSCOPE_OT_verdict_fix,
)
from .preview.panels import draw_state
from .preview.preview_operators import SKINSCOPE_OT_preview_start, SKINSCOPE_OT_preview_stop
from .settings.profile_settings import profile_in_focus, profile_problem, profile_settings
from .settings.properties import scene_settings
from .widgets.level_icons import level_icon
from .widgets.sidebar import SidebarPanel
from .widgets.wrapped_label import wrapped_label

VERDICT_LINES = 7
"""Lines kept for a verdict, its cause, and when it was checked, together."""

WHAT_A_CHECK_SAYS = Message("Check plays copies of the characters, and says what is off, where and why")

BOX_INDENT = 5.0
"""Space that a box takes beside a sentence, with margins, tabs and the icon, in widget heights."""


class SKINSCOPE_PT_preview(SidebarPanel, bpy.types.Panel):
    """How characters deform in an engine: the verdict, and what the 3D view shows"""

    bl_label = "Skinscope"

    def draw_header(self, context: bpy.types.Context) -> None:
        self.layout.prop(scene_settings(context.scene), "show_previews", text="")

    def draw(self, context: bpy.types.Context) -> None:
        layout, scene = self.layout, context.scene
        session = current_session()
        session.checks.notice_changes()
        settings = profile_settings(scene)
        layout.prop(settings, "profile", text="")
        problem = profile_problem(scene)
        if problem:
            wrapped_label(layout, context, problem, "ERROR")
        check = session.checks.results.check_of(scene.session_uid, settings.profile)
        _draw_verdict(layout, context, check)
        _draw_buttons(layout, checked=check is not None)
        _draw_moved_shapes(layout, context)
        draw_state(layout, context, session)


def _draw_verdict(layout: bpy.types.UILayout, context: bpy.types.Context, check: Check | None) -> None:
    """Draw the verdict of a check; the same rows without one, so that the buttons below stay in place."""
    report = check.report if check is not None else None
    profile = profile_in_focus(context.scene)
    old = check is not None and (check.outdated or check.report.profile != profile)
    box = layout.box().column(align=True)

    def draw(text: str, icon: Any, lines: int, *, active: bool) -> int:
        told = box.column(align=True)
        told.active = active
        # Red as Blender's own alerts are; the other colors have only the swatch.
        told.alert = active and report is not None and report.level is Level.FAIL
        return wrapped_label(told, context, text, icon, indent=BOX_INDENT, lines=lines)

    if check is None or report is None:
        taken = draw(Message("Not checked for this engine yet"), level_icon(None), 1, active=False)
        draw(WHAT_A_CHECK_SAYS, "BLANK1", VERDICT_LINES - taken, active=False)
    else:
        taken = draw(verdict_sentence(report), level_icon(report.level), 1, active=not old)
        taken += draw(cause_sentence(report) or "", "BLANK1", 0, active=not old)
        for message in report.refused:
            taken += wrapped_label(box, context, message, "ERROR", indent=BOX_INDENT)
        when = checked_when(check)
        text = Message("Old: {checked}", checked=Clause(when)) if old else when
        taken += wrapped_label(box, context, text, "FILE_REFRESH" if old else "TIME", indent=BOX_INDENT)
        draw("", "BLANK1", VERDICT_LINES - taken, active=False)
    row = layout.split(factor=0.6, align=True)
    buttons = row.row(align=True)
    buttons.operator(SKINSCOPE_OT_profile_jump.bl_idname, text="Jump", icon="TIME")
    buttons.operator(SKINSCOPE_OT_verdict_fix.bl_idname, icon="TOOL_SETTINGS")
    verified = profile.verified
    icon = "CHECKMARK" if verified.complete or profile.is_blender else "QUESTION"
    word = Message("Exact") if profile.is_blender else standing_word(verified)
    evidence = SKINSCOPE_OT_profile_evidence.bl_idname
    row.operator(evidence, text=translated(word), icon=icon, translate=False)


def _draw_buttons(layout: bpy.types.UILayout, *, checked: bool) -> None:
    buttons = layout.row()
    buttons.scale_y = 1.4
    preview = buttons.row(align=True)
    if current_session().previews:
        preview.operator(SKINSCOPE_OT_preview_stop.bl_idname, text="Stop", icon="SNAP_FACE")
        preview.operator(SKINSCOPE_OT_preview_start.bl_idname, text="", icon="ADD")
    else:
        preview.operator(SKINSCOPE_OT_preview_start.bl_idname, text="Preview", icon="PLAY")
    check = SKINSCOPE_OT_profile_check.bl_idname
    if checked:
        buttons.operator(check, text="Check Again", icon="VIEWZOOM")
    else:
        buttons.operator(check, text="Check", icon="VIEWZOOM")


def _draw_moved_shapes(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Say how far fixes have moved meshes from their authored shapes."""
    session = current_session()
    check = session.checks.results.check_of(
        context.scene.session_uid, profile_settings(context.scene).profile
    )
    checked = [one.uid for one in check.report.meshes] if check is not None else []
    for uid in dict.fromkeys((*(one.uid for one in session.previews), *checked)):
        shape = moved_shape(session.objects.find(uid))
        if shape is None:
            continue
        line, row = shape_moved(shape), layout.row(align=True)
        wrapped_label(row.column(), context, line.text, level_icon(line.level), indent=BOX_INDENT)
        row.operator(SKINSCOPE_OT_fix_accept.bl_idname, text="", icon="X", emboss=False).uid = uid
