"""A profile that blends dual quaternions: by a closed form, a twisted limb keeps its thickness, unlike with
linear blending.
"""

from __future__ import annotations

from math import cos, pi, radians
from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.core.profiles.aspects import aspects_of
from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.core.profiles.profile import Profile
from skinning_addon.core.verdicts.verdict import Level
from skinning_addon.measurement.check.check import CheckSettings, check_scene
from skinning_addon.measurement.frame.mesh_measurement import MeshMeasurement
from skinning_addon.measurement.profiles.profile_report import ProfileReport
from skinning_addon.measurement.profiles.profile_scan import ProfileScan
from skinning_addon.scene.binding.instant import Instant
from skinning_addon.scene.clips.playback import ScenePlayback
from tests.scene.comparison import blender_positions, size_of_motion
from tests.scene.random_rig import RigOptions, random_rig

from .float64_chain import skinned_in_float64

RADIUS = 0.3


def twisted_limb(twist: float) -> bpy.types.Object:
    """A ring of vertices around the joint of two bones along Y, half of each; the second is twisted, in
    degrees.
    """
    armature = bpy.data.objects.new("Armature", bpy.data.armatures.new("Armature"))
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    for name, start in (("Lower", 0.0), ("Upper", 1.0)):
        bone = armature.data.edit_bones.new(name)
        bone.head, bone.tail = (0, start, 0), (0, start + 1, 0)
    bpy.ops.object.mode_set(mode="OBJECT")
    around = np.linspace(0, 2 * pi, 12, endpoint=False)
    ring = np.column_stack((RADIUS * np.cos(around), np.ones(12), RADIUS * np.sin(around)))
    mesh = bpy.data.meshes.new("Limb")
    mesh.from_pydata(ring.tolist(), [], [list(range(12))])
    limb = bpy.data.objects.new("Limb", mesh)
    bpy.context.scene.collection.objects.link(limb)
    for name in ("Lower", "Upper"):
        limb.vertex_groups.new(name=name).add(list(range(12)), 0.5, "REPLACE")
    limb.modifiers.new("Armature", "ARMATURE").object = armature
    upper = armature.pose.bones["Upper"]
    upper.rotation_mode = "XYZ"
    upper.rotation_euler.y = radians(twist)
    bpy.context.view_layer.update()
    return limb


def dual_quaternion_profile(folder: Path) -> Path:
    """An engine that is otherwise three.js."""
    path = folder / "engine.toml"
    path.write_text(
        'extends = "threejs"\nlabel = "Engine"\n[shader]\nblend = "dual-quaternion"\n', encoding="utf-8"
    )
    return path


@pytest.mark.parametrize("twist", [40, 90, 150])
def test_a_twisted_limb_keeps_its_thickness(twist: float, device: str, tmp_path: Path):
    path = dual_quaternion_profile(tmp_path)
    limb = twisted_limb(twist)
    instant = Instant(bpy.context.evaluated_depsgraph_get())
    for name, expected in (("threejs", RADIUS * cos(radians(twist) / 2)), (str(path), RADIUS)):
        measured = MeshMeasurement(limb, instant, device, load_profile(name))
        try:
            positions = measured.measure(limb, instant).skinned.positions
        finally:
            measured.free()
        assert np.linalg.norm(positions[:, (0, 2)], axis=1) == pytest.approx(expected, abs=1e-6)
        assert positions[:, 1] == pytest.approx(1, abs=1e-6)
    assert "dual-quaternions" in {aspect.rule for aspect in aspects_of(load_profile(str(path)))}


@pytest.mark.parametrize("scale", ["none", "uniform", "non-uniform"])
def test_scaled_bones_are_blended_as_the_formulas_say(scale: str, device: str, tmp_path: Path):
    """Vertex by vertex in float64, straight from the paper, whatever volume Blender would keep."""
    rig = random_rig(RigOptions(scale=scale, transformed=True, preserve_volume=True))
    instant = Instant(bpy.context.evaluated_depsgraph_get())
    profile = load_profile(str(dual_quaternion_profile(tmp_path)))
    measured = MeshMeasurement(rig.mesh, instant, device, profile)
    try:
        measurement = measured.measure(rig.mesh, instant)
    finally:
        measured.free()
    expected = skinned_in_float64(measured.binding, measurement.frame)
    off = np.linalg.norm(measurement.skinned.positions - expected, axis=1)
    assert off.max() <= 1e-5 * size_of_motion(rig.mesh)


def scaled_limb() -> bpy.types.Object:
    limb = twisted_limb(120)
    bpy.data.objects["Armature"].pose.bones["Upper"].scale = (1.5, 1.2, 0.7)
    bpy.context.view_layer.update()
    return limb


def scanned(limb: bpy.types.Object, profile: Profile, first: int, last: int) -> ProfileReport:
    depsgraph = bpy.context.evaluated_depsgraph_get()
    scan = ProfileScan(bpy.context.scene, depsgraph, [limb], [profile], [ScenePlayback(first, last)])
    for _ in scan.steps():
        pass
    return scan.reports[0]


def test_the_sidebar_blends_as_the_check_does(tmp_path: Path):
    """Judged by the formulas too: the worst vertex of the scan lies as far from Blender's as they put it."""
    limb = scaled_limb()
    profile = load_profile(str(dual_quaternion_profile(tmp_path)))
    frame = bpy.context.scene.frame_current
    (mesh,) = scanned(limb, profile, frame, frame).meshes
    instant = Instant(bpy.context.evaluated_depsgraph_get())
    measured = MeshMeasurement(limb, instant, "cpu", profile)
    measurement = measured.measure(limb, instant)
    expected = skinned_in_float64(measured.binding, measurement.frame)
    off = np.linalg.norm(expected - blender_positions(limb), axis=1).max()
    assert off > 0.05, "nothing is blended otherwise"
    assert measurement.deviation.max == pytest.approx(off, abs=1e-6)
    assert mesh.worst.max == pytest.approx(off, abs=1e-6)


def test_the_sidebar_reports_what_the_check_does(tmp_path: Path):
    """Every figure and the verdict of a twisted, scaled limb; what is furthest off is several vertices in a
    symmetric ring.
    """
    limb = scaled_limb()
    upper = bpy.data.objects["Armature"].pose.bones["Upper"]
    for frame, twist in enumerate((20, 120, 90), start=1):
        upper.rotation_euler.y = radians(twist)
        upper.keyframe_insert("rotation_euler", frame=frame)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 3
    profile = load_profile(str(dual_quaternion_profile(tmp_path)))
    in_sidebar = scanned(limb, profile, 1, 3)
    # The check changes the scene, so it comes second.
    in_check = check_scene(bpy.context.scene, "limb", CheckSettings("cpu", profiles=(profile,)))
    (ours,), (theirs,) = in_sidebar.meshes, in_check.meshes
    assert ours.worst.max > 0.05, "nothing is blended otherwise"
    assert ours.worst.level is theirs.worst.level is Level.FAIL
    figures = ("max", "rms", "p99", "along_normal", "tangential", "surface", "surface_fail", "pop")
    assert [getattr(ours.worst, one) for one in figures] == pytest.approx(
        [getattr(theirs.worst, one) for one in figures], abs=1e-6
    )
    counted = ("bone", "clip", "frame", "frames", "run")
    assert [getattr(ours.worst, one) for one in counted] == [getattr(theirs.worst, one) for one in counted]
    assert [(one.bone, one.share) for one in ours.worst.parts] == [
        (one.bone, one.share) for one in theirs.worst.parts
    ]
    told = [
        {one.rule: one.deviation for one in report.findings if one.profile}
        for report in (in_sidebar, in_check)
    ]
    assert told[0] == pytest.approx(told[1], abs=1e-6)
    assert "dual-quaternions" in told[0]
