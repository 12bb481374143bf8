"""What checks under engine profiles have found in this session, and whether it is still so."""

from __future__ import annotations

import time

import bpy

from ..core.verdicts.marked_frames import MarkedFrames
from ..scene.clips.clip_viewing import clips_in_timeline
from ..scene.clips.playback import ScenePlayback
from ..scene.objects.modifier_stack import armature_objects
from .checked_rigs import SECONDS_TO_WAIT, CheckedRigs
from .choices.profile_results import Check, ProfileResults
from .objects.object_lookup import ObjectLookup
from .redraw import Later, redraw_timelines, redraw_views


class Checks:
    """The checks of all scenes.

    results: what they found. rigs: as they were then. compare_later: calls back to compare the rigs with what
    they are now.
    """

    def __init__(self, objects: ObjectLookup) -> None:
        self._objects = objects
        self.results = ProfileResults()
        self.rigs = CheckedRigs(objects, self.results)
        self.compare_later = Later(self.compare)

    def marked_frames(self, check: Check) -> list[MarkedFrames]:
        """Return the deviating frames of what a check played and the timeline shows now."""
        shown = {ScenePlayback.name}
        for one in check.report.meshes:
            mesh_object = self._objects.find(one.uid)
            for armature in armature_objects(mesh_object) if mesh_object is not None else ():
                shown |= clips_in_timeline(armature)
        return [one for clip, marked in check.report.marked.items() if clip in shown for one in marked]

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

    def close(self) -> None:
        """Wait for no comparison any longer: the extension is being disabled."""
        self.compare_later.cancel()
