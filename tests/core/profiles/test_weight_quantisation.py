"""Weights quantized to few bits, against integers counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from skinning_addon.core.profiles.weight_quantisation import Rounding, WeightFormat, last_implied, quantised
from skinning_addon.core.skinning.skin import BoneSkin


def skin_of(*weights: float) -> BoneSkin:
    count = len(weights)
    return BoneSkin(np.array([0, count]), np.arange(count), np.array(weights, dtype=np.float32))


@pytest.mark.parametrize(
    ("rounding", "steps"), [(Rounding.TRUNCATE, [21845, 43689, 0]), (Rounding.NEAREST, [21845, 43690, 0])]
)
def test_sixteen_bits(rounding: Rounding, steps: list[int]):
    # 43689.9 steps, and less than half a step.
    skin = skin_of(1 / 3, 43689.9 / 65535, 0.4 / 65535)
    stored = quantised(skin, WeightFormat.UNORM16, rounding).weights.astype(np.float64) * 65535
    assert stored == pytest.approx(steps, abs=1e-2)


def test_eight_bits():
    # 178.2, 51 and 25.8 steps.
    stored = quantised(skin_of(0.699, 0.2, 0.101), WeightFormat.UNORM8, Rounding.NEAREST).weights
    assert (stored * 255).round().tolist() == [178, 51, 26]
    cut = quantised(skin_of(0.699, 0.2, 0.101), WeightFormat.UNORM8, Rounding.TRUNCATE).weights
    assert (cut * 255).round().tolist() == [178, 51, 25]


@pytest.mark.parametrize("weight_format", WeightFormat)
@pytest.mark.parametrize("rounding", Rounding)
def test_nothing_and_everything_are_kept(weight_format: WeightFormat, rounding: Rounding):
    assert quantised(skin_of(0.0, 1.0), weight_format, rounding).weights.tolist() == [0.0, 1.0]


def test_the_last_weight_is_what_the_others_leave():
    skin = BoneSkin(np.array([0, 3, 3, 4]), np.arange(4), np.array([0.5, 0.2, 0.1, 0.7], dtype=np.float32))
    assert last_implied(skin).weights == pytest.approx([0.5, 0.2, 0.3, 1.0])
