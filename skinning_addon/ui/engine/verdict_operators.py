"""The buttons beside a verdict: fixing its cause, and seeing what it relies on."""

from __future__ import annotations

from typing import ClassVar

import bpy
from bpy.props import IntProperty

from ...core.text.message import Message
from ...core.verdicts.finding import Finding, Severity
from ...core.verdicts.rules import rule_of
from ...core.verdicts.verdict import Level
from ...measurement.profiles.profile_report import ProfileReport
from ...viewport.choices.translation import translated
from ...viewport.overlay.check_words import standing_lines
from ...viewport.session import current_session
from ..manual_map import address_of
from ..settings.fix_settings import fix_settings
from ..settings.profile_settings import choose_finding, profile_in_focus, profile_settings
from .checked_objects import checked_object_in
from .finding_operators import problem_of_mesh

OF_BLENDER = Message("Blender itself: what is shown is compared with Blender's own mesh")


class SKINSCOPE_OT_verdict_fix(bpy.types.Operator):
    """Fix the largest cause of the verdict that can be fixed"""

    bl_idname = "skinscope.verdict_fix"
    bl_label = "Fix"
    bl_options: ClassVar = {"INTERNAL"}

    @classmethod
    def description(cls, context: bpy.types.Context, _properties: object) -> str:
        finding = finding_to_fix(context)
        if finding is None:
            return translated(Message("Fix the largest cause of the verdict that can be fixed"))
        return f"{translated(rule_of(finding.rule).name)}: {translated(finding.message)}"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        report = report_in_focus(context)
        if finding_to_fix(context) is not None:
            return True
        cls.poll_message_set(translated(_why_not_fixed(context.scene, report)))
        return False

    def execute(self, context: bpy.types.Context) -> set[str]:
        finding, report = finding_to_fix(context), report_in_focus(context)
        if finding is None or report is None:
            return {"CANCELLED"}
        choose_finding(context, report.findings.index(finding))
        group, name = rule_of(finding.rule).operator.split(".")
        return getattr(getattr(bpy.ops, group), name)("EXEC_DEFAULT", True)


class SKINSCOPE_OT_profile_evidence(bpy.types.Operator):
    """What the prediction for this engine was compared with"""

    bl_idname = "skinscope.profile_evidence"
    bl_label = "Evidence"
    bl_options: ClassVar = {"INTERNAL"}

    @classmethod
    def description(cls, context: bpy.types.Context, _properties: object) -> str:
        profile = profile_in_focus(context.scene)
        if profile.is_blender:
            return translated(OF_BLENDER)
        lines = [translated(one) for one in standing_lines(profile.verified)]
        return "\n".join([f"{profile.label}:", *lines])

    def execute(self, _context: bpy.types.Context) -> set[str]:
        bpy.ops.wm.url_open(url=address_of("user-guide.md#engine-profiles"))
        return {"FINISHED"}


class SKINSCOPE_OT_fix_accept(bpy.types.Operator):
    """Take the mesh's shape as it is now for the authored one, and stop saying how far fixes have moved it"""

    bl_idname = "skinscope.fix_accept"
    bl_label = "Accept Shape"
    bl_options: ClassVar = {"REGISTER", "UNDO", "INTERNAL"}

    uid: IntProperty(name="Mesh", description="The mesh object's session_uid", options={"HIDDEN"})

    def execute(self, _context: bpy.types.Context) -> set[str]:
        mesh_object = current_session().objects.find(self.uid)
        if mesh_object is None:
            return {"CANCELLED"}
        fix_settings(mesh_object).forget()
        return {"FINISHED"}


def _why_not_fixed(scene: bpy.types.Scene, report: ProfileReport | None) -> str:
    """Say why nothing in a report can be fixed by an operator."""
    mesh = report.worst_mesh if report is not None else None
    if report is None or mesh is None:
        return Message("Check the scene first")
    gone = problem_of_mesh(scene, mesh.mesh)
    if gone:
        return gone
    cause = report.cause
    if cause is not None and cause.fix:
        return cause.fix
    if mesh.worst.level is Level.SAME:
        return Message("Nothing to fix: what was checked deforms as in Blender")
    if cause is not None:
        name = Message(rule_of(cause.rule).name)
        return Message("No button fixes '{cause}', the largest cause; Findings says more", cause=name)
    return Message("Nothing was found that could be fixed here")


def report_in_focus(context: bpy.types.Context) -> ProfileReport | None:
    """Return the report under the chosen engine, None if the scene was not checked for it."""
    scene = context.scene
    return current_session().checks.results.of(scene.session_uid, profile_settings(scene).profile)


def finding_to_fix(context: bpy.types.Context) -> Finding | None:
    """Return the largest cause of the verdict that an operator can fix: the one that the verdict names, else
    the next of the same mesh.
    """
    report = report_in_focus(context)
    mesh = report.worst_mesh if report is not None else None
    if report is None or mesh is None or checked_object_in(context.scene, mesh.mesh) is None:
        return None
    cause = report.cause
    candidates = [cause] if cause is not None else []
    candidates += [
        one for one in report.findings if one.object == mesh.mesh and one.severity is not Severity.INFO
    ]
    return next((one for one in candidates if rule_of(one.rule).operator), None)
