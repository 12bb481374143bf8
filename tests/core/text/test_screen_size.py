from __future__ import annotations

import math

import pytest

from skinning_addon.core.text.screen_size import Screen, format_pixels


@pytest.mark.parametrize(("metres", "millimetres_per_pixel"), [(2.0, 2.1), (5.0, 5.3)])
def test_a_pixel_is_as_large_as_published(metres, millimetres_per_pixel):
    """60 degrees, 1080 rows: 2.1 mm at 2 m, 5.3 mm at 5 m."""
    pixel = 1 / Screen(metres).pixels(0.001)
    assert round(pixel, 1) == millimetres_per_pixel


def test_what_fills_the_view_has_all_its_rows():
    assert Screen(3.0, math.radians(90), 720).pixels(6.0) == pytest.approx(720)


@pytest.mark.parametrize(
    ("pixels", "text"),
    [
        (1.918, "1.9 px"),
        (0.0404, "0.04 px"),
        (123.4, "120 px"),
        (4321.0, "4300 px"),
        (0.004, "0 px"),
        (0, "0 px"),
    ],
)
def test_pixels_are_written_short(pixels, text):
    assert format_pixels(pixels) == text


def test_pixels_that_are_no_number_say_so():
    assert format_pixels(math.nan) == "not a number"
    assert format_pixels(math.inf) == "infinite"
