"""Scenes for window tests and what is done to them again and again, as text that Blender runs."""

from __future__ import annotations

from pathlib import Path


def text_of(name: str) -> str:
    """Read a file of this folder that runs inside Blender."""
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


BENDING_BAR = "\n".join(
    text_of(name) for name in ("bar_character.py", "preview_figures.py", "bending_bar.py")
)

START = "with view3d(): bpy.ops.skinscope.preview_start()\n"
STOP = "with view3d(): bpy.ops.skinscope.preview_stop()\n"
ASIDE = "settings.placement = 'ASIDE'; settings.distance = 1.5\n"

SETTLED = "all(figures(i)['settled'] for i in range(len(session.previews)))"
"""True once nothing is being prepared, and what is on the screen has been measured."""
