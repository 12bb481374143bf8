"""Text in a picture is legible in any language, and says what the colors mean."""

from __future__ import annotations

import gpu
import numpy as np
import pytest

from skinning_addon.drawing.heat_scale import HeatScale, ramp_color
from skinning_addon.drawing.labels import BACKGROUND, WHITE, Labels, label_size
from skinning_addon.drawing.legend import BAR, FONT_SIZE, MARGIN, Legend, legend_size, legend_text
from skinning_addon.drawing.off_screen import Picture
from skinning_addon.viewport.choices.preferences import FACTORY

pytestmark = pytest.mark.gpu

SIZE = (400, 300)
GREY = 60


def picture_of(draw):
    picture = Picture(*SIZE)
    picture.fill((GREY / 255, GREY / 255, GREY / 255, 1.0))
    with picture.drawing():
        draw()
    pixels = picture.pixels()
    picture.free()
    return pixels


def label_pixels(text, **style):
    labels = Labels()
    pixels = picture_of(lambda: labels.draw(text, (20, 250), SIZE, **style))
    labels.free()
    return pixels


def legend_pixels(text, scale, corner=(15, 25), ui_scale=1.0):
    legend = Legend()
    pixels = picture_of(lambda: legend.draw(text, scale, corner, SIZE, ui_scale))
    legend.free()
    return pixels


def test_a_label_covers_what_it_says():
    changed = (label_pixels("one\ntwo lines")[:, :, :3] != GREY).any(axis=2)
    width, height = label_size("one\ntwo lines")
    rows, columns = np.flatnonzero(changed.any(axis=1)), np.flatnonzero(changed.any(axis=0))
    assert columns[0] == 20
    assert columns[-1] == pytest.approx(20 + width - 1, abs=1.5)
    assert rows[0] == SIZE[1] - 250
    assert rows[-1] == pytest.approx(SIZE[1] - 250 + height - 1, abs=1.5)


def luminance(color):
    """Return the relative luminance of sRGB colors, as WCAG 2 defines it."""
    color = np.asarray(color, dtype=float)
    linear = np.where(color <= 0.04045, color / 12.92, ((color + 0.055) / 1.055) ** 2.4)
    return linear @ (0.2126, 0.7152, 0.0722)


@pytest.mark.parametrize("text", [WHITE, FACTORY.same_color, FACTORY.off_color])
def test_text_has_the_contrast_that_readers_need_over_the_brightest_mesh(text):
    seen = np.vstack(((1.0, 1.0, 1.0), ramp_color(np.linspace(0, 1, 64))))
    share = BACKGROUND[3]
    # The 3D view mixes light, not sRGB values.
    behind = share * luminance(BACKGROUND[:3]) + (1 - share) * luminance(seen)
    contrast = (luminance(text[:3]) + 0.05) / (behind + 0.05)
    assert contrast.min() >= 4.5, "WCAG 2, level AA"


def test_text_is_white_on_dark():
    pixels = label_pixels("WWWW", size=30.0)
    assert pixels[:, :, :3].max() > 240
    assert np.median(pixels[60:70, 30:60, :3]) < GREY


@pytest.mark.parametrize(("one", "other"), [("가나다", "라마바"), ("왼손", "오른"), ("≥ µ", "≤ ×")])
def test_letters_of_all_kinds_are_in_the_font(one, other):
    # A font that lacks a letter draws the same box for each.
    assert (label_pixels(one, size=24.0) != label_pixels(other, size=24.0)).sum() > 100


def test_the_legends_bar_is_the_ramp():
    scale = HeatScale()
    pixels = legend_pixels(legend_text("Deviation", scale), scale)
    column = pixels[::-1, round(15 + MARGIN + BAR[0] / 2), :3].astype(float)
    start = 25 + MARGIN + FONT_SIZE / 2
    for share in (0.02, 0.1, 0.4, 0.6, 0.9, 0.98):
        expected = ramp_color(np.array(share)) * 255
        np.testing.assert_allclose(column[int(start + share * BAR[1])], expected, atol=4)
    for share in (1 / 6, 1 / 3, 1 / 2, 2 / 3, 5 / 6):
        darkest = column[int(start + share * BAR[1]) - 2 :][:4].max(axis=1).min()
        assert (darkest < 40) == (share == 1 / 2), "a line at the threshold alone"


def test_the_legend_fits_its_size():
    for ui_scale in (0.8, 1.2):
        text = legend_text("블렌더와의 차이", HeatScale())
        pixels = legend_pixels(text, HeatScale(), (10, 5), ui_scale)
        changed = (pixels[:, :, :3] != GREY).any(axis=2)
        width, height = legend_size(text, ui_scale)
        rows, columns = np.flatnonzero(changed.any(axis=1)), np.flatnonzero(changed.any(axis=0))
        assert columns[0] == 10
        assert columns[-1] == pytest.approx(10 + width - 1, abs=1.5)
        assert rows[-1] == SIZE[1] - 5 - 1
        assert rows[0] == pytest.approx(SIZE[1] - 5 - height, abs=1.5)


def test_another_scale_changes_the_ticks():
    one, other = HeatScale(), HeatScale().scaled(0.5)
    assert (legend_pixels(legend_text("T", one), one) != legend_pixels(legend_text("T", other), other)).any()


def test_state_and_matrices_are_left_as_they_were():
    legend, labels = Legend(), Labels()

    def draw():
        gpu.state.depth_test_set("LESS")
        gpu.state.depth_mask_set(True)
        gpu.state.blend_set("NONE")
        with gpu.matrix.push_pop():
            gpu.matrix.translate((1, 2, 3))
            before = gpu.matrix.get_model_view_matrix(), gpu.matrix.get_projection_matrix()
            legend.draw(legend_text("Title", HeatScale()), HeatScale(), (0, 0), SIZE)
            labels.draw("Label", (10, 290), SIZE)
            assert (gpu.matrix.get_model_view_matrix(), gpu.matrix.get_projection_matrix()) == before
        assert gpu.state.depth_test_get() == "LESS"
        assert gpu.state.depth_mask_get()
        assert gpu.state.blend_get() == "NONE"
        gpu.state.depth_test_set("NONE")

    picture_of(draw)
    legend.free()
    labels.free()
