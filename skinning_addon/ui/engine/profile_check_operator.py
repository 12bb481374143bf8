"""Checking rigs under engine profiles: a scan with progress, which Esc ends."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from typing import ClassVar

import bpy

from ...core.profiles.profile import Profile
from ...core.text.errors import ProfileError, UsageError
from ...core.text.message import Message
from ...measurement.profiles.cures import with_cures
from ...measurement.profiles.profile_report import ProfileReport, profile_sentence
from ...measurement.profiles.profile_scan import ProfileScan
from ...scene.clips.clips import find_clips
from ...scene.clips.playback import ScenePlayback
from ...scene.clips.range_of_motion import range_of_motion
from ...scene.objects.deformed_meshes import deformed_meshes
from ...scene.objects.instanced_meshes import instanced_meshes
from ...scene.objects.modifier_stack import armature_objects
from ...scene.staging.clip_staging import Scanned
from ...viewport.choices.profile_library import reload_profiles
from ...viewport.choices.translation import translated_report
from ...viewport.redraw import redraw_timelines, redraw_views
from ...viewport.session import current_session
from ..preview.preview_operators import meshes_to_preview
from ..settings.profile_settings import NO_PROFILE, fill_rows, profile_settings, told_profile
from ..widgets.stepped_operator import StepProgress, Steps
from .check_operator import CheckOperator

WHAT_TO_CHECK = Message("Select a mesh with an armature, or add one to the scene")


class SKINSCOPE_OT_profile_check(CheckOperator, bpy.types.Operator):
    """Play copies of the selected characters, or of all characters, and report how they deform in the chosen engines"""  # noqa: E501 - a tooltip

    bl_idname = "skinscope.profile_check"
    bl_label = "Check"
    bl_options: ClassVar = {"REGISTER"}

    _scan: ProfileScan
    _frame: float
    _reports: tuple[ProfileReport, ...]

    def begin(self, context: bpy.types.Context) -> Steps | None:
        reload_profiles()
        meshes = meshes_to_check(context)
        if not meshes:
            self.report({"ERROR"}, translated_report(WHAT_TO_CHECK))
            return None
        playbacks = chosen_playbacks(context.scene, meshes)
        profiles = chosen_profiles(context.scene)
        self._frame = context.scene.frame_current_final
        self._scan = ProfileScan(
            context.scene, context.evaluated_depsgraph_get(), meshes, profiles, playbacks
        )
        return self._scanned(playbacks)

    def _scanned(self, playbacks: Sequence[Scanned]) -> Steps:
        # Closed half-way, it closes the scan's own steps, which remove their copies.
        with closing(self._scan.steps()) as steps:
            for progress in steps:
                done, total = progress.done, progress.total
                says = Message("Checking frame {done} of {total}. Esc to cancel", done=done, total=total)
                yield StepProgress(says, done, total)
        yield StepProgress(Message("Estimating what a game-ready copy would leave. Esc to cancel"), 1, 1)
        scene = bpy.context.scene
        self._reports = tuple(with_cures(scene, one, playbacks) for one in self._scan.reports)

    def finish(self, context: bpy.types.Context) -> set[str]:
        session = current_session()
        reports = self._reports
        scene_uid = context.scene.session_uid
        session.checks.results.keep(scene_uid, reports, self._frame)
        meshes = {one.uid: session.objects.find(one.uid) for report in reports for one in report.meshes}
        rigs = session.checks.rigs.as_they_are(
            context.evaluated_depsgraph_get(),
            [one for one in meshes.values() if one is not None],
            {clip for report in reports for clip in report.frames},
        )
        session.checks.rigs.remember(
            session.checks.results, [(scene_uid, one.profile.id) for one in reports], rigs
        )
        fill_rows(context)
        redraw_views()
        redraw_timelines()
        for message in dict.fromkeys(one for report in reports for one in report.refused):
            self.report({"WARNING"}, translated_report(message))
        for report in reports:
            self.report({"INFO"}, translated_report(profile_sentence(report)))
        return {"FINISHED"}


def meshes_to_check(context: bpy.types.Context) -> list[bpy.types.Object]:
    """List the meshes that are selected, or that the active armature deforms; if there are none, all in the
    scene.

    Characters that the scene only instances count, as one that was dropped from the asset browser.
    """
    deformed = deformed_meshes(context.scene)
    instanced = dict.fromkeys(
        mesh
        for one in context.scene.objects
        for mesh in instanced_meshes(one)
        if armature_objects(mesh) and mesh not in deformed
    )
    every = [*deformed, *instanced]
    chosen = set(meshes_to_preview(context))
    return [one for one in every if one in chosen] or every


def chosen_profiles(scene: bpy.types.Scene) -> list[Profile]:
    """Return the profile that a scene is checked for, and the second one if set.

    Raises:
        ProfileError: a profile's file is wrong or missing.
    """
    settings = profile_settings(scene)
    names = dict.fromkeys(one for one in (settings.profile, settings.second) if one not in {"", NO_PROFILE})
    profiles = [told_profile(settings, name) for name in names]
    for one in profiles:
        if isinstance(one, ProfileError):
            raise one
    return [one for one in profiles if isinstance(one, Profile)]


def chosen_playbacks(scene: bpy.types.Scene, meshes: list[bpy.types.Object]) -> list[Scanned]:
    """Return what a check plays.

    Raises:
        UsageError: the clip doesn't exist, or there are none at all.
        ClipError: an armature has nothing that can be rotated.
    """
    settings = profile_settings(scene)
    armatures = list(dict.fromkeys(armature for one in meshes for armature in armature_objects(one)))
    match settings.scanned:
        case "CLIP":
            if not settings.clip:
                raise UsageError("Choose a clip to check.")
            return list(find_clips(scene, [settings.clip], armatures))
        case "CLIPS":
            return list(find_clips(scene, ["all"], armatures))
        case "MOTION":
            return [range_of_motion(one) for one in armatures]
        case _:
            end = max(scene.frame_start, scene.frame_end)
            return [ScenePlayback(scene.frame_start, end)]
