"""Sentences in panels: Blender's labels do not wrap."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import blf
import bpy

from ...viewport.choices.translation import translated

UI_FONT = 0

JOINTS = "_-.|:/"
"""Characters that join the parts of names."""


def wrapped_label(
    layout: bpy.types.UILayout,
    context: bpy.types.Context,
    text: str,
    icon: Any = "NONE",
    indent: float = 4.0,
    *,
    width: float | None = None,
    lines: int = 0,
) -> int:
    """Draw `text`, translated, over as many lines as the region's width requires; return how many.

    indent: the space that margins, tabs and the icon take, in widget heights (20 pixels each). width: the
    space for text, likewise, if it isn't the region's. lines: how many to take at least, so that what stands
    below stays in place when the sentence changes.
    """
    told = _lines(context, text, indent, width)
    column = layout.column(align=True)
    column.scale_y = 0.8
    told += [""] * (lines - len(told))
    for number, line in enumerate(told):
        if icon == "NONE":
            column.label(text=line, translate=False)
        else:
            column.label(text=line, icon=icon if number == 0 else "BLANK1", translate=False)
    return len(told)


def wrapped_checkbox(
    layout: bpy.types.UILayout, context: bpy.types.Context, owner: bpy.types.bpy_struct, name: str
) -> None:
    """Draw a checkbox across the region's width, and what does not fit beside it on lines below."""
    first, *rest = _lines(context, owner.bl_rna.properties[name].name, indent=4.0)
    column = layout.column(align=True)
    column.use_property_split = False
    column.prop(owner, name, text=first, translate=False)
    for line in rest:
        column.label(text=line, icon="BLANK1", translate=False)


def _lines(context: bpy.types.Context, text: str, indent: float, width: float | None = None) -> list[str]:
    """Return the lines of a translated text; indent, width: see `wrapped_label`."""
    system = context.preferences.system
    points = context.preferences.ui_styles[0].widget.points
    blf.size(UI_FONT, points * system.ui_scale)
    height = 20 * system.ui_scale
    room = context.region.width - indent * height if width is None else width * height
    return wrapped(translated(text), room, lambda part: blf.dimensions(UI_FONT, part)[0])


def wrapped(text: str, room: float, width_of: Callable[[str], float]) -> list[str]:
    """Break `text` into lines no wider than `room`: between words, and within words that are too wide, such
    as long names.
    """
    lines: list[str] = []
    for word in text.split():
        if lines and width_of(f"{lines[-1]} {word}") <= room:
            lines[-1] = f"{lines[-1]} {word}"
        else:
            lines += _broken(word, room, width_of)
    return lines


def _broken(word: str, room: float, width_of: Callable[[str], float]) -> list[str]:
    """Break a word that is wider than `room`, after a character that joins parts of names if it has one."""
    pieces: list[str] = []
    while len(word) > 1 and width_of(word) > room:
        fitting = next((end for end in range(len(word) - 1, 1, -1) if width_of(word[:end]) <= room), 1)
        joint = max(word.rfind(sign, 0, fitting) for sign in JOINTS) + 1
        end = joint or fitting
        pieces.append(word[:end])
        word = word[end:]
    return [*pieces, word]
