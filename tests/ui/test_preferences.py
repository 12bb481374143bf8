from __future__ import annotations

import bpy
import pytest

from skinning_addon.core.text.length import format_length
from skinning_addon.core.text.message import Message
from skinning_addon.drawing.heat_scale import HeatScale
from skinning_addon.ui import preferences as preferences_module
from skinning_addon.ui.preferences import SKINSCOPE_AP_preferences
from skinning_addon.ui.preview.new_scenes import FOR_NEW_SCENES
from skinning_addon.ui.settings.properties import preview_settings
from skinning_addon.viewport.choices.preferences import ADD_ON, FACTORY, read_preferences
from skinning_addon.viewport.choices.translation import translated
from tests.scene.random_rig import RigOptions, random_rig


@pytest.fixture
def preferences(session):  # noqa: ARG001 - registers the class
    """The add-on's preferences, at the factory's values before and after."""
    add_ons = bpy.context.preferences.addons
    listed = ADD_ON in add_ons
    if not listed:
        # What enabling an extension does besides registering it.
        add_ons.new().module = ADD_ON
    stored = add_ons[ADD_ON].preferences
    yield stored
    for name in SKINSCOPE_AP_preferences.__annotations__:
        stored.property_unset(name)
    if not listed:
        add_ons.remove(add_ons[ADD_ON])


def settings():
    return bpy.context.scene.skinscope


def new_file():
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)


def test_they_are_the_factory_s_until_somebody_changes_them(preferences):  # noqa: ARG001
    read = read_preferences()
    assert read.heat_scale.limits == pytest.approx(HeatScale().limits)
    assert read.display == "SHADED"
    for name in ("base_color", "same_color", "off_color"):
        assert getattr(read, name) == pytest.approx(getattr(FACTORY, name))


def test_without_an_enabled_add_on_they_are_the_factory_s():
    if ADD_ON not in bpy.context.preferences.addons:
        assert read_preferences() is FACTORY


@pytest.mark.parametrize(
    ("unit", "digits", "text"),
    [
        ("AUTOMATIC", 2, "4.1 mm"),
        ("AUTOMATIC", 4, "4.123 mm"),
        ("MILLIMETERS", 2, "4.1 mm"),
        ("CENTIMETERS", 2, "0.41 cm"),
        ("METERS", 3, "0.00412 m"),
        ("INCHES", 3, "0.162 in"),
    ],
)
def test_lengths_are_told_in_the_preferred_unit(preferences, unit, digits, text):
    preferences.length_unit, preferences.length_digits = unit, digits
    length = format_length(0.004123)
    assert length == "4.1 mm"
    assert translated(length) == text
    inside = Message("{count} more: off by {distance} or less", count=3, distance=length)
    assert translated(Message("{problem} (Blender says: {error})", problem=inside, error="")).startswith(
        f"3 more: off by {text}"
    )


@pytest.mark.parametrize(
    ("system", "unit", "text"),
    [
        ("METRIC", "ADAPTIVE", "4.1 mm"),
        ("METRIC", "MICROMETERS", "4123 µm"),
        ("METRIC", "METERS", "0.0041 m"),
        ("IMPERIAL", "ADAPTIVE", "0.16 in"),
        ("IMPERIAL", "THOU", "162 thou"),
        ("NONE", "ADAPTIVE", "4.1 mm"),
    ],
)
def test_lengths_are_told_in_the_scene_s_unit(preferences, system, unit, text):
    preferences.length_unit = "SCENE"
    units = bpy.context.scene.unit_settings
    units.system = system
    if system != "NONE":
        units.length_unit = unit
    assert translated(format_length(0.004123)) == text


def test_a_new_file_starts_as_preferred(preferences):
    preferences.display, preferences.placement, preferences.show_figures = "DEVIATION", "ASIDE", False
    new_file()
    assert (settings().display, settings().placement, settings().show_figures) == (
        "DEVIATION",
        "ASIDE",
        False,
    )
    preferences.display = "WIREFRAME"
    assert settings().display == "DEVIATION"


def test_a_saved_file_stays_as_it_is(preferences, tmp_path):
    path = str(tmp_path / "saved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    preferences.display = "DEVIATION"
    bpy.ops.wm.open_mainfile(filepath=path)
    assert not settings().is_property_set("display")


def test_a_scene_s_first_preview_starts_as_preferred_but_for_what_was_set(preferences):
    rig = random_rig(RigOptions(scale="none"))
    preferences.display, preferences.placement = "DEVIATION", "ASIDE"
    settings().placement = "IN_PLACE"
    rig.mesh.select_set(True)
    bpy.context.view_layer.objects.active = rig.mesh
    bpy.ops.skinscope.preview_start()
    assert (settings().display, settings().placement) == ("DEVIATION", "IN_PLACE")


def test_the_heat_map_keeps_the_preferred_proportions(preferences):
    preferences.invisible_to, preferences.good_to = 0.001, 0.002
    preferences.fail_from, preferences.scale_top = 0.004, 0.016
    settings().threshold = 0.4
    scale = preview_settings(bpy.context.scene).drawing.heat_scale
    assert scale.limits == pytest.approx((0.1, 0.2, 0.4, 0.5, 1.0, 1.6))


def test_steps_that_do_not_ascend_are_not_used(preferences):
    preferences.good_to = 0.5
    settings().threshold = 0.05
    scale = preview_settings(bpy.context.scene).drawing.heat_scale
    assert scale.limits == pytest.approx((0.001, 0.01, 0.05, 0.2, 1.0, 5.0))


def test_colors_reach_what_is_drawn(preferences):
    preferences.base_color, preferences.off_color = (1, 0, 0), (0, 1, 0, 1)
    drawn = preview_settings(bpy.context.scene)
    assert drawn.drawing.base_color == (1, 0, 0)
    assert drawn.off_color == (0, 1, 0, 1)


REDRAW_NOTHING = {"bl_idname", "check_exports", "cache_megabytes", "record_when_idle"}


def test_what_changes_the_picture_redraws_it(preferences, monkeypatch):
    redrawn = []
    monkeypatch.setattr(preferences_module, "redraw_views", lambda: redrawn.append(True))
    for name in SKINSCOPE_AP_preferences.__annotations__:
        if name not in {*REDRAW_NOTHING, *FOR_NEW_SCENES}:
            before = len(redrawn)
            setattr(preferences, name, getattr(preferences, name))
            assert len(redrawn) == before + 1, name
