"""Sentences in panels: Blender's labels do not wrap."""

from __future__ import annotations

from typing import Any

import blf
import bpy

from ...core.text.wrapping import wrapped
from ...viewport.choices.translation import translated

UI_FONT = 0


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
