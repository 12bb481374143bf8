"""Whether a bone that doesn't deform, but carries an object, is in a .glb's scene with deformation bones only: Blender
5 leaves out some, with what is below them.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

import bpy
import pytest

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.core.profiles.exporter_settings import exported_so
from skinning_addon.core.verdicts.finding import Finding
from skinning_addon.measurement.check.check import CheckSettings, check_scene
from skinning_addon.measurement.findings.export_findings import FLATTENS_IN_SCENE
from tests.engines.skinned_gltf import SkinnedGltf
from tests.scene.posed_arm import keyed_arm

pytestmark = pytest.mark.skipif(
    bpy.app.version < FLATTENS_IN_SCENE, reason="Blender 4 writes such bones elsewhere"
)

ON_BONES = [
    ("b0", ("b1", "b2")),
    ("b0", ("b0",)),
    ("b1", ("b2",)),
    ("b1", ("b0", "b2")),
    ("b2", ("b0", "b1")),
    ("b2", ("b0",)),
    ("b2", ("b1",)),
]
"""The bone that carries an object, and those that deform."""

CASES = list(product(ON_BONES, [False, True]))


@pytest.mark.parametrize(("on", "flattened"), CASES)
def test_a_mesh_that_is_left_out_is_named(
    tmp_path: Path, on: tuple[str, tuple[str, ...]], *, flattened: bool
):
    carry("Skin", on)
    settings = {"export_def_bones": True, "export_hierarchy_flatten_bones": flattened}
    told = [one.message for one in found(settings)]
    is_told = any("leaves 'Skin' out of the file" in one and f"'{on[0]}'" in one for one in told)
    assert is_told == ("meshes" not in exported(tmp_path, settings).document)
    settings["export_def_bones"] = False
    assert not found(settings)
    assert "meshes" in exported(tmp_path, settings).document


@pytest.mark.parametrize(("on", "flattened"), CASES)
def test_a_skin_whose_joints_are_outside_the_scene_is_named(
    tmp_path: Path, on: tuple[str, tuple[str, ...]], *, flattened: bool
):
    prop = bpy.data.objects.new("Prop", bpy.data.meshes.new("Prop"))
    carry(prop.name, on)
    settings = {"export_def_bones": True, "export_hierarchy_flatten_bones": flattened}
    told = [one.message for one in found(settings)]
    is_told = any(f"the bone '{on[0]}' of 'Arm', which carries 'Prop'" in one for one in told)
    assert is_told == bool(joints_outside(exported(tmp_path, settings)))
    settings["export_def_bones"] = False
    assert not found(settings)
    assert not joints_outside(exported(tmp_path, settings))


def carry(name: str, on: tuple[str, tuple[str, ...]]) -> None:
    bone, deforming = on
    armature = keyed_arm()
    for one in armature.data.bones:
        one.use_deform = one.name in deforming
    carried = bpy.data.objects[name]
    if carried.name not in bpy.context.scene.objects:
        bpy.context.scene.collection.objects.link(carried)
    carried.parent, carried.parent_type, carried.parent_bone = armature, "BONE", bone


def found(settings: dict[str, object]) -> list[Finding]:
    profile = exported_so(load_profile("threejs"), settings)
    report = check_scene(bpy.context.scene, "arm", CheckSettings("cpu", clips=("Bend",), profiles=(profile,)))
    return [one for one in report.findings if one.rule == "carrier-outside-scene"]


def exported(folder: Path, settings: dict[str, object]) -> SkinnedGltf:
    path = folder / "arm.glb"
    bpy.ops.export_scene.gltf(filepath=str(path), export_materials="NONE", **settings)
    return SkinnedGltf.read(path)


def joints_outside(file: SkinnedGltf) -> set[str]:
    """Name the joints that no node of the scene holds."""
    nodes = file.document["nodes"]
    inside, waiting = set(), list(file.document["scenes"][0]["nodes"])
    while waiting:
        number = waiting.pop()
        inside.add(number)
        waiting += nodes[number].get("children", ())
    joints = {joint for skin in file.document.get("skins", ()) for joint in skin["joints"]}
    return {nodes[one]["name"] for one in joints - inside}
