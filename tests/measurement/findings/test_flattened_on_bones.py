"""Whether a mesh on a bone of a flattened hierarchy is in a .glb: Blender 4 leaves out some."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.core.profiles.exporter_settings import exported_so
from skinning_addon.measurement.check.check import CheckSettings, check_scene
from tests.engines.skinned_gltf import SkinnedGltf
from tests.scene.posed_arm import keyed_arm


@pytest.mark.parametrize(
    ("bone", "deforming"),
    [
        ("b0", ("b0", "b1", "b2")),
        ("b1", ("b0", "b1", "b2")),
        ("b2", ("b0", "b1", "b2")),
        ("b1", ("b1", "b2")),
        ("b2", ("b1", "b2")),
        ("b2", ("b0", "b2")),
    ],
)
def test_a_mesh_that_is_left_out_is_named(tmp_path: Path, bone: str, deforming: tuple[str, ...]):
    armature = keyed_arm()
    for one in armature.data.bones:
        one.use_deform = one.name in deforming
    skin = bpy.data.objects["Skin"]
    skin.parent, skin.parent_type, skin.parent_bone = armature, "BONE", bone
    settings = {"export_hierarchy_flatten_bones": True, "export_def_bones": True}
    path = tmp_path / "arm.glb"
    bpy.ops.export_scene.gltf(filepath=str(path), export_materials="NONE", **settings)
    profile = exported_so(load_profile("threejs"), settings)
    report = check_scene(bpy.context.scene, "arm", CheckSettings("cpu", clips=("Bend",), profiles=(profile,)))
    told = [one.message for one in report.findings if one.rule == "flattened-outside-scene"]
    is_told = any("leaves 'Skin' out of the file" in one and f"'{bone}'" in one for one in told)
    assert is_told == ("meshes" not in SkinnedGltf.read(path).document)
