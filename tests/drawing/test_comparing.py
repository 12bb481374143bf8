"""Requirements for comparing two meshes in one view: a split view, and a mesh that the other shows through."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from skinning_addon.core.skinning.mesh import DrawMesh, SourceMesh
from skinning_addon.drawing.displays import DISPLAYS
from skinning_addon.drawing.skinned_drawing import SkinnedDrawing
from tests.core.builders import translation
from tests.drawing.canvas import (
    BACKGROUND,
    SETTINGS,
    block,
    canvas,
    draw_into,
    painted,
    pixels_of,
    quad_drawing,
)
from tests.drawing.samples import palette_of, quad, whole_pass

pytestmark = pytest.mark.gpu

MIDDLE = (32, 32)


@pytest.mark.parametrize("column", [0, 20, 32, 39, 64])
def test_left_of_the_split_nothing_is_drawn(column):
    drawing = quad_drawing()
    whole, right = pixels_of(drawing), pixels_of(drawing, from_column=column)
    np.testing.assert_array_equal(right[:, column:], whole[:, column:])
    assert not painted(right)[:, :column].any()


@pytest.mark.parametrize("column", [0, 20, 32, 39, 64])
def test_two_halves_make_a_whole(column):
    drawing = quad_drawing()
    whole, left = pixels_of(drawing), pixels_of(drawing, to_column=column)
    np.testing.assert_array_equal(left[:, :column], whole[:, :column])
    assert not painted(left)[:, column:].any()
    with canvas() as picture:
        draw_into(picture, drawing, to_column=column)
        draw_into(picture, drawing, from_column=column)
        np.testing.assert_array_equal(picture.pixels(), whole)


@pytest.mark.parametrize("display", [display.name for display in DISPLAYS])
def test_every_display_can_be_split(display):
    drawing = quad_drawing(size=2.0)
    drawing.set_reference(quad(2.0)[0].positions)
    wired = replace(SETTINGS, wireframe=True)
    seen = painted(pixels_of(drawing, display, settings=wired, from_column=32))
    assert seen.any()
    assert not seen[:, :32].any()


def test_what_is_cut_off_hides_nothing():
    with canvas() as picture:
        draw_into(picture, quad_drawing(translation(0, 0, 1)), from_column=32)
        draw_into(picture, quad_drawing(translation(0, 0, -1)))
        np.testing.assert_array_equal(painted(picture.pixels()), block(-0.5, -0.5, 0.5, 0.5))


@pytest.mark.parametrize("display", ["shaded", "deviation"])
@pytest.mark.parametrize("opacity", [0.0, 0.25, 0.5])
def test_a_ghost_is_as_opaque_as_it_is_told(display, opacity):
    drawing = quad_drawing()
    drawing.set_reference(quad()[0].positions)
    solid = pixels_of(drawing, display)[MIDDLE][:3].astype(float)
    ghost = pixels_of(drawing, display, opacity=opacity)[MIDDLE][:3]
    expected = opacity * solid + (1 - opacity) * np.array(BACKGROUND[:3])
    np.testing.assert_allclose(ghost, expected, atol=1.5)


@pytest.mark.parametrize("nearest_first", [False, True])
def test_a_ghosts_own_far_side_does_not_shine_through(nearest_first):
    mesh, drawn = quad()
    layers = np.concatenate((mesh.positions, mesh.positions - np.float32((0, 0, 1))))
    triangles = np.concatenate((drawn.triangles, drawn.triangles + 4))
    if not nearest_first:
        triangles = triangles[::-1]
    # Tilted away, so that the far side would have another color.
    normals = np.repeat(np.float32(((0, 0, 1), (0.8, 0, 0.6))), 4, axis=0)
    both = SourceMesh(layers, normals, np.empty((0, 2)), triangles)
    drawing = SkinnedDrawing(
        (whole_pass(8),), both, DrawMesh(np.arange(8), triangles, normals, np.zeros((8, 2)))
    )
    drawing.update((palette_of(np.eye(4)),))
    np.testing.assert_array_equal(
        pixels_of(drawing, opacity=0.5)[MIDDLE], pixels_of(quad_drawing(), opacity=0.5)[MIDDLE]
    )
