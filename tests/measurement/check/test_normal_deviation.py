"""A sloping plane that a bone stretches to twice its height: every normal rule has a closed form."""

from __future__ import annotations

import math

import bpy
import pytest

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.measurement.check.check import CheckSettings, check_scene
from skinning_addon.measurement.frame.worst_frame import NormalDeviation

BY_MATRIX = math.degrees(2 * (math.atan2(2, 1) - math.radians(45)))
"""The normal (0, 1, 1) becomes (0, 1, 2) instead of (0, 2, 1)."""


@pytest.fixture
def stretched_plane() -> None:
    data = bpy.data.armatures.new("Rig")
    armature = bpy.data.objects.new("Rig", data)
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    data.edit_bones.new("Bone").tail = (0, 0, 1)
    bpy.ops.object.mode_set(mode="OBJECT")
    plane = bpy.data.meshes.new("Plane")
    plane.from_pydata([(0, 1, 0), (1, 1, 0), (1, 0, 1), (0, 0, 1)], [], [(0, 1, 2, 3)])
    mesh = bpy.data.objects.new("Plane", plane)
    bpy.context.scene.collection.objects.link(mesh)
    mesh.vertex_groups.new(name="Bone").add(range(4), 1.0, "REPLACE")
    mesh.modifiers.new("Armature", "ARMATURE").object = armature
    bone = armature.pose.bones["Bone"]
    for frame, height in ((1, 1.0), (2, 2.0)):
        bone.scale = (1, height, 1)
        bone.keyframe_insert("scale", frame=frame)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 2


def normals(profile_id: str) -> NormalDeviation | None:
    settings = CheckSettings("cpu", profiles=(load_profile(profile_id),))
    (mesh,) = check_scene(bpy.context.scene, "rig", settings).meshes
    assert mesh.worst.max < 1e-5
    return mesh.worst.normals


@pytest.mark.usefixtures("stretched_plane")
def test_by_the_blended_matrix():
    found = normals("threejs")
    assert (found.max, found.p99, found.mean, found.by_rule) == pytest.approx([BY_MATRIX] * 4, abs=1e-3)
    assert found.frame == 2


@pytest.mark.usefixtures("stretched_plane")
@pytest.mark.parametrize("profile_id", ["bevy", "filament"])
def test_by_cofactors(profile_id: str):
    found = normals(profile_id)
    assert (found.max, found.by_rule) == pytest.approx((0, 0), abs=1e-3)


@pytest.mark.usefixtures("stretched_plane")
def test_blenders_own_are_not_compared_with_themselves():
    assert normals("blender") is None
