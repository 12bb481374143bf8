"""A picture strip of what `play` played: one picture per moment, side by side, with the clips' weights
below.
"""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np
from numpy.typing import NDArray

from ...drawing.heat_scale import HeatScale
from ...measurement.pictures.annotations import Annotations, fitted_size
from ...measurement.pictures.camera import Margins, three_quarter_camera
from ...measurement.pictures.picture import CharacterPicture
from ...measurement.pictures.played_meshes import PlayedMesh
from .played_frames import Instant, PlayedInstance

PICTURES = 7
SIZE = (280, 380)
MARGINS = Margins(left=0.05, right=0.05, bottom=0.05, top=0.2)
EDGE = 12
LABEL_SIZE = 15.0


def draw_strips(scene: bpy.types.Scene, instances: Sequence[PlayedInstance], title: str) -> NDArray[np.uint8]:
    """Draw a strip for each instance, stacked, all with the same camera; (height, width, 4) sRGB, the top row
    first.
    """
    moments = [_moments(one) for one in instances]
    points = np.concatenate([one.world_positions for strip in moments for moment in strip for one in moment])
    camera = three_quarter_camera(points, SIZE, MARGINS)
    titles = [title] if len(instances) == 1 else [f"{title}, {number}" for number in range(len(instances))]
    picture = CharacterPicture(scene, SIZE, camera)
    try:
        rows = [[picture.skinned(moment, "base_color", HeatScale()) for moment in strip] for strip in moments]
    finally:
        picture.free()
    strips = [
        _labelled(np.concatenate(row, axis=1), one.instants, name)
        for row, one, name in zip(rows, instances, titles, strict=True)
    ]
    return np.concatenate(strips)


def _chosen(instants: Sequence[Instant]) -> list[int]:
    """Spread moments evenly over what was played."""
    return np.unique(np.linspace(0, len(instants) - 1, PICTURES).round().astype(int)).tolist()


def _moments(instance: PlayedInstance) -> list[list[PlayedMesh]]:
    return [[played[index] for played in instance.columns.values()] for index in _chosen(instance.instants)]


def _labelled(strip: NDArray[np.uint8], instants: Sequence[Instant], title: str) -> NDArray[np.uint8]:
    with Annotations(strip.shape[1], strip.shape[0]) as annotations:
        for number, index in enumerate(_chosen(instants)):
            lines = _lines(instants[index])
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
