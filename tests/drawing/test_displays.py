"""The table of displays is complete."""

from __future__ import annotations

import pytest

from skinning_addon.core.text.errors import UsageError
from skinning_addon.drawing.displays import DISPLAYS, PAINTED, find_display
from skinning_addon.drawing.shader_source import SHADER_FOLDER
from skinning_addon.drawing.vertex_paint import PAINTS
from tests.installed_package import CHECKOUT


@pytest.mark.parametrize("display", DISPLAYS, ids=lambda display: display.name)
def test_every_display_has_its_shaders_and_words(display):
    assert (SHADER_FOLDER / display.fragment).is_file()
    assert (SHADER_FOLDER / display.vertex_value).is_file()
    assert display.label
    assert display.description
    assert not display.description.endswith("."), "Blender's tooltips add the full stop"
    assert find_display(display.name) is display


def test_what_is_painted_is_computed_and_the_other_way_round():
    assert {display.name for display in DISPLAYS if display.vertex_value == PAINTED} == set(PAINTS)


@pytest.mark.parametrize("label", [display.label for display in DISPLAYS])
def test_every_display_is_in_the_guide(label):
    page = (CHECKOUT / "docs" / "user-guide.md").read_text(encoding="utf-8")
    section = page.partition("\n## Displays\n")[2].partition("\n## ")[0]
    assert f"\n| {label} |" in section or f"*{label}*" in section


def test_names_are_unique():
    assert len({display.name for display in DISPLAYS}) == len(DISPLAYS)


def test_an_unknown_name_is_answered_with_those_there_are():
    with pytest.raises(UsageError, match=r"shaded, deviation, .*wireframe"):
        find_display("x")
