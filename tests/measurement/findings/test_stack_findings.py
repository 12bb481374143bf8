"""Blender measures what a modifier stack adds that a file can't hold: closed forms, and Blender's
own meshes.
"""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from skinning_addon.core.verdicts.finding import Finding
from skinning_addon.measurement.check.check import CheckSettings, check_scene
from skinning_addon.measurement.findings.stack_findings import faults_of_stack
from tests.command_line.rig_files import KEYED_FRAMES, animated_rig
from tests.measurement.frame.test_attribution import blender_positions
from tests.scene.random_rig import RandomRig, RigOptions


@pytest.fixture
def rig() -> RandomRig:
    return animated_rig(RigOptions(scale="none"))


def findings(rule: str) -> list[Finding]:
    settings = CheckSettings("cpu", frames_of=lambda _: KEYED_FRAMES)
    return [one for one in check_scene(bpy.context.scene, "rig", settings).findings if one.rule == rule]


def test_a_displacement_after_the_armature_moves_every_vertex_by_its_strength(rig):
    modifier = rig.mesh.modifiers.new("Push", "DISPLACE")
    modifier.strength, modifier.mid_level = 0.25, 0.0
    objects = list(bpy.data.objects)
    (finding,) = findings("modifier-after")
    assert finding.deviation == pytest.approx(0.25, rel=1e-6)
    assert finding.count == len(finding.vertices) == len(rig.mesh.data.vertices)
    assert finding.frame in KEYED_FRAMES
    assert list(bpy.data.objects) == objects


def test_each_modifier_is_measured_alone(rig):
    for name, strength in (("One", 0.25), ("Two", 0.5)):
        modifier = rig.mesh.modifiers.new(name, "DISPLACE")
        modifier.strength, modifier.mid_level = strength, 0.0
    by_name = {one.message.arguments["modifier"]: one.deviation for one in findings("modifier-after")}
    assert by_name == {"One": pytest.approx(0.25, rel=1e-6), "Two": pytest.approx(0.5, rel=1e-6)}


def test_a_solidified_mesh_begins_with_the_vertices_that_went_in(rig):
    rig.mesh.modifiers.new("Shell", "SOLIDIFY").offset = -1.0
    (finding,) = findings("modifier-after")
    assert finding.deviation == pytest.approx(0.0, abs=1e-6)
    assert finding.count == 0


@pytest.mark.parametrize(
    ("kind", "settings"),
    [("DECIMATE", {"ratio": 0.5}), ("CLOTH", {}), ("ARRAY", {"count": 1000})],
    ids=("fewer", "simulation", "too many"),
)
def test_what_cannot_be_compared_is_not_measured(rig, kind, settings):
    modifier = rig.mesh.modifiers.new("Other", kind)
    for name, value in settings.items():
        setattr(modifier, name, value)
    (finding,) = findings("modifier-after")
    assert (finding.deviation, finding.frame) == (None, None)


def test_what_a_modifier_before_the_armature_adds_to_shape_keys(rig):
    rig.mesh.shape_key_add(name="Basis")
    rig.mesh.shape_key_add(name="Up").value = 1.0
    assert not faults_of_stack(rig.mesh)
    cast = rig.mesh.modifiers.new("Cast", "CAST")
    rig.mesh.modifiers.move(len(rig.mesh.modifiers) - 1, 0)
    (finding,) = findings("shape-key-order")
    before = blender_positions(rig)
    cast.show_viewport = False
    off = np.linalg.norm(blender_positions(rig) - before, axis=2)
    assert finding.deviation == pytest.approx(off.max(), rel=1e-5)
    index, vertex = np.unravel_index(np.argmax(off), off.shape)
    assert (finding.frame, finding.vertices[0]) == (KEYED_FRAMES[index], vertex)


def test_absolute_shape_keys_are_lost_as_a_whole(rig):
    rig.mesh.shape_key_add(name="Basis")
    key = rig.mesh.shape_key_add(name="Up")
    key.data[40].co.z += 0.75
    rig.mesh.data.shape_keys.use_relative = False
    rig.mesh.data.shape_keys.eval_time = key.frame
    (finding,) = findings("shape-key-order")
    # Bones turn and move the vertex, and scale nothing.
    assert finding.vertices == (40,)
    assert finding.deviation == pytest.approx(0.75, rel=0.5)
