"""A row about a clip that plays."""

from __future__ import annotations

import bpy


def draw_playing_clip(
    layout: bpy.types.UILayout, name: str, weight: float, position: float, duration: float
) -> None:
    """Draw a clip's name, cut short if there is no room, and its figures in full.

    position, duration: seconds.
    """
    row = layout.row(align=True)
    row.label(text=name, translate=False)
    figures = row.row()
    figures.alignment = "RIGHT"
    text = f"{100 * weight:.0f}%  {position:.2f} / {duration:.2f} s"
    figures.label(text=text, translate=False)
