"""Making a game-ready copy: the cure beside the findings, with progress, which Esc ends."""

from __future__ import annotations

from contextlib import closing
from typing import ClassVar

import bpy

from ...core.profiles.profile import Profile
from ...core.text.message import Message
from ...measurement.profiles.game_ready import GameReadyWork
from ...scene.objects.modifier_stack import armature_objects
from ...scene.refit.game_ready_copy import armature_of_copy
from ...viewport.choices.translation import translated, translated_report
from ...viewport.redraw import redraw_views
from ..preview.preview_operators import meshes_to_preview
from ..settings.profile_settings import profile_in_focus
from ..widgets.stepped_operator import StepProgress, Steps
from .check_operator import CheckOperator

WHICH = Message("Make an armature active, or a mesh that one deforms")


class SKINSCOPE_OT_game_ready_copy(CheckOperator, bpy.types.Operator):
    """Build the active character again beside the original as engines can play it: its deforming bones alone, without shear, with baked clips and as many influences as the engine takes"""  # noqa: E501 - a tooltip

    bl_idname = "skinscope.game_ready_copy"
    bl_label = "Make Game-Ready Copy"
    bl_options: ClassVar = {"REGISTER", "UNDO"}

    _work: GameReadyWork
    _profile: Profile

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not super().poll(context):
            return False
        if armature_to_copy(context) is None:
            cls.poll_message_set(translated(WHICH))
            return False
        return True

    def begin(self, context: bpy.types.Context) -> Steps | None:
        armature = armature_to_copy(context)
        if armature is None:
            self.report({"ERROR"}, translated_report(WHICH))
            return None
        self._profile = profile_in_focus(context.scene)
        self._work = GameReadyWork(context, armature, self._profile)
        return self._copied()

    def _copied(self) -> Steps:
        # Closed half-way, it closes the work's own steps, which remove what they made.
        with closing(self._work.steps()) as steps:
            for progress in steps:
                yield StepProgress(progress.text, progress.done, progress.total)

    def finish(self, context: bpy.types.Context) -> set[str]:
        result = self._work.result
        copy = armature_of_copy(bpy.data.collections[result.collection])
        for one in context.selected_objects:
            one.select_set(False)
        copy.select_set(True)
        context.view_layer.objects.active = copy
        redraw_views()
        self.report({"INFO"}, translated_report(result.sentence(self._profile)))
        return {"FINISHED"}


def armature_to_copy(context: bpy.types.Context) -> bpy.types.Object | None:
    """Return the active armature, or that of the active mesh; else that of meshes that previews start on."""
    active = context.active_object
    if active is not None and active.type == "ARMATURE":
        return active
    meshes = [active] if active is not None and active.type == "MESH" else []
    for one in (*meshes, *meshes_to_preview(context)):
        found = armature_objects(one)
        if found:
            return found[0]
    return None
