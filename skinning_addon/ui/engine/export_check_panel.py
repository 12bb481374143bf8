"""The sidebar's panel for the user's own exports: checking one, and what its file holds."""

from __future__ import annotations

from typing import Any

import bpy

from ...core.text.length import format_length
from ...core.text.message import Clause, Message
from ...core.verdicts.finding import Finding
from ...viewport.choices.export_results import ExportVerdict, export_sentence, first_look_sentence
from ...viewport.choices.translation import translated
from ...viewport.session import current_session
from ..settings.export_check_settings import export_check_settings
from ..widgets.level_icons import level_icon
from ..widgets.sidebar import SidebarPanel
from ..widgets.table import draw_table
from ..widgets.wrapped_label import wrapped_label
from .export_check_operator import CHECK_FIRST, SKINSCOPE_OT_export_check, SKINSCOPE_OT_export_jump
from .findings_panel import SEVERITY_ICONS

MESHES_SHOWN = 6
FINDINGS_SHOWN = 8


class SKINSCOPE_PT_export_check(SidebarPanel, bpy.types.Panel):
    """What your exported file really holds"""

    bl_label = "Export Check"

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        current_session().checks.notice_changes()
        settings = export_check_settings(context.scene)
        column = layout.column()
        column.use_property_split = True
        column.use_property_decorate = False
        column.prop(settings, "exporter", text="")
        column.prop(settings, "preset")
        column.prop(settings, "keep")
        button = layout.row()
        button.scale_y = 1.4
        button.operator(SKINSCOPE_OT_export_check.bl_idname, icon="EXPORT")
        verdict = _verdict(context)
        seen = current_session().checks.exports.first(context.scene.session_uid)
        if seen is not None:
            wrapped_label(layout, context, first_look_sentence(seen), "CHECKMARK" if seen.good else "ERROR")
        elif verdict is not None:
            _draw_verdict(layout, context, verdict)


class SKINSCOPE_PT_export_findings(SidebarPanel, bpy.types.Panel):
    """What does not match between the exported file and the scene"""

    bl_label = "Findings"
    bl_parent_id = "SKINSCOPE_PT_export_check"

    def draw_header_preset(self, context: bpy.types.Context) -> None:
        count = len(findings_of_export(context) or ())
        self.layout.label(text=f"{count:,}" if count else "", translate=False)

    def draw(self, context: bpy.types.Context) -> None:
        findings = findings_of_export(context)
        for finding in (findings or ())[:FINDINGS_SHOWN]:
            icon: Any = SEVERITY_ICONS[finding.severity]
            wrapped_label(self.layout, context, finding.message, icon)
            if finding.fix:
                wrapped_label(self.layout, context, finding.fix, "LIGHT")
        if not findings:
            hint = self.layout.column()
            hint.active = False
            wrapped_label(hint, context, _why_none(context) if findings is None else Message("No findings"))


def findings_of_export(context: bpy.types.Context) -> tuple[Finding, ...] | None:
    """Return what was found in the last export; None as long as that is not known."""
    verdict = _verdict(context)
    # Those of an earlier export would stand below what was just seen of this one.
    seen = current_session().checks.exports.first(context.scene.session_uid)
    return None if verdict is None or seen is not None else verdict.report.findings


def _why_none(context: bpy.types.Context) -> Message:
    """Say why it is not known what the last export holds."""
    is_running = current_session().checks.exports.first(context.scene.session_uid) is not None
    return Message("The full check is running") if is_running else CHECK_FIRST


def _verdict(context: bpy.types.Context) -> ExportVerdict | None:
    return current_session().checks.exports.of(context.scene.session_uid)


def _draw_verdict(layout: bpy.types.UILayout, context: bpy.types.Context, verdict: ExportVerdict) -> None:
    mesh = verdict.worst_mesh
    level = mesh.worst.level if mesh is not None else None
    told = layout.column()
    told.active = not verdict.outdated
    wrapped_label(told, context, export_sentence(verdict), level_icon(level))
    when = Message("Checked at {clock}", clock=verdict.clock)
    text = Message("Old: {checked}", checked=Clause(when)) if verdict.outdated else when
    wrapped_label(layout, context, text, "FILE_REFRESH" if verdict.outdated else "TIME")
    worst_first = sorted(verdict.report.meshes, key=lambda one: -one.worst.max)
    draw_table(layout, [(one.object, format_length(one.worst.max)) for one in worst_first[:MESHES_SHOWN]])
    layout.operator(SKINSCOPE_OT_export_jump.bl_idname, icon="TIME")
    if verdict.sources is not None:
        sources = " + ".join(map(translated, verdict.sources))
        sources = sources or translated(Message("the exporter's defaults"))
        wrapped_label(layout, context, Message("Exported with: {sources}", sources=sources))
    reader = Message("Verified by reading the file back ({reader})", reader=verdict.reader)
    wrapped_label(layout, context, reader, "CHECKMARK")
    if verdict.kept:
        wrapped_label(layout, context, Message("Kept as {path}", path=verdict.kept))
