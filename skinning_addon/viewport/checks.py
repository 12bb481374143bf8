"""What checks under engine profiles and of exports have found in this session, and whether it is still so."""

from __future__ import annotations

import time

import bpy

from ..core.verdicts.marked_frames import MarkedFrames
from ..scene.clips.clip_viewing import clips_in_timeline
from ..scene.clips.clips import list_clips
from ..scene.clips.playback import ScenePlayback
from ..scene.objects.deformed_meshes import deformed_meshes
from ..scene.objects.modifier_stack import armature_objects
from .checked_rigs import SECONDS_TO_WAIT, CheckedRig, CheckedRigs
from .choices.copy_records import saved_results, write_record
from .choices.copy_results import CopyResult, CopyResults
from .choices.export_results import ExportResults, ExportVerdict
from .choices.profile_results import Check, ProfileResults
from .objects.object_lookup import ObjectLookup
from .redraw import Later, redraw_timelines, redraw_views


class Checks:
    """The checks of all scenes.

    results: what those under profiles found; exports: of exported files. copies: game-ready ones that were
    made. rigs: as they were then.
    compare_later: calls back to compare the rigs with what they are now. watch_later: to watch what was saved.
    """

    def __init__(self, objects: ObjectLookup) -> None:
        self._objects = objects
        self.results = ProfileResults()
        self.exports = ExportResults()
        self.copies = CopyResults(saved_results)
        self.rigs = CheckedRigs(objects)
        self.compare_later = Later(self.compare)
        self.watch_later = Later(self.watch_saved_copies)

    def marked_frames(self, check: Check) -> list[MarkedFrames]:
        """Return the deviating frames of what a check played and the timeline shows now."""
        shown = {ScenePlayback.name}
        for one in check.report.meshes:
            mesh_object = self._objects.find(one.uid)
            for armature in armature_objects(mesh_object) if mesh_object is not None else ():
                shown |= clips_in_timeline(armature)
        return [one for clip, marked in check.report.marked.items() if clip in shown for one in marked]

    def exported_rigs(self, scene: bpy.types.Scene) -> tuple[CheckedRig, ...]:
        """Summarize the rigs of a scene that is about to be exported, with all its clips."""
        armatures = [one for one in scene.objects if one.type == "ARMATURE"]
        clips = {ScenePlayback.name, *(one.name for one in list_clips(scene, armatures))}
        return self.rigs.as_they_are(bpy.context.evaluated_depsgraph_get(), deformed_meshes(scene), clips)

    def keep_export(self, scene_uid: int, verdict: ExportVerdict, rigs: tuple[CheckedRig, ...]) -> None:
        """Keep a verdict about a scene's export. rigs: `exported_rigs` when the scene was exported."""
        self.exports.keep(scene_uid, verdict)
        self.rigs.remember(self.exports, [self.exports.key(scene_uid)], rigs)

    def keep_copy(self, scene: bpy.types.Scene, result: CopyResult) -> None:
        """Keep what a copy is worth that has just been made, here and with the copy."""
        self.copies.keep(scene.session_uid, result)
        write_record(result)
        self._watch(scene, result)

    def write_down_copies(self) -> None:
        """Update the record of every copy. Called before the file is saved."""
        for scene in bpy.data.scenes:
            for one in self.copies.there(scene.session_uid):
                write_record(one)

    def watch_saved_copies(self) -> None:
        """Watch whether copies that were saved with the file change from now on. Called by a timer."""
        scene = bpy.context.scene
        copies = self.copies.there(scene.session_uid)
        if copies and not self.rigs.keys_are_read():
            self.watch_later.at(time.perf_counter())
            return
        for one in copies:
            if not one.outdated:
                self._watch(scene, one)

    def _watch(self, scene: bpy.types.Scene, result: CopyResult) -> None:
        find = self._objects.find
        armatures = [one for one in map(find, result.blocks.armatures) if one is not None]
        meshes = [one for pair in result.blocks.meshes for one in map(find, pair) if one is not None]
        clips = {one.name for one in list_clips(scene, armatures)} or {ScenePlayback.name}
        rigs = self.rigs.as_they_are(bpy.context.evaluated_depsgraph_get(), meshes, clips)
        self.rigs.remember(self.copies, [self.copies.key(scene.session_uid, result)], rigs)

    def notice_changes(self) -> None:
        """Have the rigs compared soon if they may have changed. Called while drawing."""
        if self.rigs.due:
            self.compare_later.at(time.perf_counter() + SECONDS_TO_WAIT)

    def compare(self) -> None:
        """Find out whether verdicts are old. Called by a timer."""
        context = bpy.context
        if context.view_layer is not None and self.rigs.compare(
            context.scene, context.evaluated_depsgraph_get()
        ):
            redraw_views()
            redraw_timelines()
        if self.rigs.due and context.view_layer is not None:
            # There are more keys to read than one turn has time for.
            self.compare_later.at(time.perf_counter())

    def clear(self) -> None:
        """Forget everything: another file was loaded."""
        self.results.clear()
        self.exports.clear()
        self.copies.clear()
        self.rigs.clear()

    def close(self) -> None:
        """Wait for no comparison any longer: the extension is being disabled."""
        self.compare_later.cancel()
        self.watch_later.cancel()
