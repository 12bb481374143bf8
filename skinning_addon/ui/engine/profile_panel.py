"""The sidebar's panel for engines: which one, what a check found, and what to do about it."""

from __future__ import annotations

import bpy

from ...core.profiles.profile import Profile
from ...core.text.length import format_length
from ...core.text.message import Message
from ...core.verdicts.rules import rule_of
from ...core.verdicts.verdict import Level
from ...measurement.profiles.profile_report import ProfileReport, profile_sentence
from ...viewport.choices.translation import translated
from ...viewport.session import current_session
from ..settings.profile_settings import NO_PROFILE, profile_problem, profile_settings, shown_alone
from ..widgets.level_icons import level_icon
from ..widgets.sidebar import SidebarPanel
from ..widgets.wrapped_label import wrapped_label
from .finding_operators import SKINSCOPE_OT_profile_jump
from .profile_check_operator import SKINSCOPE_OT_profile_check

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
        alone = shown_alone(scene)
        if alone:
            name = translated(rule_of(alone).name)
            wrapped_label(
                layout, context, Message("The preview shows '{cause}' alone", cause=name), "HIDE_OFF"
            )
        if report is None:
            return
        second = results.of(scene.session_uid, settings.second) if settings.second != NO_PROFILE else None
        _draw_verdicts(layout, context, report, second)
        if results.outdated:
            wrapped_label(layout, context, Message("Changed since the check; check again"), "FILE_REFRESH")


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
