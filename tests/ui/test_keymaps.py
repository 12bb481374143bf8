from __future__ import annotations

import importlib.util
from pathlib import Path
from types import SimpleNamespace

import bpy
import pytest

from skinning_addon.ui.keymaps import KEYMAP, SHORTCUTS, is_registered
from skinning_addon.ui.menus import SKINSCOPE_MT_pie
from tests.ui.recorded_layout import Recorded

# What Blender asks in a 3D view where meshes are previewed: in Object, Pose and Weight Paint Mode.
ASKED = {
    "3D View",
    "3D View Generic",
    "Frames",
    "Object Mode",
    "Object Non-modal",
    "Paint Face Mask (Weight, Vertex, Texture)",
    "Paint Vertex Selection (Weight, Vertex)",
    "Pose",
    "Screen",
    "Screen Editing",
    "Weight Paint",
    "Window",
}


def taken_keys(select_mouse):
    """(key, shift, ctrl, alt) of all that Blender's own keymap uses there."""
    folder = Path(bpy.utils.preset_paths("keyconfig")[0], "keymap_data")
    spec = importlib.util.spec_from_file_location("blender_default", folder / "blender_default.py")
    default = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(default)
    keymaps = {
        name: content["items"]
        for name, _, content in default.generate_keymaps(default.Params(select_mouse=select_mouse))
    }
    assert keymaps.keys() >= ASKED
    return {
        (event["type"], *(bool(event.get(name)) for name in ("shift", "ctrl", "alt")))
        for name in ASKED
        for _, event, _ in keymaps[name]
    }


@pytest.mark.parametrize("select_mouse", ["LEFT", "RIGHT"])
def test_no_key_is_taken_by_blender_s_own_keymap(select_mouse):
    taken = taken_keys(select_mouse)
    assert ("G", False, False, False) in taken
    assert ("S", True, False, False) in taken
    keys = [(one.key, one.shift, one.ctrl, one.alt) for one in SHORTCUTS]
    assert len(set(keys)) == len(keys)
    shared = {one.key for one in SHORTCUTS if one.is_shared}
    # While frames are recorded in the background, and Blender doesn't play.
    assert shared == {"ESC"}
    assert not {one for one in taken if one[0] not in shared} & set(keys)


def test_keys_are_added_for_the_operators_that_there_are(session):  # noqa: ARG001
    keys = bpy.context.window_manager.keyconfigs.addon
    if keys is None:
        return
    keymap = keys.keymaps[KEYMAP]
    ours = [item for item in keymap.keymap_items if any(one.is_of(item) for one in SHORTCUTS)]
    assert {item.idname for item in ours} == {
        one.operator for one in SHORTCUTS if is_registered(one.operator)
    }
    for item in ours:
        shortcut = next(one for one in SHORTCUTS if one.is_of(item))
        pressed = (item.type, item.shift, item.ctrl, item.alt)
        assert pressed == (shortcut.key, shortcut.shift, shortcut.ctrl, shortcut.alt)


def test_operators_are_told_from_what_does_not_exist(session):  # noqa: ARG001
    assert is_registered("skinscope.preview_toggle")
    assert all(is_registered(one.operator) for one in SHORTCUTS)
    assert not is_registered("skinscope.make_coffee")


def test_the_pie_menu_has_eight_entries_that_exist(session):  # noqa: ARG001
    pie = Recorded(0.0)
    pie.menu_pie = lambda: pie
    SKINSCOPE_MT_pie.draw(SimpleNamespace(layout=pie), bpy.context)
    operators = [one.operator for one in pie.buttons]
    assert all(map(is_registered, operators))
    assert len(operators) == len(set(operators)) == 7
    assert pie.height == 8
    called = [one.menu for one in SHORTCUTS if one.menu]
    assert [getattr(bpy.types, one) for one in called] == [SKINSCOPE_MT_pie]
