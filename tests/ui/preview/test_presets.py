from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import bpy
import pytest

from skinning_addon.ui.preview.presets import FOLDER, SAVED, SKINSCOPE_PT_display_presets


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
    assert panel.layout.words == ["preset_name", "skinscope.display_preset_add"]


def test_presets_hold_settings_that_there_are(settings):
    assert set(SAVED) <= set(type(settings).__annotations__)
