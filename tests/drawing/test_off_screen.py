"""An off-screen picture is what was drawn, the right way up."""

from __future__ import annotations

import gpu
import numpy as np
import pytest

from skinning_addon.drawing.off_screen import Picture
from tests.core.builders import translation
from tests.drawing.canvas import block, canvas, draw_into, painted, quad_drawing

pytestmark = pytest.mark.gpu


def test_a_filled_picture_has_its_size_and_colour():
    picture = Picture(30, 20)
    picture.fill((1.0, 0.5, 0.0, 1.0))
    pixels = picture.pixels()
    assert pixels.shape == (20, 30, 4)
    assert pixels.dtype == np.uint8
    np.testing.assert_allclose(np.unique(pixels.reshape(-1, 4), axis=0), [(255, 128, 0, 255)], atol=1)
    picture.free()


def test_the_top_row_comes_first():
    with canvas() as picture:
        draw_into(picture, quad_drawing(translation(0, 1.5, 0)))
        np.testing.assert_array_equal(painted(picture.pixels()), block(-0.5, 1, 0.5, 2))


def test_filling_forgets_the_depth():
    with canvas() as picture:
        draw_into(picture, quad_drawing(translation(0, 0, 5)))
        picture.fill((0.0, 0.0, 1.0, 1.0))
        draw_into(picture, quad_drawing(translation(0, 0, -5)))
        np.testing.assert_array_equal(painted(picture.pixels()), block(-0.5, -0.5, 0.5, 0.5))


def test_drawing_ends_where_the_block_ends():
    before = gpu.state.active_framebuffer_get()
    with canvas() as picture, picture.drawing() as inside:
        assert gpu.state.active_framebuffer_get() == inside
        assert tuple(gpu.state.viewport_get()) == (0, 0, picture.width, picture.height)
    assert gpu.state.active_framebuffer_get() == before
