"""A picture strip of what `play` played: one picture a moment, side by side, with the weights of the clips below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import bpy
import numpy as np
from numpy.typing import NDArray

from ..drawing.heat_scale import HeatScale
from ..measurement.annotations import Annotations, fitted_size
from ..measurement.camera import Margins, three_quarter_camera
from ..measurement.picture import CharacterPicture
from ..measurement.played_meshes import PlayedMesh
from .played_frames import Instant

PICTURES = 7
SIZE = (280, 380)
MARGINS = Margins(left=0.05, right=0.05, bottom=0.05, top=0.2)
EDGE = 12
LABEL_SIZE = 15.0


def draw_strip(
    scene: bpy.types.Scene,
    columns: Mapping[str, Sequence[PlayedMesh]],
    instants: Sequence[Instant],
    title: str,
) -> NDArray[np.uint8]:
    """Draw moments spread evenly over what was played, by one camera; (height, width, 4) sRGB, the top row first."""
    chosen = np.unique(np.linspace(0, len(instants) - 1, PICTURES).round().astype(int)).tolist()
    moments = [[played[place] for played in columns.values()] for place in chosen]
    points = np.concatenate([one.world_positions for moment in moments for one in moment])
    picture = CharacterPicture(scene, SIZE, three_quarter_camera(points, SIZE, MARGINS))
    try:
        pictures = [picture.skinned(moment, "base_color", HeatScale()) for moment in moments]
    finally:
        picture.free()
    strip = np.concatenate(pictures, axis=1)
    with Annotations(strip.shape[1], strip.shape[0]) as annotations:
        for number, place in enumerate(chosen):
            lines = _lines(instants[place])
            size = fitted_size(max(lines, key=len), LABEL_SIZE, SIZE[0] - 4 * EDGE)
            annotations.label("\n".join(lines), number * SIZE[0] + EDGE, EDGE, size)
        annotations.label(title, EDGE, strip.shape[0] - 3 * EDGE, LABEL_SIZE)
        return annotations.over(strip)


def _lines(instant: Instant) -> list[str]:
    heard = [
        f"{clip} {100 * weight:.0f}%"
        for clip, weight in zip(instant.clips, instant.weights, strict=True)
        if weight > 0
    ]
    return [f"{instant.seconds:.2f} s", *heard]
