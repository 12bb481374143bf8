"""The engines that the panel offers."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from skinning_addon.ui.settings import profile_settings
from skinning_addon.ui.settings.properties import preview_settings
from skinning_addon.viewport.choices.profile_library import reload_profiles


def test_a_menu_can_hand_on_the_number_of_every_engine() -> None:
    """Blender's menus hold an item's number as a 32-bit float; what isn't one chooses nothing."""
    listed = profile_settings._listed(historic=True, with_none=True)
    numbers = [item[4] for item in listed]
    assert [int(np.float32(one)) for one in numbers] == numbers
    assert len(set(numbers)) == len(numbers)


@pytest.mark.usefixtures("session")
def test_reading_the_engine_does_not_make_the_list_again(monkeypatch):
    """Blender asks for the items whenever the setting is read: in every redraw, and with every frame."""
    settings = bpy.context.scene.skinscope.profiles
    settings.profile = "threejs"
    made = []
    monkeypatch.setattr(profile_settings, "_standing", lambda profile: made.append(profile) or ())
    for _ in range(3):
        assert preview_settings(bpy.context.scene).profile.id == "threejs"
    assert not made
    reload_profiles()
    assert settings.profile == "threejs"
    assert made, "other profiles may be there now"
    reload_profiles()
