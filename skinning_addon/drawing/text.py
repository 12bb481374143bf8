"""Text in pixel space. Blender's default font also covers Korean, Chinese and Japanese."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import blf
import gpu
from mathutils import Matrix

from .rectangle import Color, Size

FONT = 0
"""Blender's default font."""

LINE_HEIGHT = 1.5
"""Line spacing, as a multiple of the font size."""


@contextmanager
def pixel_space(viewport: Size) -> Iterator[None]:
    """Make one unit one pixel, with (0, 0) the lower left corner; the view is restored afterwards."""
    across, up = 2 / viewport[0], 2 / viewport[1]
    projection = Matrix(((across, 0, 0, -1), (0, up, 0, -1), (0, 0, -1, 0), (0, 0, 0, 1)))
    with gpu.matrix.push_pop(), gpu.matrix.push_pop_projection():
        gpu.matrix.load_matrix(Matrix.Identity(4))
        gpu.matrix.load_projection_matrix(projection)
        yield


def text_width(text: str, size: float) -> float:
    """Return the width of one line of text, in pixels."""
    return widest((text,), size)


def widest(lines: Iterable[str], size: float) -> float:
    """Return the width of the widest line of text, in pixels."""
    blf.size(FONT, size)
    return max([blf.dimensions(FONT, line)[0] for line in lines])


def draw_text(text: str, origin: tuple[float, float], size: float, color: Color) -> None:
    """Write one line; inside `pixel_space`. origin: left end of the baseline, in pixels. color: sRGB."""
    blf.size(FONT, size)
    blf.color(FONT, *color)
    blf.position(FONT, *origin, 0)
    blf.draw(FONT, text)
