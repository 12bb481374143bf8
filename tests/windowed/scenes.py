"""Scenes for window tests and common operations on them, as source code for Blender to run."""

from __future__ import annotations

from pathlib import Path


def text_of(name: str) -> str:
    """Read a file in this folder that runs inside Blender."""
    return Path(__file__).parent.joinpath(name).read_text(encoding="utf-8")


BENDING_BAR = "\n".join(
    text_of(name) for name in ("bar_character.py", "preview_figures.py", "bending_bar.py")
)

START = "with view3d(): bpy.ops.skinscope.preview_start()\n"
STOP = "with view3d(): bpy.ops.skinscope.preview_stop()\n"
ASIDE = "settings.placement = 'ASIDE'; settings.axis = 'X'; settings.distance = 1.5\n"

SETTLED = "all(figures(i)['settled'] for i in range(len(session.previews)))"
"""True once nothing is being prepared and the picture on screen has been measured."""

SHEARED = """\
# The upper bone turns below a parent that is scaled unevenly, and takes no scale from it: its local matrix shears.
rig.data.bones['upper'].inherit_scale = 'NONE'
lower = rig.pose.bones['lower']
lower.scale = (1.6, 1.0, 1.0)
lower.keyframe_insert('scale', frame=1)
scene = bpy.context.scene
"""
"""Follows BENDING_BAR."""
