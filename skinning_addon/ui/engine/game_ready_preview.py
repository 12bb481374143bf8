"""Previews of a game-ready copy and its original: how both deform in the engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar

import bpy
from bpy.props import EnumProperty

from ...core.text.message import Message
from ...scene.identification import find_object
from ...viewport.choices.copy_results import CopyResult
from ...viewport.choices.translation import translated
from ...viewport.objects.eyes import hide, show
from ...viewport.session import current_session
from ..preview.preview_operators import StartsPreviews
from ..preview.preview_start import PreviewStart
from ..widgets.stepped_operator import Steps

ORIGINAL, COPY = "ORIGINAL", "COPY"

NO_COPY = Message("Make a game-ready copy first")


class SKINSCOPE_OT_game_ready_preview(StartsPreviews, bpy.types.Operator):
    """Preview the original or its game-ready copy in the engine, compared with the original as Blender deforms it, and hide the other one; if it is previewed, stop that"""  # noqa: E501 - a tooltip

    bl_idname = "skinscope.game_ready_preview"
    bl_label = "Preview Game-Ready Copy"
    bl_options: ClassVar = {"REGISTER", "UNDO"}
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
        result = current_session().checks.copies.of(context.scene.session_uid)
        if result is None:
            return None
        session = current_session()
        session.stop(previewed(meshes_shown(result, ORIGINAL if self.which == COPY else COPY)))
        if self.which == COPY:
            show_copy(result, context.view_layer)
            pairs = list(copied_meshes(result))
            # What is hidden, Blender doesn't deform.
            show((original for original, _ in pairs if original is not None), context.view_layer)
            originals, copies = [one for one, _ in pairs], [one for _, one in pairs]
            self._start = PreviewStart(session, copies, originals)
        else:
            show_original(result, context.view_layer)
            self._start = PreviewStart(session, meshes_shown(result, ORIGINAL))
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
        return [copy for _, copy in copied_meshes(result)]
    return [found for one in result.copy.meshes if (found := find_object(one)) is not None]


def copied_meshes(result: CopyResult) -> Iterator[tuple[bpy.types.Object | None, bpy.types.Object]]:
    """Yield the originals and their copies; an original that is gone is None, a copy that is gone left out."""
    for original, copy in zip(result.copy.meshes, result.copy.copies, strict=True):
        found = find_object(copy)
        if found is not None:
            yield find_object(original), found


def show_copy(result: CopyResult, view_layer: bpy.types.ViewLayer) -> None:
    """Show the copy, and hide the original: they would flicker at one place."""
    hide(_original_character(result), view_layer)
    show(result.collection.objects if result.collection is not None else (), view_layer)


def show_original(result: CopyResult, view_layer: bpy.types.ViewLayer) -> None:
    """Show the original, and hide the copy."""
    hide(result.collection.objects if result.collection is not None else (), view_layer)
    show(_original_character(result), view_layer)


def _original_character(result: CopyResult) -> list[bpy.types.Object]:
    names = (result.copy.plan.plan.armature, *result.copy.meshes)
    return [found for name in names if (found := find_object(name)) is not None]


def previewed(meshes: list[bpy.types.Object]) -> tuple[int, ...]:
    """Return the session_uids of those that are previewed."""
    session = current_session()
    return tuple(one.session_uid for one in meshes if session.preview_of(one) is not None)
