"""The sidebar's panel for engines: which one, what a check found, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable

import bpy

from ...core.text.length import format_length
from ...core.text.message import Message
from ...core.verdicts.verdict import Level
from ...measurement.profiles.profile_report import ProfileReport
from ...viewport.choices.translation import translated
from ...viewport.session import current_session
from ..settings.profile_settings import NO_PROFILE, profile_settings
from ..widgets.level_icons import level_icon
from ..widgets.sidebar import SidebarPanel

WORDS = {
    Level.SAME: Message("Same"),
    Level.GOOD: Message("Good"),
    Level.LOOK: Message("Needs a Look"),
    Level.FAIL: Message("Fails"),
}


class SKINSCOPE_PT_profile(SidebarPanel, bpy.types.Panel):
    """How characters will deform in an engine"""

    bl_label = "Engine Profile"

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        scene = context.scene
        settings = profile_settings(scene)
        results = current_session().checks.results
        column = layout.column()
        column.use_property_split = True
        column.use_property_decorate = False
        column.prop(settings, "second")
        column.prop(settings, "scanned")
        if settings.scanned == "CLIP":
            column.prop(settings, "clip")
        report = _report(context)
        second = results.of(scene.session_uid, settings.second) if settings.second != NO_PROFILE else None
        if report is not None and second is not None:
            _draw_side_by_side(layout, (report, second))


def _report(context: bpy.types.Context) -> ProfileReport | None:
    scene = context.scene
    return current_session().checks.results.of(scene.session_uid, profile_settings(scene).profile)


def _draw_side_by_side(layout: bpy.types.UILayout, reports: Iterable[ProfileReport]) -> None:
    row = layout.row()
    for one in reports:
        box = row.box().column(align=True)
        box.label(text=one.profile.label, translate=False)
        level, mesh = one.level, one.worst_mesh
        if level is not None and mesh is not None:
            box.label(text=translated(WORDS[level]), icon=level_icon(one.level), translate=False)
            box.label(text=translated(format_length(mesh.worst.max)), translate=False)
