"""Numbers in panels stay meaningful for characters of any size, and fit three in a row."""

from __future__ import annotations

import numpy as np
import pytest

from skinning_addon.ui.widgets.table import numbers


@pytest.mark.parametrize(
    ("vector", "written"),
    [
        ((1.2694, -0.0764, 0.0), ["1.269", "-0.076", "0.000"]),
        ((123.456, -7.891, 0.0), ["123.5", "-7.9", "0.0"]),
        ((0.01234, -0.00567, 0.0), ["0.0123", "-0.0057", "0.0000"]),
        ((0.00000123, 0.0, 0.0), ["0.00000", "0.00000", "0.00000"]),
        ((123456.7, -1.0, 0.0), ["123457", "-1", "0"]),
        ((0.0, -0.0, 0.0), ["0.000", "0.000", "0.000"]),
        ((np.nan, 1.0, 0.0), ["nan", "1.000", "0.000"]),
    ],
)
def test_positions_of_large_and_small_characters_are_as_wide_as_others(
    vector: tuple[float, ...], written: list[str]
) -> None:
    assert numbers(np.array(vector)) == written
    assert all(len(one) <= 7 for one in written)
