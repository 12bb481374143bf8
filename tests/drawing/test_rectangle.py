"""Rectangles in pixel space: a picture over another one."""

from __future__ import annotations

import numpy as np
import pytest

from skinning_addon.drawing.off_screen import Picture
from skinning_addon.drawing.rectangle import Rectangle, RectangleBatch

pytestmark = pytest.mark.gpu

SIZE = (16, 8)


@pytest.mark.parametrize(
    ("shown", "wanted"),
    [
        # Premultiplied: half of a full red over gray 100 is 128 + 50.
        ((128, 0, 0, 128), (178, 50, 50)),
        ((30, 60, 90, 255), (30, 60, 90)),
        ((0, 0, 0, 0), (100, 100, 100)),
    ],
)
def test_a_picture_lies_over_another_by_its_opacity(shown, wanted):
    over, below, batch = Picture(*SIZE), Picture(*SIZE), RectangleBatch()
    over.fill(tuple(value / 255 for value in shown))
    below.fill((100 / 255, 100 / 255, 100 / 255, 1.0))
    with below.drawing():
        batch.draw_picture(SIZE, Rectangle(4, 0, 12, 8), over.offscreen.texture_color)
    pixels = below.pixels()
    assert np.abs(pixels[:, 4:, :3].astype(int) - wanted).max() <= 1
    assert (pixels[:, :4, :3] == 100).all()
    for one in (over, below):
        one.free()
    batch.free()
