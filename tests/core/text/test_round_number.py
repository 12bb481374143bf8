from __future__ import annotations

import pytest

from skinning_addon.core.text.round_number import nearest_round_number


@pytest.mark.parametrize(
    ("value", "nearest"),
    [
        (1.0, 1.0),
        (1.1, 1.0),
        (0.9, 1.0),
        (2.6, 2.0),
        (8.0, 10.0),
        (14.0, 10.0),
        (15.0, 20.0),
        (41.0, 50.0),
        (0.04, 0.05),
        (0.8, 1.0),
        (0.0049, 0.005),
        (0.0034, 0.005),
        (0.0029, 0.002),
    ],
)
def test_numbers_are_rounded_to_what_people_would_choose(value: float, nearest: float):
    assert nearest_round_number(value) == pytest.approx(nearest)
