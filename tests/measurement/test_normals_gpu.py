"""The GPU's normals against those that Blender computes from the faces of its own deformed mesh."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest

from skinning_addon.core.surface.gradient_normals import gradient_normals
from skinning_addon.core.surface.weight_gradient import weight_gradient
from skinning_addon.drawing.normal_policy import NormalPolicy
from skinning_addon.drawing.probe import GpuSkinner
from skinning_addon.scene.binding.binding_reader import read_binding
from skinning_addon.scene.binding.frame_reader import FrameReader
from skinning_addon.scene.meshes.mesh_reader import read_positions, read_vertex_normals
from tests.measurement.accuracy_log import log_accuracy

pytestmark = pytest.mark.gpu

BONES = 4
RINGS, SPOKES = 161, 48
RADIUS = 0.35


@pytest.fixture
def limb():
    """A tube of four bones in a row, each a unit long, weighted smoothly by the distance from the bones'
    middles.
    """
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


NORMALS = "normals: degrees to Blender's own on average, a limb bent by 60"

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
    frame = FrameReader(binding).read(body, depsgraph)
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

    software = gradient_normals(
        binding.passes, weight_gradient(binding.passes, binding.mesh), frame.palettes, binding.mesh
    )
    assert np.abs(skinned_normals(binding, frame) - software).max() <= 1e-4


def masked(body, name="mask", middle=2.0):
    """Fade a vertex group in along the limb."""
    group = body.vertex_groups.new(name=name)
    for vertex in body.data.vertices:
        group.add((vertex.index,), 0.5 + 0.5 * math.tanh(2 * (vertex.co.z - middle)), "REPLACE")
    return name


def another(body, armature, **settings):
    modifier = body.modifiers.new("Another", "ARMATURE")
    modifier.object = armature
    for name, value in settings.items():
        setattr(modifier, name, value)


def one_masked(body, _armature):
    body.modifiers[0].vertex_group = masked(body)


def volume(body, _armature):
    body.modifiers[0].use_deform_preserve_volume = True


def volume_masked(body, armature):
    volume(body, armature)
    one_masked(body, armature)
    body.modifiers[0].invert_vertex_group = True


def two_in_sequence(body, armature):
    another(body, armature)


def a_run(body, armature):
    another(
        body, armature, use_multi_modifier=True, use_deform_preserve_volume=True, vertex_group=masked(body)
    )


def all_of_it(body, armature):
    volume(body, armature)
    another(body, armature, vertex_group=masked(body))
    another(body, armature, use_multi_modifier=True, vertex_group=masked(body, "other", 2.6))


def parent_and_modifier(body, armature):
    body.parent, body.parent_type = armature, "ARMATURE"


STACKS = (one_masked, volume, volume_masked, two_in_sequence, a_run, all_of_it, parent_and_modifier)


@pytest.mark.parametrize("stack", STACKS)
def test_whatever_the_stack_normals_are_those_of_blenders_faces(limb, stack):
    armature, body = limb
    stack(body, armature)
    elbow = armature.pose.bones[2]
    elbow.rotation_mode = "XYZ"
    # Two passes bend it twice; together by 60 degrees.
    passes = len(body.modifiers) + (body.parent_type == "ARMATURE") - (stack is all_of_it) - (stack is a_run)
    elbow.rotation_euler.x = math.radians(60) / passes
    depsgraph = bpy.context.evaluated_depsgraph_get()
    binding = read_binding(body, depsgraph)
    frame = FrameReader(binding).read(body, depsgraph)
    evaluated = body.evaluated_get(depsgraph).data
    blender = read_vertex_normals(evaluated)
    skinner = GpuSkinner(binding.passes, binding.mesh)
    skinned = skinner.skin(frame.palettes)
    skinner.free()
    assert np.abs(skinned.positions - read_positions(evaluated)).max() < 1e-5
    ours = angle_between(skinned.normals, blender)
    skinner = GpuSkinner(binding.passes, binding.mesh, NormalPolicy.COFACTOR)
    cofactor = angle_between(skinner.skin(frame.palettes).normals, blender)
    skinner.free()
    log_accuracy(NORMALS, stack.__name__.replace("_", " "), "gpu", float(ours.mean()))
    assert ours.mean() <= 0.1
    assert cofactor.mean() > 10 * ours.mean()
    gradient = weight_gradient(binding.passes, binding.mesh)
    software = gradient_normals(binding.passes, gradient, frame.palettes, binding.mesh)
    assert np.abs(skinned.normals - software).max() <= 1e-4
    log_accuracy(
        NORMALS, stack.__name__.replace("_", " "), "cpu", float(angle_between(software, blender).mean())
    )


def skinned_normals(binding, frame):
    skinner = GpuSkinner(binding.passes, binding.mesh)
    normals = skinner.skin(frame.palettes).normals
    skinner.free()
    return normals


def angle_between(one, other):
    """(V,) in degrees; by the distance of unit vectors, since the cosine of a small angle says nothing in
    float32.
    """
    apart = np.linalg.norm(one.astype(np.float64) - other, axis=1)
    return np.degrees(2 * np.arcsin(np.clip(apart / 2, 0, 1)))
