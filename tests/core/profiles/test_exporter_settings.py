"""Exporters' settings are Blender's own: names, labels, defaults and allowed values are read off its operators."""

from __future__ import annotations

import bpy
import pytest

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.core.profiles.exporter_settings import SETTINGS, checked, exported_so, settings_of
from skinning_addon.core.profiles.profile import BLENDER, FileFormat
from skinning_addon.core.text.errors import ProfileError

DEFAULT_OF = {
    FileFormat.GLTF: load_profile("threejs"),
    FileFormat.FBX: load_profile("unity-unlimited"),
    FileFormat.USD: load_profile("usd"),
}
"""Profiles of files that are exported with default settings."""


NEEDS_USD = pytest.mark.skipif(not bpy.app.build_options.usd, reason="this Blender is built without USD")
ALL_SETTINGS = [
    pytest.param(name, marks=NEEDS_USD) if one.format is FileFormat.USD else name
    for name, one in SETTINGS.items()
]


def blender_property(name: str) -> bpy.types.Property:
    operators = {
        FileFormat.GLTF: bpy.ops.export_scene.gltf,
        FileFormat.FBX: bpy.ops.export_scene.fbx,
        FileFormat.USD: bpy.ops.wm.usd_export,
    }
    return operators[SETTINGS[name].format].get_rna_type().properties[name]


@pytest.mark.parametrize("name", ALL_SETTINGS)
def test_a_setting_is_that_of_the_exporter(name: str):
    one, theirs = SETTINGS[name], blender_property(name)
    # 4.2 writes some of them in lower case.
    assert one.label.lower() == theirs.name.lower()
    profile = DEFAULT_OF[one.format]
    assert one.value_of(profile) == one.default == theirs.default
    if theirs.type == "ENUM":
        assert all(one.reader.read(item.identifier) for item in theirs.enum_items)
    elif theirs.type in {"INT", "FLOAT"}:
        assert one.reader.read(theirs.hard_min) is not None
        assert one.reader.read(theirs.hard_max) is not None
        assert one.reader.read(theirs.hard_min - 1) is None
    else:
        assert theirs.type == "BOOLEAN"


def another_choice(name: str) -> str:
    theirs = blender_property(name)
    return next(one.identifier for one in theirs.enum_items if one.identifier != theirs.default)


@pytest.mark.parametrize("name", ALL_SETTINGS)
def test_a_setting_changes_the_profiles_of_its_exporter_alone(name: str):
    one = SETTINGS[name]
    value = {
        "BOOLEAN": lambda: not blender_property(name).default,
        "INT": lambda: 7,
        "FLOAT": lambda: 0.5,
    }.get(blender_property(name).type, lambda: another_choice(name))()
    told = exported_so(DEFAULT_OF[one.format], {name: value})
    assert told.exporter_settings == ((name, value),)
    assert one.value_of(told) == value
    other = next(profile for format_, profile in DEFAULT_OF.items() if format_ is not one.format)
    assert exported_so(other, {name: value}) == other
    assert exported_so(BLENDER, {name: value}) == BLENDER


def test_all_influences_win_over_their_number():
    profile = DEFAULT_OF[FileFormat.GLTF]
    both = exported_so(profile, {"export_all_influences": True, "export_influence_nb": 6})
    assert both.exporter.influences is None
    assert exported_so(profile, {"export_influence_nb": 6}).exporter.influences == 6
    assert exported_so(profile, {"export_influence_nb": 10_000}).exporter.influences is None


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"export_skins": True}, "'export_skins' is not a setting"),
        ({"export_def_bones": 1}, "export_def_bones is 1; it must be true or false."),
        ({"export_influence_nb": 0}, "export_influence_nb is 0; it must be a whole number from 1 "),
        ({"export_animation_mode": "ALL"}, "export_animation_mode is 'ALL'; it must be \"ACTIONS\""),
    ],
)
def test_what_is_not_allowed_is_rejected(values: dict[str, object], sentence: str):
    with pytest.raises(ProfileError) as error:
        checked(values)
    assert sentence in str(error.value)


def test_only_engines_behind_an_exporter_have_settings():
    assert settings_of(BLENDER) == ()
    assert len(settings_of(DEFAULT_OF[FileFormat.GLTF])) == 14
    assert len(settings_of(DEFAULT_OF[FileFormat.FBX])) == 6
    assert len(settings_of(DEFAULT_OF[FileFormat.USD])) == 1
