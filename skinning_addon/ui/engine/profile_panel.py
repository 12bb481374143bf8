"""The sidebar's panel for engines: which one, what a check found, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import bpy

from ...core.profiles.profile import Profile
from ...core.text.body_part import body_part
from ...core.text.length import format_length
from ...core.text.message import Message
from ...core.verdicts.finding import Finding, Severity
from ...core.verdicts.rules import rule_of
from ...core.verdicts.verdict import Level
from ...measurement.profiles.profile_report import MeshProfileReport, ProfileReport, profile_sentence
from ...viewport.choices.profile_results import ProfileResults
from ...viewport.choices.translation import translated
from ...viewport.session import current_session
from ..settings.profile_settings import (
    NO_PROFILE,
    SKINSCOPE_PG_finding,
    finding_rows,
    profile_problem,
    profile_settings,
)
from ..widgets.level_icons import level_icon
from ..widgets.sidebar import SidebarPanel
from ..widgets.table import draw_table
from ..widgets.wrapped_label import wrapped_label
from .exporter_panel import SKINSCOPE_OT_finding_export, advised_settings
from .finding_operators import (
    SKINSCOPE_OT_finding_jump,
    SKINSCOPE_OT_finding_select,
    SKINSCOPE_OT_finding_show,
    SKINSCOPE_OT_profile_jump,
    finding_in_focus,
)
from .profile_check_operator import SKINSCOPE_OT_profile_check

WORDS = {
    Level.SAME: Message("Same"),
    Level.GOOD: Message("Good"),
    Level.LOOK: Message("Look"),
    Level.FAIL: Message("Fails"),
}

SEVERITY_ICONS = {Severity.ERROR: "CANCEL", Severity.WARNING: "ERROR", Severity.INFO: "INFO"}

PARTS_SHOWN = 4


class SKINSCOPE_UL_findings(bpy.types.UIList):
    """What a check has found"""

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
        results = current_session().profile_results
        scene = context.scene
        finding = results.finding(scene.session_uid, profile_settings(scene).profile, item.number)
        if finding is None:
            return
        row = layout.row(align=True)
        icon: Any = SEVERITY_ICONS[finding.severity]
        name = translated(rule_of(finding.rule).name)
        report = results.of(scene.session_uid, profile_settings(scene).profile)
        if report is not None and len(report.meshes) > 1:
            # Several meshes of a character may have the same problem.
            name = f"{name}: {finding.object}"
        row.label(text=name, icon=icon, translate=False)
        value = row.row()
        value.alignment = "RIGHT"
        if results.alone == finding.rule and finding.profile:
            value.label(text="", icon="HIDE_OFF")
        if finding.deviation:
            value.label(text=translated(format_length(finding.deviation)), translate=False)
        elif finding.count:
            value.label(text=f"{finding.count:,}", translate=False)


class SKINSCOPE_PT_profile(SidebarPanel, bpy.types.Panel):
    """How characters will deform in an engine"""

    bl_label = "Engine Profile"

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        scene = context.scene
        settings = profile_settings(scene)
        results = current_session().profile_results
        column = layout.column()
        column.use_property_split = True
        column.use_property_decorate = False
        column.prop(settings, "profile")
        column.prop(settings, "second")
        column.prop(settings, "scanned")
        if settings.scanned == "CLIP":
            column.prop(settings, "clip")
        problem = profile_problem(scene)
        if problem:
            wrapped_label(layout, context, problem, "ERROR")
        button = layout.row()
        button.scale_y = 1.4
        button.operator(SKINSCOPE_OT_profile_check.bl_idname, icon="VIEWZOOM")
        report = results.of(scene.session_uid, settings.profile)
        if results.alone:
            name = translated(rule_of(results.alone).name)
            wrapped_label(
                layout, context, Message("The preview shows '{cause}' alone", cause=name), "HIDE_OFF"
            )
        if report is None:
            return
        second = results.of(scene.session_uid, settings.second) if settings.second != NO_PROFILE else None
        _draw_verdicts(layout, context, report, second)
        if results.outdated:
            wrapped_label(layout, context, Message("Changed since the check; check again"), "FILE_REFRESH")


class SKINSCOPE_PT_profile_findings(SidebarPanel, bpy.types.Panel):
    """Findings of the check, worst first"""

    bl_label = "Findings"
    bl_parent_id = "SKINSCOPE_PT_profile"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return _report(context) is not None

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        rows = finding_rows(context)
        report = _report(context)
        if report is not None and not report.findings:
            layout.label(text="No findings", icon="CHECKMARK")
            return
        layout.template_list("SKINSCOPE_UL_findings", "", rows, "rows", rows, "active", rows=4)
        finding = finding_in_focus(context)
        if finding is not None:
            _draw_finding(layout, context, finding, current_session().profile_results)


class SKINSCOPE_PT_profile_figures(SidebarPanel, bpy.types.Panel):
    """The numbers behind the verdict"""

    bl_label = "Figures"
    bl_parent_id = "SKINSCOPE_PT_profile"
    bl_options: ClassVar = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        report = _report(context)
        return report is not None and report.worst_mesh is not None

    def draw(self, context: bpy.types.Context) -> None:
        report = _report(context)
        if report is None or report.worst_mesh is None:
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
    return current_session().profile_results.of(scene.session_uid, profile_settings(scene).profile)


def _standing(profile: Profile) -> Message:
    return Message(
        "The prediction for {profile}: {standing}", profile=profile.label, standing=profile.verified.standing
    )


def _draw_verdicts(
    layout: bpy.types.UILayout,
    context: bpy.types.Context,
    report: ProfileReport,
    second: ProfileReport | None,
) -> None:
    wrapped_label(layout, context, profile_sentence(report), level_icon(report.level))
    for message in report.refused:
        wrapped_label(layout, context, message, "ERROR")
    for one in (report, second) if second is not None else (report,):
        if not one.profile.is_blender:
            wrapped_label(layout, context, _standing(one.profile), "INFO")
    row = layout.row()
    for one in (report, second) if second is not None else ():
        box = row.box().column(align=True)
        box.label(text=one.profile.label, translate=False)
        level, mesh = one.level, one.worst_mesh
        if level is not None and mesh is not None:
            box.label(text=translated(WORDS[level]), icon=level_icon(one.level), translate=False)
            box.label(text=translated(format_length(mesh.worst.max)), translate=False)
    layout.operator(SKINSCOPE_OT_profile_jump.bl_idname, icon="TIME")


def _draw_finding(
    layout: bpy.types.UILayout, context: bpy.types.Context, finding: Finding, results: ProfileResults
) -> None:
    buttons = layout.column(align=True)
    row = buttons.row(align=True)
    row.operator(SKINSCOPE_OT_finding_select.bl_idname, text="Select", icon="VERTEXSEL")
    shown = bool(finding.profile) and results.alone == finding.rule
    row.operator(SKINSCOPE_OT_finding_show.bl_idname, text="Alone", icon="HIDE_OFF", depress=shown)
    row.operator(SKINSCOPE_OT_finding_jump.bl_idname, text="Jump", icon="TIME")
    fix = rule_of(finding.rule).operator
    if fix:
        buttons.operator(fix, icon="TOOL_SETTINGS")
    if advised_settings(finding, context.scene):
        buttons.operator(SKINSCOPE_OT_finding_export.bl_idname, icon="EXPORT")
    wrapped_label(layout, context, finding.message)
    if finding.fix:
        wrapped_label(layout, context, finding.fix, "LIGHT")


def _figures(mesh: MeshProfileReport) -> Iterable[tuple[Message, str]]:
    worst = mesh.worst
    yield Message("Mesh"), mesh.mesh
    yield Message("Max"), format_length(worst.max)
    yield Message("RMS"), format_length(worst.rms)
    yield Message("Along Normal"), format_length(worst.along_normal)
    yield Message("Tangential"), format_length(worst.tangential)
    yield Message("Frame"), f"{worst.frame:g}"
    yield Message("To Look At"), Message("{percent:.3g}% of surface", percent=100 * worst.surface)
    yield Message("Too Much"), Message("{percent:.3g}% of surface", percent=100 * worst.surface_fail)
    yield Message("Longest Run"), Message("{run} of {frames} frames", run=worst.run, frames=worst.frames)
    yield Message("Largest Pop"), format_length(worst.pop)
    yield Message("Worst Vertex"), f"{worst.worst_vertex}"
