"""Enabling and disabling leaves Blender unchanged; it works without a window and creates nothing on the GPU."""

from __future__ import annotations

import bpy
import pytest

import skinning_addon
from skinning_addon.ui import keymaps
from skinning_addon.ui.menus import ADDITIONS
from skinning_addon.ui.registration import CLASSES
from skinning_addon.viewport import draw_handlers
from skinning_addon.viewport import session as session_module


def traces() -> dict:
    """Everything that enabling adds to Blender."""
    handlers = {
        name: tuple(handler.__name__ for handler in getattr(bpy.app.handlers, name))
        for name in dir(bpy.app.handlers)
        if isinstance(getattr(bpy.app.handlers, name), list)
    }
    return {
        "classes": tuple(one.__name__ for one in CLASSES if is_registered(one)),
        "operators": tuple(sorted(dir(bpy.ops.skinscope))),
        "properties": tuple(name for name in dir(bpy.types.Scene) if "skinscope" in name),
        "handlers": handlers,
        "draw handles": len(draw_handlers._handles),
        "menus": {name: len(getattr(bpy.types, name)._dyn_ui_initialize()) for name in ADDITIONS},
        "shortcuts": len(keymaps._items),
        "session": session_module._session is not None,
    }


def is_registered(one: type) -> bool:
    """Gizmos and their groups have no `is_registered`."""
    base = next(base for base in one.__mro__ if base.__module__ in {"bpy.types", "_bpy_types", "bpy_types"})
    return base.bl_rna_get_subclass_py(one.__name__) is one


@pytest.fixture
def disabled():
    """The extension disabled, as in a fresh Blender."""
    enabled = session_module._session is not None
    if enabled:
        skinning_addon.unregister()
    yield
    if enabled:
        skinning_addon.register()


@pytest.mark.usefixtures("disabled")
def test_disabling_takes_away_all_that_enabling_brought_and_it_can_be_enabled_again():
    before = traces()
    assert not before["classes"]
    skinning_addon.register()
    enabled = traces()
    assert len(enabled["classes"]) == len(CLASSES)
    assert enabled["draw handles"] == 2
    assert enabled["properties"] == ("skinscope",)
    skinning_addon.unregister()
    assert traces() == before
    skinning_addon.register()
    assert traces() == enabled
    skinning_addon.unregister()
    assert traces() == before


def test_handlers_survive_loading_a_file(session):
    before = traces()["handlers"]
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    assert traces()["handlers"] == before
    assert session.previews == ()


def test_every_operator_and_setting_has_a_tooltip(session):  # noqa: ARG001 - registers the classes
    for operator in dir(bpy.ops.skinscope):
        described(getattr(bpy.ops.skinscope, operator).get_rna_type())
    for one in CLASSES:
        for name in getattr(one, "__annotations__", {}):
            if name in one.bl_rna.properties:
                described(one.bl_rna.properties[name])


def described(rna) -> None:
    """Blender adds the full stop of a tooltip itself."""
    assert rna.description.strip(), rna
    assert not rna.description.endswith("."), rna
