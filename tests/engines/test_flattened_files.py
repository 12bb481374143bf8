"""Whether the bones of a flattened hierarchy are in a .glb's scene: Blender 4 leaves some outside of it."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.core.profiles.exporter_settings import exported_so
from skinning_addon.measurement.check.check import CheckSettings, check_scene
from tests.engines.partly_keyed import posed_arm
from tests.engines.skinned_gltf import SkinnedGltf


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("flattened", [False, True])
def test_bones_outside_of_the_scene_are_named(tmp_path: Path, *, single: bool, flattened: bool):
    """single: whether only one bone deforms, and others are left out."""
    armature = posed_arm("Wave", active="Wave")
    for bone in armature.data.bones:
        bone.use_deform = bone.name == "b1" or not single
    settings = {"export_hierarchy_flatten_bones": flattened, "export_def_bones": True}
    path = tmp_path / "arm.glb"
    bpy.ops.export_scene.gltf(filepath=str(path), export_materials="NONE", **settings)
    profile = exported_so(load_profile("threejs"), settings)
    report = check_scene(bpy.context.scene, "arm", CheckSettings("cpu", clips=("Wave",), profiles=(profile,)))
    is_named = any(one.rule == "flattened-outside-scene" for one in report.findings)
    document = SkinnedGltf.read(path).document
    reached = set(document["scenes"][0]["nodes"])
    for _ in document["nodes"]:
        reached |= {child for one in reached for child in document["nodes"][one].get("children", ())}
    joints = {joint for skin in document["skins"] for joint in skin["joints"]}
    assert is_named == bool(joints - reached)
