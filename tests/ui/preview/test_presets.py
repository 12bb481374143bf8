from __future__ import annotations

import re
import tomllib
from operator import attrgetter
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import bpy
import pytest

from skinning_addon.ui.preview.presets import FOLDER, SAVED, SKINSCOPE_PT_display_presets
from skinning_addon.ui.registration import CLASSES


@pytest.fixture
def settings(session, monkeypatch):  # noqa: ARG001 - registers the classes
    # Blender names the panel after the preset that was chosen last; undone with the test.
    monkeypatch.setattr(SKINSCOPE_PT_display_presets, "bl_label", SKINSCOPE_PT_display_presets.bl_label)
    return bpy.context.scene.skinscope


def preset_files():
    folders = bpy.utils.preset_paths(FOLDER)
    return [path for folder in folders for path in Path(folder).glob("*.py")]


def test_a_preset_is_saved_chosen_and_deleted(settings):
    settings.display, settings.placement, settings.wireframe = "DEVIATION", "ASIDE", True
    assert bpy.ops.skinscope.display_preset_add(name="Heat Beside") == {"FINISHED"}
    (file,) = preset_files()
    settings.display, settings.placement, settings.wireframe = "SHADED", "IN_PLACE", False
    bpy.ops.skinscope.display_preset_apply(filepath=str(file), menu_idname="SKINSCOPE_PT_display_presets")
    assert (settings.display, settings.placement, settings.wireframe) == ("DEVIATION", "ASIDE", True)
    bpy.ops.skinscope.display_preset_add(name="Heat Beside", remove_name=True)
    assert preset_files() == []


class Written:
    """A layout that records what is drawn into it."""

    def __init__(self):
        self.words = []

    def row(self, **_):
        return self

    def prop(self, _owner, name, **_keywords):
        self.words.append(name)

    def operator(self, name, **_):
        self.words.append(name)
        return SimpleNamespace()

    def label(self, text="", **_):
        self.words.append(text)


def test_before_the_first_preset_nothing_is_called_missing(settings):  # noqa: ARG001
    panel = SimpleNamespace(layout=Written(), preset_add_operator="skinscope.display_preset_add")
    with mock.patch.object(bpy.utils, "preset_paths", return_value=[]):
        SKINSCOPE_PT_display_presets.draw(panel, bpy.context)
    assert panel.layout.words == [
        "preset_name",
        "skinscope.display_preset_add",
        "skinscope.display_preset_import",
        "skinscope.display_preset_export",
    ]


def test_presets_hold_settings_that_there_are(settings):
    assert set(SAVED) <= set(type(settings).__annotations__)


@pytest.fixture
def no_presets_left():
    yield
    for file in preset_files():
        file.unlink()


@pytest.mark.usefixtures("no_presets_left")
def test_a_preset_is_passed_on_as_a_file(settings, tmp_path):
    settings.display, settings.placement, settings.influence_limit = "DROPPED_WEIGHT", "SPLIT", 2
    settings.show_figures = False
    assert bpy.ops.skinscope.display_preset_export(filepath=str(tmp_path / "Team look")) == {"FINISHED"}
    file = tmp_path / "Team look.toml"
    document = tomllib.loads(file.read_text(encoding="utf-8"))
    assert document["display"]["influence_limit"] == 2
    assert set(document["display"]) == set(SAVED)
    for name in SAVED:
        settings.property_unset(name)
    for _ in range(2):
        assert bpy.ops.skinscope.display_preset_import(filepath=str(file)) == {"FINISHED"}
    assert (settings.display, settings.placement, settings.influence_limit) == ("DROPPED_WEIGHT", "SPLIT", 2)
    assert settings.show_figures is False
    # None is overwritten.
    assert sorted(one.stem for one in preset_files()) == ["Team_look", "Team_look_2"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("version = 2\n[display]\n", "is not a display preset"),
        ("no preset", "can't be read"),
        ("version = 1\n[display]\nthreshold = 1.0\n", "sets 'threshold', which is none of display"),
        ("version = 1\n[display]\nwireframe = 1\n", "sets 'wireframe' to '1'; it takes one of true, false"),
        ('version = 1\n[display]\naxis = "W"\n', "sets 'axis' to 'W'; it takes one of VIEW, X, Y, Z"),
        ("version = 1\n[display]\ninfluence_limit = 99\n", "it takes one of 1-16"),
    ],
)
def test_a_file_that_is_no_preset_is_refused_whole(settings, tmp_path, text, told):
    file = tmp_path / "preset.toml"
    file.write_text(text.replace("[display]\n", '[display]\nplacement = "ASIDE"\n'), encoding="utf-8")
    with pytest.raises(RuntimeError, match=re.escape(told)):
        bpy.ops.skinscope.display_preset_import(filepath=str(file))
    assert settings.placement == "IN_PLACE"
    assert preset_files() == []


def test_the_file_browsers_button_has_room_for_what_it_does(session):  # noqa: ARG001 - registers the operators
    """It shows the operator's name, cut short after some twenty letters."""
    operators = [attrgetter(one.bl_idname)(bpy.ops) for one in CLASSES if issubclass(one, bpy.types.Operator)]
    types = [one.get_rna_type() for one in operators]
    names = [one.name for one in types if "filepath" in one.properties]
    assert "Export Preset..." in names
    assert [one for one in names if len(one) > 20] == []
