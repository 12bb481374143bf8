"""A small picture of a known part of the world, for tests that look at pixels."""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np

from skinning_addon.drawing.display_settings import DisplaySettings
from skinning_addon.drawing.heat_scale import HeatScale
from skinning_addon.drawing.off_screen import Picture
from skinning_addon.drawing.skinned_drawing import SkinnedDrawing
from tests.drawing.samples import palette_of, quad, whole_pass

PIXELS = 64
UNITS = 4.0
BACKGROUND = (0, 0, 255, 255)

# Looks along -Z from the origin; 4 x 4 units, 16 pixels each; depth from 10 in front to 10 behind.
WORLD_TO_VIEW = np.eye(4)
VIEW_TO_CLIP = np.diag([2 / UNITS, 2 / UNITS, -0.1, 1.0])

SETTINGS = DisplaySettings(heat_scale=HeatScale((0.1, 0.2, 0.3, 0.4)))


@contextmanager
def canvas():
    """Yield a picture filled with BACKGROUND."""
    picture = Picture(PIXELS, PIXELS)
    picture.fill(tuple(channel / 255 for channel in BACKGROUND))
    try:
        yield picture
    finally:
        picture.free()


def quad_drawing(matrix=None, size=1.0):
    """Draw a square whose bone applies `matrix` (the identity if omitted)."""
    mesh, drawn = quad(size)
    drawing = SkinnedDrawing((whole_pass(4),), mesh, drawn)
    drawing.update((palette_of(np.eye(4) if matrix is None else matrix),))
    return drawing


def draw_into(
    picture,
    drawing,
    display="shaded",
    *,
    mesh_to_world=None,
    world_to_view=WORLD_TO_VIEW,
    view_to_clip=VIEW_TO_CLIP,
    settings=SETTINGS,
    **extent,
):
    with picture.drawing():
        place = np.eye(4) if mesh_to_world is None else mesh_to_world
        drawing.draw(display, world_to_view, view_to_clip, place, settings, **extent)


def pixels_of(drawing, display="shaded", **view):
    with canvas() as picture:
        draw_into(picture, drawing, display, **view)
        return picture.pixels()


def painted(pixels):
    """Return an (H, W) bool mask of what was drawn."""
    return (pixels != BACKGROUND).any(axis=2)


def block(left, bottom, right, top):
    """Return an (H, W) bool mask of a rectangle in world units."""
    mask = np.zeros((PIXELS, PIXELS), dtype=bool)
    x0, x1, y0, y1 = (round((edge + UNITS / 2) * PIXELS / UNITS) for edge in (left, right, bottom, top))
    mask[PIXELS - y1 : PIXELS - y0, x0:x1] = True
    return mask


def reference_at(offset, size=1.0):
    """Positions of the unmoved square, moved by `offset`."""
    return quad(size)[0].positions + np.float32(offset)
