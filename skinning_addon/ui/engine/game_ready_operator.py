"""Making a game-ready copy: the cure beside the findings, with progress, which Esc ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from math import degrees
from typing import ClassVar

import bpy

from ...core.profiles.profile import Profile
from ...core.refit.kind import Kind
from ...core.text.errors import SkinscopeError
from ...core.text.message import Message
from ...measurement.profiles.game_ready import GameReadyCopy, GameReadyWork
from ...measurement.refit.fit_sentences import fit_sentence, missed
from ...measurement.refit.fitted_plan import fitted_plan
from ...measurement.refit.refit import Refit
from ...measurement.refit.refit_options import RefitOptions
from ...scene.clips.actions import GAME_READY
from ...scene.matrices import largest_scale, row_vectors
from ...scene.objects.modifier_stack import armature_objects
from ...scene.refit.game_ready_copy import armature_of_copy
from ...viewport.choices.copy_results import CopyResult
from ...viewport.choices.translation import translated, translated_report
from ...viewport.redraw import redraw_views
from ...viewport.session import current_session
from ..preview.preview_operators import meshes_to_preview
from ..settings.copy_options import (
    clip_bones_property,
    copy_kind_property,
    fit_weights_property,
    helper_bones_property,
    most_drift_property,
    most_turn_property,
    tolerance_property,
)
from ..settings.profile_settings import profile_in_focus
from ..widgets.stepped_operator import StepProgress, Steps
from .background_fit import SHARE, fitted
from .check_operator import CheckOperator
from .game_ready_preview import copies_beside, show_copy

WHICH = Message("Make an armature active, or a mesh that one deforms")


class SKINSCOPE_OT_game_ready_copy(CheckOperator, bpy.types.Operator):
    """Build the active character again beside the original as engines can play it: its deforming bones alone, without shear, with baked clips and as many influences as the engine takes"""  # noqa: E501 - a tooltip

    bl_idname = "skinscope.game_ready_copy"
    bl_label = "Make Game-Ready Copy"
    bl_options: ClassVar = {"REGISTER", "UNDO"}

    fit_weights: fit_weights_property(of_operator=True)
    helper_bones: helper_bones_property(of_operator=True)
    clip_bones: clip_bones_property(of_operator=True)
    tolerance: tolerance_property(of_operator=True)
    kind: copy_kind_property(of_operator=True)
    most_drift: most_drift_property(of_operator=True)
    most_turn: most_turn_property(of_operator=True)

    _original: str
    _work: GameReadyWork
    _profile: Profile
    _fit: Refit | None
    _unfitted: SkinscopeError | None

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not super().poll(context):
            return False
        armature = armature_to_copy(context)
        why_not = WHICH if armature is None else why_not_to_copy(armature)
        if why_not is not None:
            cls.poll_message_set(translated(why_not))
            return False
        return True

    def begin(self, context: bpy.types.Context) -> Steps | None:
        armature = armature_to_copy(context)
        if armature is None:
            self.report({"ERROR"}, translated_report(WHICH))
            return None
        self._original = armature.name
        self._profile = profile_in_focus(context.scene)
        self._work = GameReadyWork(context, armature, self._profile)
        self._fit = self._unfitted = None
        return self._copied(context, armature)

    def _copied(self, context: bpy.types.Context, armature: bpy.types.Object) -> Steps:
        start = 0
        if self.fit_weights:
            start = SHARE
            try:
                self._fit = yield from fitted(context, armature, self._options(armature))
            except SkinscopeError as error:
                # The largest weights need no other Blender, and suit characters that can't be fitted.
                self._unfitted = error
            else:
                self._work = GameReadyWork(context, armature, self._profile, plan=fitted_plan(self._fit))
        # Closed half-way, it closes the work's own steps, which remove what they made.
        with closing(self._work.steps()) as steps:
            for progress in steps:
                done = start + (100 - start) * progress.done // progress.total
                yield StepProgress(progress.text, done, 100)

    def _options(self, armature: bpy.types.Object) -> RefitOptions:
        """Return what is asked of the fit, lengths in the armature's unit."""
        scale = largest_scale(row_vectors(armature.matrix_world))
        return RefitOptions(
            helper_bones=self.helper_bones,
            kind=Kind[self.kind],
            tolerance=self.tolerance / scale,
            drift=self.most_drift / scale if self.most_drift else None,
            turn=degrees(self.most_turn),
            clip_bones=self.clip_bones,
        )

    def finish(self, context: bpy.types.Context) -> set[str]:
        result = self._work.result
        copy = armature_of_copy(bpy.data.collections[result.collection])
        for one in context.selected_objects:
            one.select_set(False)
        copy.select_set(True)
        context.view_layer.objects.active = copy
        redraw_views()
        kept = self._worth(copy, context.scene.unit_settings.scale_length)
        current_session().checks.keep_copy(context.scene, kept)
        others = copies_beside(context, kept)
        show_copy(kept, others, context.view_layer)
        if kept.unfitted is not None:
            self.report({"WARNING"}, translated_report(kept.unfitted))
        for one in (*kept.missed, kept.fit, result.left):
            if one is not None:
                self.report({"INFO"}, translated_report(one))
        self.report({"INFO"}, translated_report(_hidden(self._original, others=bool(others))))
        self.report({"INFO"}, translated_report(result.sentence(self._profile)))
        return {"FINISHED"}

    def _worth(self, copy: bpy.types.Object, metres: float) -> CopyResult:
        """Say what the copy is worth. metres: of the scene's unit."""
        result, profile = self._work.result, self._profile
        if self._unfitted is not None:
            why = Message(
                "Weights are not fitted, and the copy keeps the largest: {reason}",
                reason=self._unfitted.args[0],
            )
            return CopyResult.of(result, profile, unfitted=why, missed=tuple(_noted(result, copy)))
        if self._fit is None:
            return CopyResult.of(result, profile, missed=tuple(_noted(result, copy)))
        scale = metres * largest_scale(row_vectors(copy.matrix_world))
        left = (*_noted(result, copy), *missed(self._fit, profile, scale))
        return CopyResult.of(result, profile, fit_sentence(self._fit, scale), missed=left)


def armature_to_copy(context: bpy.types.Context) -> bpy.types.Object | None:
    """Return the active armature, or that of the active mesh; else that of meshes that previews start on."""
    # Hidden beside a former copy, it is not in the context of a 3D view.
    active = context.view_layer.objects.active
    if active is not None and active.type == "ARMATURE":
        return active
    meshes = [active] if active is not None and active.type == "MESH" else []
    for one in (*meshes, *meshes_to_preview(context)):
        found = armature_objects(one)
        if found:
            return found[0]
    return None


def why_not_to_copy(armature: bpy.types.Object) -> Message | None:
    """Say why no copy can be made of an armature, None if one can."""
    if GAME_READY not in armature:
        return None
    return Message("'{armature}' is a game-ready copy; make its original active", armature=armature.name)


def _noted(result: GameReadyCopy, copy: bpy.types.Object) -> Iterator[Message]:
    """Say what else is to be known of a copy. copy: its armature."""
    if result.uncounted is not None:
        yield result.uncounted
    if result.plan.plan.clips and copy.animation_data and copy.animation_data.action is None:
        yield Message(
            "Nothing plays on the copy; choose one of its clips in the Action Editor, or unmute a track"
        )


def _hidden(original: str, *, others: bool) -> Message:
    """Say what was hidden. others: whether former copies were as well."""
    if others:
        return Message(
            "'{original}' and its former copies are hidden, as the copy is at the same place; their eyes in "
            "the Outliner show them again",
            original=original,
        )
    return Message(
        "'{original}' is hidden, as its copy is at the same place; its eye in the Outliner shows it again",
        original=original,
    )
