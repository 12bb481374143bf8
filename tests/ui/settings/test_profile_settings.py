"""The engines that the panel offers."""

from __future__ import annotations

import numpy as np

from skinning_addon.ui.settings import profile_settings


def test_a_menu_can_hand_on_the_number_of_every_engine() -> None:
    """Blender's menus hold an item's number as a 32-bit float; what isn't one chooses nothing."""
    listed = profile_settings._listed(historic=True, with_none=True)
    numbers = [item[4] for item in listed]
    assert [int(np.float32(one)) for one in numbers] == numbers
    assert len(set(numbers)) == len(numbers)
