"""Exports with which Blender's exporter fails are named before: the judge is the exporter."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import bpy
import pytest

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.core.profiles.exporter_settings import exported_so
from skinning_addon.measurement.check.check import CheckSettings, check_scene
from tests.scene.posed_arm import keyed_arm

BROADCAST = {"export_animation_mode": "BROADCAST", "export_bake_animation": True}

DATA: dict[str, Callable[[], bpy.types.ID | None]] = {
    "an empty": lambda: None,
    "a curve": lambda: bpy.data.curves.new("One", "CURVE"),
    "a text": lambda: bpy.data.curves.new("One", "FONT"),
    "a lattice": lambda: bpy.data.lattices.new("One"),
    "a mesh": lambda: bpy.data.meshes.new("One"),
    "a light": lambda: bpy.data.lights.new("One", "POINT"),
    "a camera": lambda: bpy.data.cameras.new("One"),
    "a speaker": lambda: bpy.data.speakers.new("One"),
}


@pytest.mark.parametrize("kind", DATA)
def test_an_object_with_an_action(tmp_path: Path, kind: str):
    keyed_arm()
    one = bpy.data.objects.new("One", DATA[kind]())
    bpy.context.scene.collection.objects.link(one)
    one.keyframe_insert("location", frame=1)
    assert is_named(BROADCAST) == fails(tmp_path, BROADCAST)
    for settings in (
        {"export_animation_mode": "BROADCAST"},
        {"export_animation_mode": "ACTIONS", "export_bake_animation": True},
    ):
        assert not is_named(settings)
        assert not fails(tmp_path, settings)


@pytest.mark.parametrize("keyed", ["the armature itself", "another armature", "the mesh"])
def test_only_a_whole_that_is_keyed(tmp_path: Path, keyed: str):
    """The exporter looks for none of these in vain."""
    armature = keyed_arm()
    armature.animation_data_clear()
    other = bpy.data.objects.new("Other", bpy.data.armatures.new("Other"))
    bpy.context.scene.collection.objects.link(other)
    one = {"the armature itself": armature, "another armature": other, "the mesh": bpy.data.objects["Skin"]}[
        keyed
    ]
    for frame in (1, 10):
        one.location.x = frame
        one.keyframe_insert("location", frame=frame)
    assert not fails(tmp_path, BROADCAST)
    assert not is_named(BROADCAST)


def is_named(settings: dict[str, object]) -> bool:
    profile = exported_so(load_profile("threejs"), settings)
    report = check_scene(bpy.context.scene, "arm", CheckSettings("cpu", profiles=(profile,)))
    return any(one.rule == "export-fails" for one in report.findings)


def fails(folder: Path, settings: dict[str, object]) -> bool:
    try:
        bpy.ops.export_scene.gltf(filepath=str(folder / "arm.glb"), export_materials="NONE", **settings)
    except RuntimeError as error:
        return "KeyError" in str(error)
    return False
