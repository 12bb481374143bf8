"""Previews of a game-ready copy and its original: how both deform in the engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import ClassVar

import bpy
from bpy.props import EnumProperty

from ...core.text.errors import BindingError
from ...core.text.message import Message
from ...viewport.character.authored import Authored
from ...viewport.choices.copy_results import CopyResult
from ...viewport.choices.translation import translated, translated_report
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
        if result_in_focus(context) is not None:
            return True
        cls.poll_message_set(translated(NO_COPY))
        return False

    def execute(self, context: bpy.types.Context) -> set[str]:
        return self._stopped(context) or super().execute(context)

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        return self._stopped(context) or super().invoke(context, event)

    def begin(self, context: bpy.types.Context) -> Steps | None:
        result = result_in_focus(context)
        if result is None:
            return None
        missing = _missing(result, self.which, context.view_layer)
        if missing is not None:
            self.report({"ERROR"}, translated_report(missing))
            return None
        session = current_session()
        others = copies_beside(context, result)
        session.stop(previewed(meshes_shown(result, ORIGINAL if self.which == COPY else COPY)))
        session.stop(previewed([mesh for one in others for mesh in meshes_shown(one, COPY)]))
        if self.which == COPY:
            show_copy(result, others, context.view_layer)
            # What is hidden, Blender doesn't deform.
            show(meshes_shown(result, ORIGINAL), context.view_layer)
            pairs = list(_copied_meshes(result))
            self._start = PreviewStart(session, [copy for copy, _ in pairs], [one for _, one in pairs])
        else:
            show_original(result, others, context.view_layer)
            self._start = PreviewStart(session, meshes_shown(result, ORIGINAL))
        return self._bound()

    def finish(self, context: bpy.types.Context) -> set[str]:
        ended = super().finish(context)
        result = result_in_focus(context)
        if self.which == COPY and result is not None and ended == {"FINISHED"}:
            depsgraph = context.evaluated_depsgraph_get()
            for _, authored in _copied_meshes(result):
                try:
                    authored.evaluated_in(depsgraph)
                except BindingError as error:
                    self.report({"WARNING"}, translated_report(error.args[0]))
        return ended

    def _meshes(self, context: bpy.types.Context) -> list[bpy.types.Object]:
        result = result_in_focus(context)
        return [] if result is None else meshes_shown(result, self.which)

    def _stopped(self, context: bpy.types.Context) -> set[str] | None:
        uids = previewed(self._meshes(context))
        if not uids:
            return None
        current_session().stop(uids)
        return {"FINISHED"}


def meshes_shown(result: CopyResult, which: str) -> list[bpy.types.Object]:
    """List the meshes of the original or of the copy; those that are gone are left out."""
    return _found(pair[which == COPY] for pair in result.blocks.meshes)


def result_in_focus(context: bpy.types.Context) -> CopyResult | None:
    """Return the scene's last copy that is still there: of the active object, if that belongs to one."""
    # A 3D view's context has none if it is hidden.
    active = context.view_layer.objects.active
    uid = active.session_uid if active is not None else 0
    return current_session().checks.copies.of(context.scene.session_uid, uid)


def copies_beside(context: bpy.types.Context, result: CopyResult) -> list[CopyResult]:
    """List the other copies of the same original."""
    return current_session().checks.copies.beside(context.scene.session_uid, result)


def show_copy(result: CopyResult, others: Iterable[CopyResult], view_layer: bpy.types.ViewLayer) -> None:
    """Show the copy, and hide the original and its other copies: they would flicker at one place."""
    _hide_copies(others, view_layer)
    hide(_character(result, ORIGINAL), view_layer)
    show(_character(result, COPY), view_layer)


def show_original(result: CopyResult, others: Iterable[CopyResult], view_layer: bpy.types.ViewLayer) -> None:
    """Show the original, and hide all of its copies."""
    _hide_copies((result, *others), view_layer)
    show(_character(result, ORIGINAL), view_layer)


def _hide_copies(results: Iterable[CopyResult], view_layer: bpy.types.ViewLayer) -> None:
    for one in results:
        hide(_character(one, COPY), view_layer)


def _character(result: CopyResult, which: str) -> list[bpy.types.Object]:
    armature = result.blocks.armatures[which == COPY]
    return [*_found([armature]), *meshes_shown(result, which)]


def _found(uids: Iterable[int]) -> list[bpy.types.Object]:
    session = current_session()
    return [found for one in uids if (found := session.objects.find(one)) is not None]


def _copied_meshes(result: CopyResult) -> Iterator[tuple[bpy.types.Object, Authored]]:
    """Yield the copies that are still there, and what each is compared with, even if that is gone."""
    find = current_session().objects.find
    for (original, copy), name in zip(result.blocks.meshes, result.names[1:], strict=True):
        found = find(copy)
        if found is not None:
            yield found, Authored(original, name, find)


def _missing(result: CopyResult, which: str, view_layer: bpy.types.ViewLayer) -> Message | None:
    """Say why the original or the copy can't be shown; None if its armature can, and one of its meshes."""
    meshes = meshes_shown(result, which)
    armatures = _found([result.blocks.armatures[which == COPY]])
    if not armatures or not meshes:
        if which == COPY:
            return Message("The copy is no longer whole; make it again")
        name = result.names[1 if armatures else 0]
        return Message("The original '{object}' is gone, so only its copy can be shown", object=name)
    there = set(view_layer.objects)
    away = next((one for some in (armatures, meshes) if not there.intersection(some) for one in some), None)
    if away is not None:
        return Message("'{object}' is not in this view layer; include its collection there", object=away.name)
    hidden = [_hidden_collection(one, view_layer.layer_collection) for one in meshes if one in there]
    if all(hidden):
        return Message(
            "'{object}' is in the hidden collection '{collection}'; show that in the Outliner",
            object=meshes[0].name,
            collection=hidden[0],
        )
    return None


def _hidden_collection(one: bpy.types.Object, root: bpy.types.LayerCollection) -> str | None:
    """Return a collection that hides an object; None if any of its collections shows it."""
    waiting, holding = [root], []
    while waiting:
        layer = waiting.pop()
        waiting += layer.children
        if not layer.exclude and layer.collection.objects.get(one.name) == one:
            holding.append(layer)
    shown = any(layer.is_visible for layer in holding)
    return None if shown or not holding else holding[0].name


def previewed(meshes: list[bpy.types.Object]) -> tuple[int, ...]:
    """Return the session_uids of those that are previewed."""
    session = current_session()
    return tuple(one.session_uid for one in meshes if session.preview_of(one) is not None)
