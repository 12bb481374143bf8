"""What an engine's importer mistakes is named: by what the scene holds, whatever plays."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.core.verdicts.finding import Finding, Severity
from skinning_addon.measurement.findings.import_findings import findings_of_import
from skinning_addon.scene.binding.binding_reader import read_binding
from skinning_addon.scene.meshes.mesh_contents import read_mesh_contents
from tests.scene.random_rig import RandomRig, RigOptions, random_rig


@pytest.fixture
def rig() -> RandomRig:
    return random_rig(RigOptions(scale="none"))


def found(rig: RandomRig, profile: str) -> list[Finding]:
    bpy.context.view_layer.update()
    parts = read_mesh_contents(rig.mesh)
    binding = read_binding(rig.mesh, bpy.context.evaluated_depsgraph_get(), parts)
    return list(findings_of_import(rig.mesh, bpy.context.scene, binding, load_profile(profile)))


def weighted_bone(rig: RandomRig) -> str:
    return next(group.name for group in rig.mesh.vertex_groups if group.name in rig.armature.data.bones)


@pytest.mark.parametrize("profile", ["playcanvas", "raylib", "threejs"])
def test_a_plain_rig_has_none(rig: RandomRig, profile: str):
    assert found(rig, profile) == []


def test_an_armature_called_like_a_weighted_bone(rig: RandomRig):
    rig.armature.name = weighted_bone(rig)
    (finding,) = found(rig, "playcanvas")
    assert (finding.rule, finding.severity) == ("bone-names-shared", Severity.ERROR)
    assert f"'{weighted_bone(rig)}', also an object" in finding.message
    assert found(rig, "threejs") == []


def test_another_object_called_like_a_weighted_bone_may_come_later(rig: RandomRig):
    bpy.context.collection.objects.link(bpy.data.objects.new(weighted_bone(rig), None))
    (finding,) = found(rig, "playcanvas")
    assert (finding.rule, finding.severity) == ("bone-names-shared", Severity.WARNING)


def test_two_armatures_whose_bones_are_called_alike(rig: RandomRig):
    other = rig.armature.copy()
    other.data = rig.armature.data.copy()
    bpy.context.collection.objects.link(other)
    (finding,) = found(rig, "playcanvas")
    assert finding.severity is Severity.ERROR
    assert f"a bone of '{other.name}'" in finding.message


def test_a_mesh_below_an_armature_that_is_moved(rig: RandomRig):
    rig.armature.location = (0.0, 0.0, 2.5)
    assert found(rig, "raylib") == []
    rig.mesh.parent = rig.armature
    bpy.context.view_layer.update()
    (finding,) = found(rig, "raylib")
    assert (finding.rule, finding.severity) == ("node-transform", Severity.ERROR)
    assert finding.deviation == pytest.approx(2.5)
    rig.armature.location, rig.armature.rotation_euler = (0.0, 0.0, 0.0), (0.0, 0.0, np.pi)
    (finding,) = found(rig, "raylib")
    world = np.array([rig.mesh.matrix_world @ vertex.co for vertex in rig.mesh.data.vertices])
    assert finding.deviation == pytest.approx(2 * np.linalg.norm(world[:, :2], axis=1).max(), rel=1e-5)


def test_an_armature_that_is_scaled_unevenly(rig: RandomRig):
    rig.armature.scale = (1.0, 1.0, 2.0)
    (finding,) = found(rig, "raylib")
    assert finding.rule == "node-transform"
    assert "axis by axis" in finding.message


def test_more_joints_than_can_be_numbered(rig: RandomRig):
    bpy.context.view_layer.objects.active = rig.armature
    bpy.ops.object.mode_set(mode="EDIT")
    present = len(rig.armature.data.edit_bones)
    for number in range(257 - present):
        bone = rig.armature.data.edit_bones.new(f"more {number}")
        bone.tail = (0.0, 0.0, 1.0)
    bpy.ops.object.mode_set(mode="OBJECT")
    (finding,) = found(rig, "raylib")
    assert (finding.rule, finding.severity) == ("joint-numbers", Severity.ERROR)
    assert "257 joints" in finding.message
    assert found(rig, "threejs") == []


def test_a_mesh_beside_its_armature(rig: RandomRig):
    (finding,) = found(rig, "panda3d")
    assert (finding.rule, finding.severity) == ("mesh-beside-armature", Severity.WARNING)
    rig.armature.location = (0.0, 0.0, 2.5)
    (finding,) = found(rig, "panda3d")
    assert (finding.rule, finding.severity) == ("mesh-beside-armature", Severity.ERROR)
    assert found(rig, "threejs") == []
    rig.mesh.parent = rig.armature
    assert found(rig, "panda3d") == []
    above = bpy.data.objects.new("above", None)
    above.location = rig.armature.location
    bpy.context.collection.objects.link(above)
    rig.mesh.parent = rig.armature.parent = above
    (finding,) = found(rig, "panda3d")
    assert finding.severity is Severity.ERROR
    rig.armature.location = (0.0, 0.0, 0.0)
    assert found(rig, "panda3d") == []


@pytest.mark.parametrize(("fps", "is_missed"), [(24, True), (25, True), (30, False), (60, True), (15, False)])
def test_an_armature_that_moves_between_the_samples_of_an_importer(rig: RandomRig, fps: int, is_missed: bool):
    """Godot takes 30 samples a second; what bones do between them is measured (`test_resampling.py`)."""
    bpy.context.scene.render.fps = fps
    rig.armature.pose.bones[0].keyframe_insert("location", frame=1)
    assert found(rig, "godot4") == []
    rig.armature.keyframe_insert("location", frame=1)
    assert [one.rule for one in found(rig, "godot4")] == ["armature-between-keys"] * is_missed
    assert found(rig, "threejs") == []
