"""Starting and stopping previews."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import ClassVar

import bpy
import numpy as np
from bpy.props import IntProperty
from mathutils import Vector

from ...core.text.message import Message
from ...core.text.round_number import nearest_round_number
from ...core.verdicts.verdict import HEIGHT_OF_THRESHOLDS
from ...scene.objects.modifier_stack import armature_objects
from ...viewport.choices.preferences import read_preferences
from ...viewport.choices.translation import translated, translated_report, translated_tip
from ...viewport.session import current_session
from ..settings.properties import AXES, VIEWER, scene_settings
from ..widgets.stepped_operator import SteppedOperator, StepProgress, Steps
from .new_scenes import adopt_preferences
from .preview_start import PreviewStart
from .what_to_preview import WHAT_TO_SELECT, may_be_previewed, meshes_moved_by, meshes_to_preview

ALL_PREVIEWS = 0
"""No object has this session_uid."""


class StartsPreviews(SteppedOperator):
    """Binds one mesh after the other."""

    cancelled = Message("Canceled; no preview was started")
    poll_message_set: ClassVar[Callable[[str], None]]
    _start: PreviewStart

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if may_be_previewed(context):
            return True
        cls.poll_message_set(translated(WHAT_TO_SELECT))
        return False

    def begin(self, context: bpy.types.Context) -> Steps | None:
        meshes = meshes_to_preview(context)
        if not meshes:
            problem = Message("No armature deforms the selection. {hint}", hint=WHAT_TO_SELECT)
            self.report({"ERROR"}, translated_report(problem))
            return None
        self._start = PreviewStart(current_session(), meshes)
        return self._bound()

    def _bound(self) -> Steps:
        start = self._start
        while start.done < start.count:
            # Fetched each time: this continues over several turns of the event loop.
            start.bind_next(bpy.context.evaluated_depsgraph_get())
            says = Message(
                "Binding '{mesh}', {number} of {count}. Esc to cancel",
                mesh=start.next_name,
                number=start.done + 1,
                count=start.count,
            )
            if start.done < start.count:
                yield StepProgress(says, start.done, start.count)

    def finish(self, context: bpy.types.Context) -> set[str]:
        started = self._start.finish()
        # Reporting an error would make the operator fail for its caller; with some meshes running it has not
        # failed.
        for message in self._start.refused:
            self.report({"WARNING"} if started else {"ERROR"}, translated_report(message))
        if not started:
            return {"CANCELLED"}
        adopt_preferences(context.scene)
        fit_settings(context.scene, started)
        settings = scene_settings(context.scene)
        if not settings.show_previews:
            # Users who start a preview want to see it. They hid them in a step of undo, so showing is one too.
            settings.show_previews = True
            bpy.ops.ed.undo_push(message="Show Previews")
        return {"FINISHED"}


class SKINSCOPE_OT_preview_start(StartsPreviews, bpy.types.Operator):
    """Skin the selected meshes, or all meshes of the active armature, as a game engine does, and draw the result in the 3D view"""  # noqa: E501 - a tooltip

    bl_idname = "skinscope.preview_start"
    bl_label = "Start Preview"
    bl_options: ClassVar = {"REGISTER"}


class SKINSCOPE_OT_preview_stop(bpy.types.Operator):
    """Stop drawing the skinned meshes"""

    bl_idname = "skinscope.preview_stop"
    bl_label = "Stop Preview"
    bl_options: ClassVar = {"REGISTER"}

    uid: IntProperty(
        name="Object",
        description="The session_uid of the object whose preview is stopped; all are where it is 0",
        default=ALL_PREVIEWS,
        options={"HIDDEN", "SKIP_SAVE"},
    )

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: bpy.types.OperatorProperties) -> str:
        if getattr(properties, "uid", ALL_PREVIEWS) == ALL_PREVIEWS:
            return ""
        return translated_tip(Message("Stop drawing this mesh alone"))

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        if current_session().previews:
            return True
        cls.poll_message_set(translated(Message("No preview is running")))
        return False

    def execute(self, _context: bpy.types.Context) -> set[str]:
        session = current_session()
        if self.uid == ALL_PREVIEWS:
            session.stop_all()
        else:
            session.stop((self.uid,))
        return {"FINISHED"}


class SKINSCOPE_OT_preview_toggle(StartsPreviews, bpy.types.Operator):
    """Start a preview of the selection, or stop all previews if any is on"""

    bl_idname = "skinscope.preview_toggle"
    bl_label = "Toggle Preview"
    bl_options: ClassVar = {"REGISTER"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return bool(current_session().previews) or super().poll(context)

    def execute(self, context: bpy.types.Context) -> set[str]:
        return _stop_all() if current_session().previews else super().execute(context)

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        return _stop_all() if current_session().previews else super().invoke(context, event)


def _stop_all() -> set[str]:
    current_session().stop_all()
    return {"FINISHED"}


def fit_settings(scene: bpy.types.Scene, meshes: Iterable[bpy.types.Object]) -> None:
    """Fit untouched settings to the size of the characters: a fox may be 80 units tall."""
    settings = scene_settings(scene)
    untouched = [
        name for name in ("distance", "threshold", "viewer_distance") if not settings.is_property_set(name)
    ]
    if not untouched:
        return
    armatures = dict.fromkeys(armature for one in meshes for armature in armature_objects(one))
    figures = {one for armature in armatures for one in meshes_moved_by(scene, armature)}.union(meshes)
    corners = np.array([one.matrix_world @ Vector(corner) for one in figures for corner in one.bound_box])
    size = corners.max(axis=0) - corners.min(axis=0)
    width, height = float(size @ AXES.get(settings.axis, AXES["X"])), float(size[2])
    if "distance" in untouched and width > 0:
        settings.distance = float(f"{1.25 * width:.2g}")
    if "threshold" in untouched and height > 0:
        settings.threshold = nearest_round_number(
            read_preferences().heat_scale.threshold * height / HEIGHT_OF_THRESHOLDS
        )
    if "viewer_distance" in untouched and height > 0:
        settings.viewer_distance = nearest_round_number(VIEWER.distance * height / HEIGHT_OF_THRESHOLDS)
