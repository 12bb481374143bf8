"""Faults planted in a rig are found, along with their vertices; a good rig has none."""

from __future__ import annotations

import bpy
import pytest

from skinning_addon.measurement.findings.weight_findings import findings_of_rig
from skinning_addon.scene.binding.binding_reader import read_binding
from skinning_addon.scene.meshes.mesh_contents import read_mesh_contents
from tests.scene.random_rig import RigOptions, random_rig


@pytest.fixture
def rig():
    return random_rig(RigOptions(scale="none"))


def found(rig) -> dict:
    bpy.context.view_layer.update()
    contents = read_mesh_contents(rig.mesh)
    binding = read_binding(rig.mesh, bpy.context.evaluated_depsgraph_get(), contents)
    return {one.rule: one for one in findings_of_rig(rig.mesh, contents, binding)}


def of_all_groups(rig, vertices, weight=None):
    for group in rig.mesh.vertex_groups:
        group.remove(vertices)
        if weight is not None:
            group.add(vertices, weight, "REPLACE")


def test_unweighted_vertices(rig):
    of_all_groups(rig, [3, 5])
    assert set(found(rig)["unweighted-vertices"].vertices) >= {3, 5}


def test_all_zero_weights(rig):
    of_all_groups(rig, [7], 0.0)
    assert 7 in found(rig)["all-zero-weights"].vertices


def test_groups_without_a_bone_unless_they_are_used(rig):
    for name in ("Cloth Pin", "Mask", "Key"):
        rig.mesh.vertex_groups.new(name=name).add([1, 2], 1.0, "REPLACE")
    rig.mesh.modifiers.new("Smooth", "SMOOTH").vertex_group = "Mask"
    rig.mesh.shape_key_add(name="Basis")
    rig.mesh.shape_key_add(name="Up").vertex_group = "Key"
    finding = found(rig)["groups-without-bone"]
    # The random rig has two of its own.
    assert finding.message.arguments["count"] == 3
    assert set(finding.vertices) >= {1, 2}


@pytest.mark.parametrize(
    ("scale", "rule"),
    [((1, 1, 2), "non-uniform-scale"), ((0.01, 0.01, 0.01), "object-scale"), ((-1, 1, 1), "negative-scale")],
)
def test_scales(rig, scale, rule):
    rig.mesh.scale = scale
    assert rule in found(rig)


def test_names_that_become_one(rig):
    bones = rig.armature.data.bones
    bones[0].name, bones[1].name = "Hand.L", "hand_l"
    assert "'Hand.L' and 'hand_l'" in found(rig)["bone-names-collide"].message


def test_they_deform_nothing_by_themselves(rig):
    of_all_groups(rig, [3, 5])
    assert {one.deviation for one in found(rig).values()} == {0.0}


def test_a_good_rig_has_no_finding():
    rig = random_rig(RigOptions(scale="none", envelopes=False))
    rig.mesh.vertex_groups.clear()
    bone = next(one for one in rig.armature.data.bones if one.use_deform)
    rig.mesh.vertex_groups.new(name=bone.name).add(range(len(rig.mesh.data.vertices)), 0.5, "REPLACE")
    assert found(rig) == {}
