"""Sentences in panels: Blender's labels do not wrap."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import blf
import bpy

from ..viewport.translation import translated

UI_FONT = 0


def wrapped_label(
    layout: bpy.types.UILayout, context: bpy.types.Context, text: str, icon: Any = "NONE", indent: float = 4.0
) -> None:
    """Write `text`, translated, over as many lines as the region's width asks for.

    indent: the space that margins, tabs and the icon take, in widget heights (20 pixels each).
    """
    system = context.preferences.system
    points = context.preferences.ui_styles[0].widget.points
    blf.size(UI_FONT, points * system.ui_scale)
    room = context.region.width - indent * 20 * system.ui_scale
    column = layout.column(align=True)
    column.scale_y = 0.8
    for number, line in enumerate(
        wrapped(translated(text), room, lambda part: blf.dimensions(UI_FONT, part)[0])
    ):
        if icon == "NONE":
            column.label(text=line, translate=False)
        else:
            column.label(text=line, icon=icon if number == 0 else "BLANK1", translate=False)


def wrapped(text: str, room: float, width_of: Callable[[str], float]) -> list[str]:
    """Break `text` between words into lines no wider than `room`; a word that is wider has a line of its own."""
    lines: list[str] = []
    for word in text.split():
        if lines and width_of(f"{lines[-1]} {word}") <= room:
            lines[-1] = f"{lines[-1]} {word}"
        else:
            lines.append(word)
    return lines
