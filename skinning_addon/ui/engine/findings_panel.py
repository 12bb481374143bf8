"""The sidebar's list of what a check found, what can be done about each finding, and the figures behind it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import bpy

from ...core.text.body_part import body_part
from ...core.text.length import format_length
from ...core.text.message import Message
from ...core.verdicts.finding import Finding, Severity
from ...core.verdicts.rules import rule_of
from ...core.verdicts.suppression import Suppression
from ...measurement.profiles.profile_report import MeshProfileReport, ProfileReport
from ...viewport.choices.translation import translated
from ...viewport.session import current_session
from ..settings.copy_options import OF_SCENE, draw_fit_options
from ..settings.profile_settings import (
    SKINSCOPE_PG_finding,
    SKINSCOPE_PG_findings,
    finding_rows,
    profile_settings,
    shown_alone,
)
from ..widgets.sidebar import SidebarPanel
from ..widgets.table import draw_table
from ..widgets.wrapped_label import wrapped_label
from .clips_of_copy import told_clips
from .exporter_panel import SKINSCOPE_OT_finding_export, advised_settings
from .finding_operators import (
    SKINSCOPE_OT_finding_jump,
    SKINSCOPE_OT_finding_page,
    SKINSCOPE_OT_finding_select,
    SKINSCOPE_OT_finding_show,
    finding_in_focus,
)
from .game_ready_operator import SKINSCOPE_OT_game_ready_copy, armature_to_copy, why_not_to_copy
from .suppression_operators import (
    SKINSCOPE_OT_finding_count,
    SKINSCOPE_OT_finding_suppress,
    suppression_of,
)

SEVERITY_ICONS = {Severity.ERROR: "CANCEL", Severity.WARNING: "ERROR", Severity.INFO: "INFO"}

PARTS_SHOWN = 4

SENTENCE_LINES = 4
"""Lines kept for a finding, so that what is below stays in place when another one is chosen."""

CLIP_LINES = 2
"""Lines kept for what a game-ready copy will play, likewise."""

CHECK_FIRST = Message("Press Check to see what deviates and why")


class SKINSCOPE_UL_findings(bpy.types.UIList):
    """What a check has found"""

    def filter_items(
        self, context: bpy.types.Context, data: SKINSCOPE_PG_findings, _property: str
    ) -> tuple[list[int], list[int]]:
        """Show as many rows as the report has findings."""
        report = _report(context)
        count = len(report.findings) if report is not None else 0
        return [self.bitflag_filter_item if one.number < count else 0 for one in data.rows], []

    def draw_item(
        self,
        context: bpy.types.Context,
        layout: bpy.types.UILayout,
        _data: object,
        item: SKINSCOPE_PG_finding,
        _icon: int,
        _active_data: object,
        _active_property: str,
    ) -> None:
        results = current_session().checks.results
        scene = context.scene
        finding = results.finding(scene.session_uid, profile_settings(scene).profile, item.number)
        if finding is None:
            return
        row = layout.row(align=True)
        is_suppressed = suppression_of(scene, finding) is not None
        row.active = not is_suppressed
        icon: Any = "CHECKMARK" if is_suppressed else SEVERITY_ICONS[finding.severity]
        name = translated(rule_of(finding.rule).name)
        report = results.of(scene.session_uid, profile_settings(scene).profile)
        if report is not None and len(report.meshes) > 1:
            # Several meshes of a character may have the same problem.
            name = f"{name}: {finding.object}"
        row.label(text=name, icon=icon, translate=False)
        value = row.row()
        value.alignment = "RIGHT"
        if shown_alone(scene) == finding.rule and finding.profile:
            value.label(text="", icon="HIDE_OFF")
        if finding.deviation:
            value.label(text=translated(format_length(finding.deviation)), translate=False)
        elif finding.count:
            value.label(text=f"{finding.count:,}", translate=False)


class SKINSCOPE_PT_profile_findings(SidebarPanel, bpy.types.Panel):
    """Findings of the check, worst first"""

    bl_label = "Findings"
    bl_parent_id = "SKINSCOPE_PT_preview"
    # Open, it would leave much empty room above the display before the first check.
    bl_options: ClassVar = {"DEFAULT_CLOSED"}

    def draw_header_preset(self, context: bpy.types.Context) -> None:
        report = _report(context)
        count = len(report.findings) if report is not None else 0
        self.layout.label(text=f"{count:,}" if count else "", translate=False)

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        rows = finding_rows(context)
        layout.template_list("SKINSCOPE_UL_findings", "", rows, "rows", rows, "active", rows=4)
        _draw_finding(layout, context, finding_in_focus(context), _report(context))
        settings = profile_settings(context.scene)
        copy = layout.operator(SKINSCOPE_OT_game_ready_copy.bl_idname, icon="ARMATURE_DATA")
        for one, name in OF_SCENE.items():
            setattr(copy, one, getattr(settings, name))
        armature = armature_to_copy(context)
        text = ""
        if armature is not None:
            text = why_not_to_copy(armature) or told_clips(context.scene, armature)
        wrapped_label(layout, context, text, lines=CLIP_LINES)
        layout.prop(settings, "fit_weights")
        draw_fit_options(layout.column(), settings, OF_SCENE)


class SKINSCOPE_PT_profile_figures(SidebarPanel, bpy.types.Panel):
    """The numbers behind the verdict"""

    bl_label = "Figures"
    bl_parent_id = "SKINSCOPE_PT_profile"
    bl_options: ClassVar = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        report = _report(context)
        if report is None or report.worst_mesh is None:
            column = self.layout.column()
            column.active = False
            wrapped_label(column, context, CHECK_FIRST)
            return
        draw_table(self.layout, _figures(report.worst_mesh))
        parts = [
            (body_part(one.bone) or one.bone, format_length(one.max))
            for one in report.worst_mesh.worst.parts[:PARTS_SHOWN]
        ]
        if parts:
            self.layout.label(text="Parts that deviate most:")
            draw_table(self.layout, parts)


def _report(context: bpy.types.Context) -> ProfileReport | None:
    scene = context.scene
    return current_session().checks.results.of(scene.session_uid, profile_settings(scene).profile)


def _draw_finding(
    layout: bpy.types.UILayout,
    context: bpy.types.Context,
    finding: Finding | None,
    report: ProfileReport | None,
) -> None:
    """Draw what can be done about a finding, and what it says; the same rows if there is none."""
    buttons = layout.column(align=True)
    row = buttons.row(align=True)
    row.operator(SKINSCOPE_OT_finding_select.bl_idname, text="Select Vertices", icon="VERTEXSEL")
    row.operator(SKINSCOPE_OT_finding_jump.bl_idname, text="Jump to Frame", icon="TIME")
    alone = shown_alone(context.scene)
    buttons.operator(
        SKINSCOPE_OT_finding_show.bl_idname,
        text="Show This Cause Alone",
        icon="HIDE_OFF",
        depress=finding is not None and bool(finding.profile) and alone == finding.rule,
    )
    fix = rule_of(finding.rule).operator if finding is not None else ""
    advised = finding is not None and bool(advised_settings(finding, context.scene))
    if fix:
        buttons.operator(fix, icon="TOOL_SETTINGS")
    if advised:
        buttons.operator(SKINSCOPE_OT_finding_export.bl_idname, icon="EXPORT")
    if not fix and not advised:
        buttons.label()
    suppression = suppression_of(context.scene, finding) if finding is not None else None
    if suppression is None:
        buttons.operator(SKINSCOPE_OT_finding_suppress.bl_idname, icon="CHECKMARK")
    else:
        buttons.operator(SKINSCOPE_OT_finding_count.bl_idname, icon="X")
    about = buttons.row()
    if finding is not None and finding.object:
        about.label(text=finding.object, icon="OBJECT_DATA", translate=False)
    else:
        about.label()
    about.operator(SKINSCOPE_OT_finding_page.bl_idname, text="", icon="URL", emboss=False)
    if finding is not None:
        wrapped_label(layout, context, finding.message, lines=SENTENCE_LINES)
        if finding.fix:
            wrapped_label(layout, context, finding.fix, "LIGHT")
        if suppression is not None:
            wrapped_label(layout, context, _why(suppression), "CHECKMARK")
        return
    text = CHECK_FIRST if report is None else Message("No findings")
    layout = layout.column()
    layout.active = False
    wrapped_label(layout, context, text, lines=SENTENCE_LINES)


def _why(one: Suppression) -> Message:
    if one.until is None:
        return Message("Suppressed: {reason}", reason=one.reason)
    return Message("Suppressed until {day}: {reason}", day=one.until.isoformat(), reason=one.reason)


def _figures(mesh: MeshProfileReport) -> Iterable[tuple[Message, str]]:
    worst = mesh.worst
    yield Message("Mesh"), mesh.mesh
    yield Message("Max"), format_length(worst.max)
    yield Message("RMS"), format_length(worst.rms)
    yield Message("Along Normal"), format_length(worst.along_normal)
    yield Message("Tangential"), format_length(worst.tangential)
    yield Message("Frame"), f"{worst.frame:g}"
    yield Message("Needs a Look"), Message("{percent:.3g}% of surface", percent=100 * worst.surface)
    yield Message("Too Much"), Message("{percent:.3g}% of surface", percent=100 * worst.surface_fail)
    yield Message("Longest Run"), Message("{run} of {frames} frames", run=worst.run, frames=worst.frames)
    yield Message("Largest Pop"), format_length(worst.pop)
    yield Message("Worst Vertex"), f"{worst.worst_vertex}"
