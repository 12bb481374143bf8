"""The table of displays is complete."""

from __future__ import annotations

import pytest

from skinning_addon.core.text.errors import UsageError
from skinning_addon.drawing.displays import DISPLAYS, find_display
from skinning_addon.drawing.shader_source import SHADER_FOLDER


@pytest.mark.parametrize("display", DISPLAYS, ids=lambda display: display.name)
def test_every_display_has_its_shaders_and_words(display):
    assert (SHADER_FOLDER / display.fragment).is_file()
    assert (SHADER_FOLDER / display.vertex_value).is_file()
    assert display.label
    assert display.description
    assert not display.description.endswith("."), "Blender's tooltips add the full stop"
    assert find_display(display.name) is display


def test_names_are_unique():
    assert len({display.name for display in DISPLAYS}) == len(DISPLAYS)


def test_an_unknown_name_is_answered_with_those_there_are():
    with pytest.raises(UsageError, match=r"shaded, deviation, .*wireframe"):
        find_display("x")
