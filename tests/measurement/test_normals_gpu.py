"""The GPU's normals against those that Blender computes from the faces of its own deformed mesh."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest

from skinning_addon.core.weight_gradient import gradient_normals, weight_gradient
from skinning_addon.drawing.normal_policy import NormalPolicy
from skinning_addon.drawing.probe import GpuSkinner
from skinning_addon.scene.binding_reader import read_binding
from skinning_addon.scene.frame_reader import FrameReader
from skinning_addon.scene.mesh_reader import read_positions, read_vertex_normals

pytestmark = pytest.mark.gpu

BONES = 4
RINGS, SPOKES = 161, 48
RADIUS = 0.35


@pytest.fixture
def limb():
    """A tube of four bones in a row, each a unit long, weighted smoothly by the distance from the bones' middles."""
    armature = bpy.data.objects.new("Armature", bpy.data.armatures.new("Armature"))
    bpy.context.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    above = None
    for number in range(BONES):
        bone = armature.data.edit_bones.new(f"bone {number}")
        bone.head, bone.tail = (0, 0, number), (0, 0, number + 1)
        bone.parent = above
        above = bone
    bpy.ops.object.mode_set(mode="OBJECT")

    height = np.repeat(np.linspace(0, BONES, RINGS), SPOKES)
    angle = np.tile(np.arange(SPOKES) * (2 * math.pi / SPOKES), RINGS)
    positions = np.stack((RADIUS * np.cos(angle), RADIUS * np.sin(angle), height), axis=1)
    ring, spoke = (axis.ravel() for axis in np.mgrid[: RINGS - 1, :SPOKES])
    here, beside = ring * SPOKES + spoke, ring * SPOKES + (spoke + 1) % SPOKES
    faces = np.stack((here, beside, beside + SPOKES, here + SPOKES), axis=1)
    mesh = bpy.data.meshes.new("Limb")
    mesh.from_pydata(positions.tolist(), [], faces.tolist())
    body = bpy.data.objects.new("Limb", mesh)
    bpy.context.collection.objects.link(body)
    middles = np.arange(BONES) + 0.5
    weights = np.exp(-2 * (height[:, None] - middles) ** 2)
    for number in range(BONES):
        group = body.vertex_groups.new(name=f"bone {number}")
        for vertex, weight in enumerate(weights[:, number].tolist()):
            group.add((vertex,), weight, "REPLACE")
    body.modifiers.new("Armature", "ARMATURE").object = armature
    return armature, body


AXIS = {"bend": 0, "twist": 1}


@pytest.mark.parametrize(("how", "degrees"), [("bend", 30), ("bend", 60), ("twist", 60)])
def test_normals_are_those_of_blenders_faces(limb, how, degrees):
    armature, body = limb
    depsgraph = bpy.context.evaluated_depsgraph_get()
    binding = read_binding(body, depsgraph)
    elbow = armature.pose.bones[2]
    elbow.rotation_mode = "XYZ"
    elbow.rotation_euler[AXIS[how]] = math.radians(degrees)
    depsgraph.update()
    frame = FrameReader(binding, body).read(body, depsgraph)
    evaluated = body.evaluated_get(depsgraph).data
    blender = read_vertex_normals(evaluated)
    angles = {}
    for policy in (None, *NormalPolicy):
        skinner = GpuSkinner(binding.passes, binding.mesh, policy)
        skinned = skinner.skin(frame.palettes)
        skinner.free()
        assert np.abs(skinned.positions - read_positions(evaluated)).max() < 1e-5
        angles[policy] = angle_between(skinned.normals, blender)
    print({policy.name: f"{a.mean():.3f} / {a.max():.2f}" for policy, a in angles.items() if policy})
    np.testing.assert_array_equal(angles[None], angles[NormalPolicy.WEIGHT_GRADIENT])
    assert angles[None].mean() <= 0.1
    assert angles[None].max() <= 1.0
    assert angles[NormalPolicy.COFACTOR].mean() > 10 * angles[None].mean()

    [one] = binding.passes
    skin = one.skin.normalised()
    [palette] = frame.palettes
    software = gradient_normals(weight_gradient(skin, binding.mesh), skin, palette, binding.mesh)
    assert np.abs(skinned_normals(binding, frame) - software).max() <= 1e-4


def skinned_normals(binding, frame):
    skinner = GpuSkinner(binding.passes, binding.mesh)
    normals = skinner.skin(frame.palettes).normals
    skinner.free()
    return normals


def angle_between(one, other):
    """(V,) in degrees; by the distance of unit vectors, since the cosine of a small angle says nothing in float32."""
    apart = np.linalg.norm(one.astype(np.float64) - other, axis=1)
    return np.degrees(2 * np.arcsin(np.clip(apart / 2, 0, 1)))
