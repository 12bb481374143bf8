"""The sidebar's panel about a game-ready copy: before and after, by part of the body, and what is left."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import bpy

from ...core.text.length import format_length
from ...core.text.message import Clause, Message
from ...measurement.profiles.copy_parts import CopiedPart
from ...viewport.choices.copy_results import CopyResult
from ...viewport.choices.translation import translated
from ..widgets.sidebar import SidebarPanel
from ..widgets.table import draw_table
from ..widgets.wrapped_label import wrapped_label
from .game_ready_preview import (
    COPY,
    ORIGINAL,
    SKINSCOPE_OT_game_ready_preview,
    copies_beside,
    meshes_shown,
    previewed,
    result_in_focus,
)

PARTS_SHOWN = 5

AGE_LINES = 2
"""Lines kept for the age of figures, so that what is below stays in place once they are old."""


class SKINSCOPE_PT_game_ready(SidebarPanel, bpy.types.Panel):
    """How far off the engine is with the game-ready copy, before and after"""

    bl_label = "Game-Ready Copy"
    bl_parent_id = "SKINSCOPE_PT_preview"
    bl_options: ClassVar = set()

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return result_in_focus(context) is not None

    def draw(self, context: bpy.types.Context) -> None:
        result = result_in_focus(context)
        if result is None:
            return
        layout = self.layout
        copy = result.collection
        if copy is not None and copies_beside(context, result):
            layout.label(text=copy.name, icon="OUTLINER_COLLECTION", translate=False)
        row = layout.row(align=True)
        for which, text in ((ORIGINAL, "Original"), (COPY, "Copy")):
            shown = row.operator(
                SKINSCOPE_OT_game_ready_preview.bl_idname,
                text=text,
                icon="HIDE_OFF",
                depress=bool(previewed(meshes_shown(result, which))),
            )
            shown.which = which  # pyright: ignore[reportAttributeAccessIssue]
        _draw_age(layout, context, result)
        _draw_figures(layout, result)
        for one in (result.left, result.unfitted, result.fit, *result.missed):
            if one is not None:
                wrapped_label(layout, context, one, "ERROR" if one is result.unfitted else "DOT")


def _draw_age(layout: bpy.types.UILayout, context: bpy.types.Context, result: CopyResult) -> None:
    """Draw when figures are from, and whether the original or the copy has changed since."""
    when = Message("Measured when it was made, {day}", day=result.day)
    text = Message("Old: {checked}", checked=Clause(when)) if result.outdated else when
    wrapped_label(layout, context, text, "FILE_REFRESH" if result.outdated else "TIME", lines=AGE_LINES)


def _draw_figures(layout: bpy.types.UILayout, result: CopyResult) -> None:
    """Draw deviations before and after: of the whole character, and of the parts that stay furthest off."""
    layout.label(text=translated(Message("Off in {profile}:", profile=result.engine)), translate=False)
    draw_table(layout, [(Message("All"), _change(result.before, result.after)), *_rows(result.parts)])


def _rows(parts: Sequence[CopiedPart]) -> list[tuple[str, str]]:
    return [(one.part, _change(one.before, one.after)) for one in parts[:PARTS_SHOWN]]


def _change(before: float, after: float) -> Message:
    return Message("{before} to {after}", before=format_length(before), after=format_length(after))
