"""Previews of a game-ready copy and its original: how both deform in the engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import bpy
from bpy.props import EnumProperty

from ...core.text.message import Message
from ...scene.identification import find_object
from ...scene.refit.game_ready_copy import meshes_of_copy
from ...viewport.choices.copy_results import CopyResult
from ...viewport.choices.translation import translated
from ...viewport.session import current_session
from ..preview.preview_operators import StartsPreviews
from ..preview.preview_start import PreviewStart
from ..widgets.stepped_operator import Steps

ORIGINAL, COPY = "ORIGINAL", "COPY"

NO_COPY = Message("Make a game-ready copy first")


class SKINSCOPE_OT_game_ready_preview(StartsPreviews, bpy.types.Operator):
    """Preview the original or its game-ready copy in the engine; if it is previewed, stop that"""

    bl_idname = "skinscope.game_ready_preview"
    bl_label = "Preview Game-Ready Copy"
    bl_options: ClassVar = {"REGISTER"}
    poll_message_set: ClassVar[Callable[[str], None]]

    which: EnumProperty(
        name="Which",
        description="Which of the two to preview",
        items=[
            (ORIGINAL, "Original", "The character as it was authored"),
            (COPY, "Copy", "Its game-ready copy"),
        ],
        default=COPY,
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if current_session().checks.copies.of(context.scene.session_uid) is not None:
            return True
        cls.poll_message_set(translated(NO_COPY))
        return False

    def execute(self, context: bpy.types.Context) -> set[str]:
        return self._stopped(context) or super().execute(context)

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        return self._stopped(context) or super().invoke(context, event)

    def begin(self, context: bpy.types.Context) -> Steps | None:
        self._start = PreviewStart(current_session(), self._meshes(context))
        return self._bound()

    def _meshes(self, context: bpy.types.Context) -> list[bpy.types.Object]:
        result = current_session().checks.copies.of(context.scene.session_uid)
        return [] if result is None else meshes_shown(result, self.which)

    def _stopped(self, context: bpy.types.Context) -> set[str] | None:
        uids = previewed(self._meshes(context))
        if not uids:
            return None
        current_session().stop(uids)
        return {"FINISHED"}


def meshes_shown(result: CopyResult, which: str) -> list[bpy.types.Object]:
    """List the meshes of the original or of the copy; those that are gone are left out."""
    if which == COPY:
        return meshes_of_copy(result.collection) if result.collection is not None else []
    return [found for one in result.copy.meshes if (found := find_object(one)) is not None]


def previewed(meshes: list[bpy.types.Object]) -> tuple[int, ...]:
    """Return the session_uids of those that are previewed."""
    session = current_session()
    return tuple(one.session_uid for one in meshes if session.preview_of(one) is not None)
