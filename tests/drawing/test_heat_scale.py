"""The heat map's scale is fixed, ordered, tells small from large, and reads as lengths."""

from __future__ import annotations

import numpy as np
import pytest

from skinning_addon.drawing.heat_scale import SEQUENCE, HeatScale, ramp_color
from skinning_addon.drawing.legend import legend_text

COLOR_VISION = {
    "normal": np.eye(3),
    "protan": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deutan": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
}
"""What people without long or middle cones see, linear: Machado, Oliveira, Fernandes, IEEE TVCG 15 (2009)."""


def linear(color):
    return np.where(color <= 0.04045, color / 12.92, ((color + 0.055) / 1.055) ** 2.4)


def lab(color, vision="normal"):
    """CIE L*a*b* (D65) of sRGB colors, as seen by people with this color vision."""
    seen = np.clip(linear(color) @ np.transpose(COLOR_VISION[vision]), 0, 1)
    xyz = seen @ np.transpose([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    ratio = xyz / (0.9505, 1.0, 1.089)
    f = np.where(ratio > (6 / 29) ** 3, np.cbrt(ratio), ratio * (29 / 6) ** 2 / 3 + 4 / 29)
    return np.stack(
        (116 * f[..., 1] - 16, 500 * (f[..., 0] - f[..., 1]), 200 * (f[..., 1] - f[..., 2])), axis=-1
    )


def color_of(*metres):
    return ramp_color(HeatScale().place(np.array(metres)))


def test_the_limits_part_the_ramp_evenly():
    places = HeatScale().place(np.array([0.0, 0.0001, 0.001, 0.005, 0.02, 0.1, 0.5, 3.0]))
    np.testing.assert_allclose(places, [0, 1 / 6, 1 / 3, 1 / 2, 2 / 3, 5 / 6, 1, 1])


def test_a_scale_for_half_the_height_has_half_the_limits():
    assert HeatScale().scaled(0.5).limits == (0.00005, 0.0005, 0.0025, 0.01, 0.05, 0.25)


def test_limits_between_the_threshold_and_the_top_are_round():
    assert HeatScale.of_thresholds(0.0001, 0.001, 0.005, 0.5) == HeatScale()
    narrow = HeatScale.of_thresholds(0.0001, 0.001, 0.005, 0.006)
    assert narrow.limits[2:] == pytest.approx((0.005, 0.005313, 0.005647, 0.006), rel=1e-3)


@pytest.mark.parametrize("vision", COLOR_VISION)
def test_colors_tell_what_matters_whatever_the_color_vision(vision):
    def apart(one, other):
        return np.linalg.norm(lab(one, vision) - lab(other, vision), axis=-1)

    # Twenty steps of L*a*b* apart is as orange and red; one can just be seen.
    steps = color_of(0.0, 0.0002, 0.003, 0.02, 0.1, 0.34)
    assert apart(steps[1:], steps[:-1]).min() > 10
    assert apart(*color_of(0.02, 0.34)) > 25
    # Acceptable and too much are never mistaken for one another.
    good, bad = color_of(*np.linspace(0, 0.003, 50)), color_of(*np.geomspace(0.005, 0.6, 50))
    assert apart(good[:, None], bad[None]).min() > 20


def test_brightness_rises_up_to_the_threshold_and_falls_beyond_it():
    lightness = lab(ramp_color(np.linspace(0, 1, 97)))[:, 0]
    # Stop 7 of 16 is white-blue, stop 8 yellow: the threshold itself.
    assert (np.diff(lightness[:43]) > 0).all()
    assert (np.diff(lightness[48:]) < 0).all()
    assert (np.diff(lab(ramp_color(np.linspace(0, 1, 97), SEQUENCE))[:, 0]) > 0).all()


def test_the_darkest_of_what_is_acceptable_leaves_room_for_shading():
    assert lab(color_of(0.0))[0, 0] > 45


@pytest.mark.parametrize(
    "limits",
    [
        (0, 1, 2, 3),
        (1, 1, 2, 3),
        (1, 2, 3, 3),
        (3, 2, 1, 4),
        (1, 2, float("nan"), 4),
        (1, 2, 3),
        tuple(range(1, 11)),
    ],
)
def test_limits_that_make_no_scale_are_refused(limits):
    with pytest.raises(ValueError, match=r"ascend|even number"):
        HeatScale(limits)


def test_ticks_are_lengths_whatever_the_scene_unit():
    in_centimetres = HeatScale().scaled(100)
    ticks = ("0", "0.1 mm", "1 mm", "5 mm", "2 cm", "10 cm", "≥ 50 cm")
    assert legend_text("Title", in_centimetres, 0.01).ticks == ticks
