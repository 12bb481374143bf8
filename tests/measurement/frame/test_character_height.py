"""Thresholds scale with a whole character's height, and hands get a fifth, in both the check and
the sidebar.
"""

from __future__ import annotations

import bpy
import pytest

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.core.verdicts.finding import Severity
from skinning_addon.core.verdicts.verdict import Level
from skinning_addon.measurement.check.check import CheckSettings, check_scene
from skinning_addon.measurement.frame.character_height import height_scales
from skinning_addon.measurement.profiles.profile_scan import ProfileScan
from skinning_addon.scene.clips.playback import ScenePlayback

STRAY = 0.003
"""Approximate distance in meters by which three.js misplaces the vertex with five influences."""


def box(name: str, low: float, high: float) -> bpy.types.Object:
    data = bpy.data.meshes.new(name)
    data.from_pydata(
        [(x, y, z) for z in (low, high) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))],
        [],
        [(0, 1, 2, 3), (4, 5, 6, 7), (0, 1, 5, 4)],
    )
    mesh = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(mesh)
    return mesh


def armature_of(names: list[str]) -> bpy.types.Object:
    data = bpy.data.armatures.new("Rig")
    armature = bpy.data.objects.new("Rig", data)
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    for name in names:
        data.edit_bones.new(name).tail = (0, 0, 1)
    bpy.ops.object.mode_set(mode="OBJECT")
    return armature


def skinned(mesh: bpy.types.Object, armature: bpy.types.Object, bone: str) -> bpy.types.Object:
    mesh.vertex_groups.new(name=bone).add(range(len(mesh.data.vertices)), 1.0, "REPLACE")
    mesh.modifiers.new("Armature", "ARMATURE").object = armature
    return mesh


def test_a_character_is_all_that_one_armature_deforms():
    armature = armature_of(["Bone"])
    legs = skinned(box("Legs", 0, 1.2), armature, "Bone")
    head = skinned(box("Head", 3.0, 3.6), armature, "Bone")
    other = skinned(box("Other", 0, 0.9), armature_of(["Bone"]), "Bone")
    sword = box("Sword", 0, 50)
    sword.parent, sword.parent_type, sword.parent_bone = armature, "BONE", "Bone"
    bpy.context.view_layer.update()
    scales = height_scales(bpy.context.scene, [legs, head, other, sword])
    assert scales == pytest.approx({"Legs": 2.0, "Head": 2.0, "Other": 0.5, "Sword": 2.0})
    bpy.context.scene.unit_settings.scale_length = 0.5
    assert height_scales(bpy.context.scene, [head]) == pytest.approx({"Head": 1.0})


@pytest.mark.parametrize(
    ("bone", "level", "severity"),
    [("spine", Level.LOOK, Severity.WARNING), ("hand.L", Level.FAIL, Severity.ERROR)],
)
def test_the_check_and_the_sidebar_judge_alike(bone: str, level: Level, severity: Severity):
    """One vertex has five influences, and the fifth bone moves away: three.js drops it and divides by the
    rest.
    """
    others = [f"bone {number}" for number in range(4)]
    armature = armature_of([bone, *others])
    hand = skinned(box("Body part", 0, 0.1), armature, bone)
    skinned(box("Body", 0, 1.8), armature, bone)
    hand.vertex_groups[bone].add([0], 0.6, "REPLACE")
    for name, weight in zip(others, (0.12, 0.11, 0.1, 0.07), strict=True):
        hand.vertex_groups.new(name=name).add([0], weight, "REPLACE")
    moving = armature.pose.bones[others[-1]]
    for frame, height in ((1, 0.0), (2, STRAY / 0.07)):
        moving.location = (0, height, 0)
        moving.keyframe_insert("location", frame=frame)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 2
    bpy.context.view_layer.update()
    profile = load_profile("threejs")
    depsgraph = bpy.context.evaluated_depsgraph_get()
    scan = ProfileScan(scene, depsgraph, [hand], [profile], [ScenePlayback(1, 2)])
    list(scan.steps())
    in_sidebar = scan.reports[0].meshes[0].worst
    report = check_scene(scene, "rig", CheckSettings("cpu", profiles=(profile,)))
    in_check = next(one.worst for one in report.meshes if one.object == "Body part")
    assert in_check.max == pytest.approx(STRAY, rel=1e-3)
    assert in_check.level is in_sidebar.level is level
    assert in_check.surface == pytest.approx(in_sidebar.surface)
    assert in_check.run == in_sidebar.run == 1
    assert [one.bone for one in in_check.parts] == [one.bone for one in in_sidebar.parts] == [bone]
    for findings in (report.findings, scan.reports[0].findings):
        (finding,) = [one for one in findings if one.rule == "influence-limit"]
        assert finding.severity is severity
        assert finding.vertices == (0,)
