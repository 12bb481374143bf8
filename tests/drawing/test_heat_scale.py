"""The heat map's scale is fixed, ordered, and reads as lengths."""

from __future__ import annotations

import numpy as np
import pytest

from skinning_addon.drawing.heat_scale import HeatScale, ramp_color
from skinning_addon.drawing.legend import legend_text


def test_thresholds_part_the_ramp_into_quarters():
    places = HeatScale().place(np.array([0.0, 0.0001, 0.001, 0.005, 0.01, 3.0]))
    np.testing.assert_allclose(places, [0, 0.25, 0.5, 0.75, 1, 1])


def test_a_scale_for_half_the_height_has_half_the_limits():
    assert HeatScale().scaled(0.5).limits == (0.00005, 0.0005, 0.0025, 0.005)


def test_brightness_rises_along_the_ramp():
    colors = ramp_color(np.linspace(0, 1, 100))
    linear = np.where(colors <= 0.04045, colors / 12.92, ((colors + 0.055) / 1.055) ** 2.4)
    assert (np.diff(linear @ (0.2126, 0.7152, 0.0722)) > 0).all()


def test_the_ends_of_the_ramp():
    np.testing.assert_allclose(
        ramp_color(np.array([0.0, 1.0])) * 255, [(0, 34, 78), (254, 232, 56)], atol=1e-4
    )


@pytest.mark.parametrize(
    ("thresholds", "top"),
    [((0, 1, 2), 3), ((1, 1, 2), 3), ((1, 2, 3), 3), ((3, 2, 1), 4), ((1, 2, float("nan")), 4)],
)
def test_limits_that_do_not_ascend_are_refused(thresholds, top):
    with pytest.raises(ValueError, match="ascend"):
        HeatScale(thresholds, top)


def test_ticks_are_lengths_whatever_the_scene_unit():
    in_centimetres = HeatScale().scaled(100)
    assert legend_text("Title", in_centimetres, 0.01).ticks == ("0", "0.1 mm", "1 mm", "5 mm", "≥ 1 cm")
