"""What 3D views show around a crowd: the border of its area, and a ring under whoever is under control."""

from __future__ import annotations

import bpy
import gpu
import numpy as np

from ...drawing.lines import draw_line_strip
from ...drawing.rectangle import Color
from ..crowds.scene_crowd import SceneCrowd

BORDER_COLOR: Color = (1.0, 1.0, 1.0, 0.35)
RING_COLOR: Color = (1.0, 0.62, 0.1, 1.0)
RING = np.linspace(0, 2 * np.pi, 33)
BORDER_WIDTH = 1.0
RING_WIDTH = 2.5


def draw_crowd_marks(context: bpy.types.Context, crowd: SceneCrowd) -> None:
    """Draw them into the context's 3D view, behind what is nearer."""
    player = crowd.player
    if player is None or not crowd.is_of(context.scene):
        return
    scale = context.preferences.system.ui_scale
    viewport = context.region.width, context.region.height
    gpu.state.depth_test_set("LESS_EQUAL")
    gpu.state.blend_set("ALPHA")
    x, y = player.half.tolist()
    border = np.array(((-x, -y, 0), (x, -y, 0), (x, y, 0), (-x, y, 0), (-x, -y, 0)), dtype=np.float32)
    draw_line_strip(border, BORDER_COLOR, BORDER_WIDTH * scale, viewport)
    agent = crowd.controlled
    if agent is not None and agent < player.crowd.state.count:
        ring = np.zeros((len(RING), 3), dtype=np.float32)
        radius = player.radii[agent]
        ring[:, 0], ring[:, 1] = np.cos(RING) * radius, np.sin(RING) * radius
        ring += player.places[agent].astype(np.float32)
        draw_line_strip(ring, RING_COLOR, RING_WIDTH * scale, viewport)
