"""Normals of skinned vertices against those that Blender computes from the posed faces."""

from __future__ import annotations

import math
from dataclasses import dataclass

import bmesh
import bpy
import numpy as np
import pytest

from skinning_addon.core.blending.software_skinning import SoftwareSkinner
from skinning_addon.core.surface.gradient_normals import gradient_normals
from skinning_addon.core.surface.weight_gradient import weight_gradient
from skinning_addon.scene.binding.binding_reader import read_binding
from skinning_addon.scene.binding.frame_reader import FrameReader
from skinning_addon.scene.meshes.blender_result import read_blender_result

BONES = 4
AROUND, RINGS, RADIUS = 64, 161, 0.35


@dataclass(frozen=True)
class Pose:
    """What bones 2 to 4 do: degrees about their X and Y axes, and scale."""

    bend: float = 0.0
    twist: float = 0.0
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)


@dataclass(frozen=True)
class Angles:
    """Degrees between two sets of normals."""

    mean: float
    max: float


def limb() -> tuple[bpy.types.Object, bpy.types.Object]:
    """A tube around a chain of four bones of one unit; half a unit around each joint the weights fade
    smoothly.
    """
    data = bpy.data.armatures.new("Limb")
    armature = bpy.data.objects.new("Limb", data)
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    parent = None
    for index in range(BONES):
        bone = data.edit_bones.new(f"bone {index}")
        bone.head, bone.tail, bone.parent = (0, index, 0), (0, index + 1, 0), parent
        parent = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    along = np.repeat(np.linspace(0, BONES, RINGS), AROUND)
    around = np.tile(np.arange(AROUND) * (2 * math.pi / AROUND), RINGS)
    positions = np.stack((RADIUS * np.cos(around), along, RADIUS * np.sin(around)), axis=1)
    start = np.arange(AROUND * (RINGS - 1)).reshape(RINGS - 1, AROUND)
    beside = np.roll(start, -1, axis=1)
    faces = np.stack((start, start + AROUND, beside + AROUND, beside), axis=-1).reshape(-1, 4)
    mesh = bpy.data.meshes.new("Skin")
    mesh.from_pydata(positions.tolist(), [], faces.tolist())
    skin = bpy.data.objects.new("Skin", mesh)
    bpy.context.scene.collection.objects.link(skin)
    for index in range(BONES):
        skin.vertex_groups.new(name=f"bone {index}")
    _paint(mesh, along)
    skin.modifiers.new("Armature", "ARMATURE").object = armature
    return skin, armature


def _paint(mesh: bpy.types.Mesh, along: np.ndarray) -> None:
    ramps = np.clip(along[:, None] - np.arange(1, BONES) + 0.5, 0, 1)
    passed = ramps * ramps * (3 - 2 * ramps)
    whole, none = np.ones((len(along), 1)), np.zeros((len(along), 1))
    weights = np.hstack((whole, passed)) - np.hstack((passed, none))
    vertices = bmesh.new()
    vertices.from_mesh(mesh)
    layer = vertices.verts.layers.deform.verify()
    for vertex, row in zip(vertices.verts, weights.tolist(), strict=True):
        for index, weight in enumerate(row):
            if weight > 0:
                vertex[layer][index] = weight
    vertices.to_mesh(mesh)
    vertices.free()


def assume(armature: bpy.types.Object, pose: Pose) -> None:
    for pose_bone in armature.pose.bones[1:]:
        pose_bone.rotation_mode = "XYZ"
        pose_bone.rotation_euler = (math.radians(pose.bend), math.radians(pose.twist), 0)
        pose_bone.scale = pose.scale
    bpy.context.view_layer.update()


def angles(normals: np.ndarray, truth: np.ndarray) -> Angles:
    across = np.linalg.norm(np.cross(normals, truth), axis=1)
    degrees = np.degrees(np.arctan2(across, np.einsum("vc,vc->v", normals, truth)))
    return Angles(float(degrees.mean()), float(degrees.max()))


def measured(pose: Pose) -> dict[str, Angles]:
    """Angles to Blender's normals: by the blended 3 x 3 matrix, by its cofactors, and with the weight
    gradient.
    """
    skin, armature = limb()
    depsgraph = bpy.context.evaluated_depsgraph_get()
    binding = read_binding(skin, depsgraph)
    mesh, weights = binding.mesh, binding.passes[0].skin.normalised()
    gradient = weight_gradient(binding.passes, mesh)
    assume(armature, pose)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    palette = FrameReader(binding).read(skin, depsgraph).palettes[0]
    truth = read_blender_result(skin, depsgraph, mesh.vertex_count).normals.astype(np.float64)
    blended = np.zeros((mesh.vertex_count, 3, 3))
    np.add.at(
        blended,
        weights.vertex_of_influence,
        weights.weights[:, None, None] * palette.final[weights.joints, :3, :3],
    )
    by_blended = np.einsum("vc,vcd->vd", mesh.normals, blended)
    by_cofactors = SoftwareSkinner(binding.passes, mesh).skin((palette,)).normals
    by_gradient = gradient_normals(binding.passes, gradient, (palette,), mesh)
    return {
        "blended 3x3": angles(by_blended, truth),
        "cofactors": angles(by_cofactors.astype(np.float64), truth),
        "weight gradient": angles(by_gradient.astype(np.float64), truth),
    }


# Means of the blended matrix, of its cofactors, and the largest mean that the weight gradient may have.
POSES = {
    "rest": (Pose(), 0, 0, 0.001),
    "bend 30": (Pose(bend=30), 2.6, 2.5, 0.05),
    "bend 60": (Pose(bend=60), 6.3, 5.5, 0.1),
    "bend 90": (Pose(bend=90), 13, 10, 0.3),
    "twist 60": (Pose(twist=60), 3.8, 3.6, 0.05),
    "bend 30 and scale": (Pose(bend=30, scale=(1.2, 1, 0.8)), None, 3.6, 0.16),
}


@pytest.mark.parametrize("name", POSES)
def test_with_the_weight_gradient_normals_are_blenders_own(name: str) -> None:
    """The textbook's normals, and their cofactors, lie as far off as was measured on another limb of four
    bones.
    """
    pose, blended, cofactors, gradient = POSES[name]
    result = measured(pose)
    print(
        name, *(f"{way} {degrees.mean:.3f} / {degrees.max:.2f}" for way, degrees in result.items()), sep="; "
    )
    assert result["weight gradient"].mean <= gradient
    if blended is not None:
        assert result["blended 3x3"].mean == pytest.approx(blended, rel=0.15, abs=0.01)
    assert result["cofactors"].mean == pytest.approx(cofactors, rel=0.15, abs=0.01)
    if name != "rest":
        assert result["weight gradient"].mean < result["cofactors"].mean / 20


def test_halving_the_faces_quarters_the_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    fine = measured(Pose(bend=60))["weight gradient"].mean
    monkeypatch.setitem(globals(), "AROUND", AROUND // 2)
    monkeypatch.setitem(globals(), "RINGS", RINGS // 2 + 1)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    coarse = measured(Pose(bend=60))["weight gradient"].mean
    assert coarse / fine == pytest.approx(4, rel=0.15)
