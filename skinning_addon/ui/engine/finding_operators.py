"""From a finding to its vertices, its heat map and its worst frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import bpy
import numpy as np

from ...core.profiles.aspects import aspects_of
from ...core.text.errors import SkinscopeError, UsageError
from ...core.text.message import Message
from ...core.verdicts.finding import Finding
from ...core.verdicts.rule_page import page_name, page_uri
from ...scene.clips.clip_viewing import show_clip
from ...scene.clips.playback import ScenePlayback
from ...scene.clips.range_of_motion import RangeOfMotion, pose_turn, range_of_motion
from ...scene.editing.vertex_selection import (
    check_vertices_are_its_own,
    enter_edit_mode,
    select_objects,
    select_vertices,
)
from ...scene.object_data import mesh_of
from ...scene.objects.modifier_stack import armature_objects
from ...viewport.choices.translation import translated, translated_report
from ...viewport.redraw import redraw_views
from ...viewport.session import current_session
from ..manual_map import address_of
from ..settings.profile_settings import finding_rows, profile_settings, shown_alone, told_profile
from ..settings.properties import scene_settings
from .checked_objects import checked_object, checked_object_in

JUMP = "Jump to Worst Frame"
"""The operators' name, and that of their steps in Edit > Undo History."""

NO_FINDING = Message("Check the scene first, then choose a finding")
OBJECT_GONE = Message("The mesh of this finding no longer exists; check the scene again")
INSTANCED = Message(
    "The mesh of this finding is only instanced in this scene; make the instance real, or open the file or "
    "scene that it is in"
)


def finding_in_focus(context: bpy.types.Context) -> Finding | None:
    """Return the finding that is active in the list."""
    scene = context.scene
    rows = finding_rows(context)
    if not 0 <= rows.active < len(rows.rows):
        return None
    return current_session().checks.results.finding(
        scene.session_uid, profile_settings(scene).profile, rows.rows[rows.active].number
    )


def problem_of_mesh(scene: bpy.types.Scene, mesh: str) -> str:
    """Say why a finding's mesh can't be worked on in a scene; empty if it can. mesh: its identity."""
    if checked_object_in(scene, mesh) is not None:
        return ""
    return OBJECT_GONE if checked_object(scene, mesh) is None else INSTANCED


def named_object(scene: bpy.types.Scene, finding: Finding) -> bpy.types.Object:
    """Return the object that a finding is about.

    Raises:
        UsageError: it is gone.
    """
    found = checked_object(scene, finding.object)
    if found is None:
        raise UsageError(OBJECT_GONE)
    return found


class OnFinding:
    """Operators about the active finding: `run` does the work, and raises SkinscopeError for errors to
    report.
    """

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        finding = finding_in_focus(context)
        if finding is None:
            problem = NO_FINDING
        else:
            problem = problem_of_mesh(context.scene, finding.object) or cls.unfit(finding, context)
        if problem:
            cls.poll_message_set(translated(problem))  # pyright: ignore[reportAttributeAccessIssue]
        return not problem

    if TYPE_CHECKING:

        @classmethod
        def unfit(cls, _finding: Finding, _context: bpy.types.Context) -> str:
            """Say why the operator doesn't apply to a finding whose object exists; empty if it does."""
            ...

        def run(self, _context: bpy.types.Context, _finding: Finding) -> None: ...

    def execute(self, context: bpy.types.Context) -> set[str]:
        finding = finding_in_focus(context)
        if finding is None:
            return {"CANCELLED"}
        try:
            self.run(context, finding)
        except SkinscopeError as error:
            self.report({"ERROR"}, translated_report(error.args[0]))  # pyright: ignore[reportAttributeAccessIssue]
            return {"CANCELLED"}
        return {"FINISHED"}


class SKINSCOPE_OT_finding_select(OnFinding, bpy.types.Operator):
    """Select the vertices of the finding in Edit Mode"""

    bl_idname = "skinscope.finding_select"
    bl_label = "Select Vertices of Finding"
    bl_options: ClassVar = {"REGISTER", "UNDO"}

    @classmethod
    def unfit(cls, finding: Finding, context: bpy.types.Context) -> str:
        if not finding.vertices:
            return Message("This finding has no vertices to select")
        mesh_object = checked_object(context.scene, finding.object)
        if mesh_object is None:
            return OBJECT_GONE
        if mesh_object.library or mesh_of(mesh_object).library:
            return Message("Make the mesh local: linked meshes can't be edited")
        return ""

    def run(self, context: bpy.types.Context, finding: Finding) -> None:
        mesh_object = named_object(context.scene, finding)
        if max(finding.vertices) >= len(mesh_of(mesh_object).vertices):
            check_vertices_are_its_own(mesh_object, max(finding.vertices) + 1)
        if not mesh_object.visible_get():
            raise UsageError("'{mesh}' is hidden; show it to select its vertices.", mesh=mesh_object.name)
        if context.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        select_objects(context, [mesh_object], mesh_object)
        enter_edit_mode(context)
        chosen = np.zeros(len(mesh_of(mesh_object).vertices), dtype=np.bool_)
        chosen[list(finding.vertices)] = True
        count = select_vertices([(mesh_object, chosen)])
        told = (
            Message("A vertex of '{mesh}' is selected", mesh=mesh_object.name)
            if count == 1
            else Message("{count:,} vertices of '{mesh}' are selected", count=count, mesh=mesh_object.name)
        )
        self.report({"INFO"}, translated_report(told))


class SKINSCOPE_OT_finding_show(OnFinding, bpy.types.Operator):
    """Preview the effect of this cause alone as a heat map, or go back to the whole profile"""

    bl_idname = "skinscope.finding_show"
    bl_label = "Show Alone"
    bl_options: ClassVar = {"REGISTER", "UNDO"}

    @classmethod
    def unfit(cls, finding: Finding, context: bpy.types.Context) -> str:
        profile = told_profile(profile_settings(context.scene), finding.profile)
        if not finding.profile or isinstance(profile, SkinscopeError):
            return Message("This finding does not move vertices by itself")
        if not any(one.rule == finding.rule for one in aspects_of(profile)):
            return Message("This finding does not move vertices by itself")
        return ""

    def run(self, context: bpy.types.Context, finding: Finding) -> None:
        session, profiles = current_session(), profile_settings(context.scene)
        profiles.alone = "" if shown_alone(context.scene) == finding.rule else finding.rule
        session.checks.results.with_alone.add(context.scene.session_uid)
        mesh_object = named_object(context.scene, finding)
        if session.preview_of(mesh_object) is None:
            session.start(mesh_object, context.evaluated_depsgraph_get())
        settings = scene_settings(context.scene)
        settings.display = "DEVIATION"
        settings.show_previews = True
        redraw_views()


class SKINSCOPE_OT_finding_jump(OnFinding, bpy.types.Operator):
    """Go to the frame where this finding is worst: assign its clip, or pose the armature if it is in a range of motion"""  # noqa: E501 - a tooltip

    bl_idname = "skinscope.finding_jump"
    bl_label = JUMP
    bl_options: ClassVar = {"REGISTER"}

    @classmethod
    def unfit(cls, finding: Finding, _context: bpy.types.Context) -> str:
        return "" if finding.frame is not None else Message("This finding is the same in every frame")

    def run(self, context: bpy.types.Context, finding: Finding) -> None:
        if finding.frame is not None:
            show_moment(context, finding.object, finding.clip or "", finding.frame)


class SKINSCOPE_OT_profile_jump(bpy.types.Operator):
    """Go to the frame with the largest deviation: assign its clip, or pose the armature if it is in a range of motion"""  # noqa: E501 - a tooltip

    bl_idname = "skinscope.profile_jump"
    bl_label = JUMP
    bl_options: ClassVar = {"REGISTER"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        report = current_session().checks.results.of(
            context.scene.session_uid, profile_settings(context.scene).profile
        )
        if report is not None and report.worst_mesh is not None:
            return True
        cls.poll_message_set(translated(Message("Check the scene first")))
        return False

    def execute(self, context: bpy.types.Context) -> set[str]:
        report = current_session().checks.results.of(
            context.scene.session_uid, profile_settings(context.scene).profile
        )
        if report is None or report.worst_mesh is None:
            return {"CANCELLED"}
        try:
            mesh = report.worst_mesh
            show_moment(context, mesh.mesh, mesh.worst.clip, mesh.worst.frame)
        except SkinscopeError as error:
            self.report({"ERROR"}, translated_report(error.args[0]))
            return {"CANCELLED"}
        return {"FINISHED"}


class SKINSCOPE_OT_finding_page(bpy.types.Operator):
    """Open the page about this kind of finding: what it means, what to do, and how to accept it"""

    bl_idname = "skinscope.finding_page"
    bl_label = "About This Finding"
    bl_options: ClassVar = {"INTERNAL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        finding = finding_in_focus(context)
        if finding is not None and page_uri(finding.rule):
            return True
        cls.poll_message_set(translated(NO_FINDING))
        return False

    def execute(self, context: bpy.types.Context) -> set[str]:
        finding = finding_in_focus(context)
        if finding is None or not page_uri(finding.rule):
            return {"CANCELLED"}
        bpy.ops.wm.url_open(url=address_of(f"rules/{page_name(finding.rule)}"))
        return {"FINISHED"}


def show_moment(context: bpy.types.Context, mesh: str, clip: str, frame: float) -> None:
    """Show a moment of a scan in the user's scene: set the frame, first assigning the clip to the mesh's
    armatures, or posing them, if needed. Those are a step of undo; a mere change of the frame is none, and undo
    leaves the scene there.

    Raises:
        UsageError: the clip is gone. ClipError: the armature can't be posed that way any more.
    """
    scene = context.scene
    shown = checked_object_in(scene, mesh)
    armatures = armature_objects(shown) if shown is not None else ()
    if clip == RangeOfMotion.name:
        for armature in armatures:
            turns = range_of_motion(armature).turns
            if round(frame) <= len(turns):
                pose_turn(armature, turns[round(frame) - 1])
        bpy.ops.ed.undo_push(message=JUMP)
        return
    if clip == ScenePlayback.name:
        scene.frame_set(int(frame // 1), subframe=frame % 1)
        current_session().jumped_to = (scene.session_uid, scene.frame_current_final)
        return
    show_clip(scene, clip, armatures)
    scene.frame_set(int(frame // 1), subframe=frame % 1)
    bpy.ops.ed.undo_push(message=JUMP)
