"""The demo's picture: Blender, Skinscope, and the difference between the two, side by side."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np
from numpy.typing import NDArray

from ...drawing.displays import find_display
from ...drawing.heat_scale import HeatScale
from ...measurement.pictures.annotations import Annotations, fitted_size
from ...measurement.pictures.camera import Margins, three_quarter_camera
from ...measurement.pictures.picture import CharacterPicture, PosedMesh, framed_points

PANEL = (640, 920)
FOOTER = 140
MARGINS = Margins(left=0.06, right=0.06, bottom=0.05, top=0.13)
EDGE = 28
"""Pixels between a panel's edge and its text."""

FOOTER_COLOR = (30, 32, 36, 255)
LINE_COLOR = (30, 32, 36, 255)
TEXT_COLOR = (0.95, 0.95, 0.95, 1.0)
FAINT_COLOR = (0.68, 0.70, 0.74, 1.0)
TITLE_SIZE, SUBTITLE_SIZE, SENTENCE_SIZE, DETAIL_SIZE = 30.0, 17.0, 30.0, 17.0

TITLES = (
    ("Blender", "its own Armature modifier"),
    ("Skinscope", "the same pose, skinned on the GPU"),
    ("Difference", "distance between the two, at every vertex"),
)


def comparison_picture(
    scene: bpy.types.Scene,
    posed: Sequence[PosedMesh],
    heat_scale: HeatScale,
    metres_per_unit: float,
    *,
    sentence: str,
    detail: str,
) -> NDArray[np.uint8]:
    """Draw the three panels, with a sentence and a detail below; (height, width, 4), sRGB, the top row
    first.
    """
    picture = CharacterPicture(scene, PANEL, three_quarter_camera(framed_points(posed), PANEL, MARGINS))
    try:
        panels = [
            picture.blender(),
            picture.skinned(posed, "shaded", heat_scale),
            picture.skinned(posed, "deviation", heat_scale, wireframe=True),
        ]
    finally:
        picture.free()
    for panel in panels[1:]:
        panel[:, :2] = LINE_COLOR
    drawn = np.concatenate(panels, axis=1)
    footer = np.full((FOOTER, drawn.shape[1], 4), FOOTER_COLOR, dtype=np.uint8)
    canvas = np.concatenate((drawn, footer))
    height, width, _ = canvas.shape
    with Annotations(width, height) as annotations:
        for number, (title, subtitle) in enumerate(TITLES):
            left = number * PANEL[0] + EDGE
            annotations.text(title, left, EDGE + 26, TITLE_SIZE, TEXT_COLOR)
            annotations.text(subtitle, left, EDGE + 56, SUBTITLE_SIZE, FAINT_COLOR)
        annotations.legend(
            find_display("deviation"), heat_scale, metres_per_unit, (width - EDGE, PANEL[1] - EDGE), 1.5
        )
        size = fitted_size(sentence, SENTENCE_SIZE, width - 2 * EDGE)
        annotations.text(sentence, EDGE, PANEL[1] + 62, size, TEXT_COLOR)
        size = fitted_size(detail, DETAIL_SIZE, width - 2 * EDGE)
        annotations.text(detail, EDGE, PANEL[1] + 102, size, FAINT_COLOR)
        return annotations.over(canvas)
