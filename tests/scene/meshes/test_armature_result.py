"""The armature's result on a mesh with other modifiers below, against Blender's stack with those
switched off.
"""

from __future__ import annotations

from collections.abc import Callable

import bpy
import numpy as np
import pytest
from mathutils import Euler, Matrix

from skinning_addon.scene.meshes.armature_result import modifiers_after, read_armature_result
from skinning_addon.scene.meshes.blender_result import BlenderResult, read_blender_result
from skinning_addon.scene.meshes.stack_input import input_mesh
from tests.scene.random_rig import RandomRig, RigOptions, random_rig


def add_after(rig: RandomRig) -> None:
    rig.mesh.modifiers.new("Subdivision", "SUBSURF").levels = 1
    rig.mesh.modifiers.new("Bulge", "CAST").factor = 0.5
    bpy.context.view_layer.update()


def with_the_rest_switched_off(rig: RandomRig) -> BlenderResult:
    for name in ("Subdivision", "Bulge"):
        rig.mesh.modifiers[name].show_viewport = False
    bpy.context.view_layer.update()
    result = read_blender_result(rig.mesh, bpy.context.evaluated_depsgraph_get(), len(rig.mesh.data.vertices))
    for name in ("Subdivision", "Bulge"):
        rig.mesh.modifiers[name].show_viewport = True
    bpy.context.view_layer.update()
    return result


def shadow(rig: RandomRig) -> BlenderResult:
    return read_armature_result(rig.mesh, bpy.context.evaluated_depsgraph_get(), len(rig.mesh.data.vertices))


def nothing(rig: RandomRig) -> None:
    pass


def sheared_by_its_parent(rig: RandomRig) -> None:
    """A turned child of an unevenly scaled parent: no location, rotation and scale make up its matrix."""
    parent = bpy.data.objects.new("Parent", None)
    bpy.context.scene.collection.objects.link(parent)
    parent.matrix_world = Matrix.LocRotScale((1, 2, 3), Euler((0.3, 0.2, 0.1)), (1, 2, 0.5))
    for one in (rig.mesh, rig.armature):
        one.parent = parent
        one.rotation_euler = (0.5, 1.0, 0.2)
        one.delta_location = (0.1, 0, 0)


def a_target_outside(rig: RandomRig) -> None:
    target = bpy.data.objects.new("Target", None)
    bpy.context.scene.collection.objects.link(target)
    target.location, target.rotation_euler = (0.5, 1, 0.2), (0.5, 0.2, 1)
    constraint = rig.armature.pose.bones[1].constraints.new("COPY_TRANSFORMS")
    constraint.target, constraint.influence = target, 0.5
    held = rig.armature.pose.bones[3].constraints.new("ARMATURE").targets.new()
    held.target, held.subtarget = rig.armature, "bone 0"


def a_driven_bone(rig: RandomRig) -> None:
    driver = rig.armature.pose.bones[1].driver_add("location", 0).driver
    driver.expression = "0.7"


def shape_keys(rig: RandomRig) -> None:
    rig.mesh.shape_key_add(name="Basis")
    for point in rig.mesh.shape_key_add(name="Key").data:
        point.co.x += 0.3
    rig.mesh.data.shape_keys.key_blocks["Key"].value = 0.6


def a_run_over_one_that_is_off(rig: RandomRig) -> None:
    for name, on in (("Off", False), ("On", True)):
        modifier = rig.mesh.modifiers.new(name, "ARMATURE")
        modifier.object, modifier.use_multi_modifier, modifier.show_viewport = rig.armature, True, on
        modifier.vertex_group = "mask"


CASES: dict[str, tuple[RigOptions, Callable[[RandomRig], None]]] = {
    "linear": (RigOptions(), nothing),
    "objects moved, turned and scaled": (RigOptions(transformed=True), nothing),
    "volume, constraints": (RigOptions(preserve_volume=True, constraints=True), nothing),
    "bendy bones": (RigOptions(bendy=4, handles="MIXED", envelopes=True), nothing),
    "parent type Armature": (RigOptions(parent_armature=True), nothing),
    "parent type Armature alone": (RigOptions(parent_armature=True, modifiers=0), nothing),
    "a run": (RigOptions(), a_run_over_one_that_is_off),
    "sheared by a parent": (RigOptions(), sheared_by_its_parent),
    "a target outside": (RigOptions(), a_target_outside),
    "a driven bone": (RigOptions(), a_driven_bone),
    "shape keys": (RigOptions(), shape_keys),
}


@pytest.mark.parametrize("case", CASES)
def test_it_is_what_blender_makes_without_the_modifiers_after(case: str) -> None:
    options, change = CASES[case]
    rig = random_rig(options)
    change(rig)
    add_after(rig)
    expected = with_the_rest_switched_off(rig)
    data_blocks = {
        name: len(getattr(bpy.data, name)) for name in ("objects", "scenes", "meshes", "shape_keys")
    }
    found = shadow(rig)
    np.testing.assert_array_equal(found.positions, expected.positions)
    np.testing.assert_array_equal(found.normals, expected.normals)
    assert {name: len(getattr(bpy.data, name)) for name in data_blocks} == data_blocks
    whole = rig.mesh.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    assert len(whole.vertices) > len(expected.positions), "Blender's own stack is not the one that was cut"


def keyed(rig: RandomRig) -> None:
    """A bone, a shape key and a constraint's target with keys, each edited afterwards without another key."""
    shape_keys(rig)
    a_target_outside(rig)
    bone, target = rig.armature.pose.bones[0], bpy.data.objects["Target"]
    key = rig.mesh.data.shape_keys.key_blocks["Key"]
    for frame, value in ((1, 0.0), (20, 1.0)):
        bone.location.x = key.value = target.location.x = value
        bone.keyframe_insert("location", frame=frame)
        key.keyframe_insert("value", frame=frame)
        target.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(10)
    bone.location.x, key.value, target.location.x = 2.0, 0.125, 3.0
    bpy.context.view_layer.update()


def edits(rig: RandomRig) -> tuple[float, float, float]:
    key = rig.mesh.data.shape_keys.key_blocks["Key"]
    return rig.armature.pose.bones[0].location.x, key.value, bpy.data.objects["Target"].location.x


def test_edits_without_a_key_are_in_it_and_stay() -> None:
    rig = random_rig(RigOptions())
    keyed(rig)
    add_after(rig)
    expected = with_the_rest_switched_off(rig).positions
    np.testing.assert_array_equal(shadow(rig).positions, expected)
    assert edits(rig) == (2.0, 0.125, 3.0)
    bpy.context.view_layer.update()
    assert edits(rig) == (2.0, 0.125, 3.0)


def test_reading_what_goes_into_the_armature_leaves_such_edits_alone_too() -> None:
    rig = random_rig(RigOptions())
    keyed(rig)
    hook = rig.mesh.modifiers.new("Hook", "HOOK")
    hook.object = bpy.data.objects["Target"]
    rig.mesh.modifiers.move(1, 0)
    bpy.context.view_layer.update()
    with input_mesh(rig.mesh) as mesh:
        moved = mesh.vertices[0].co.x - rig.mesh.data.vertices[0].co.x
    assert moved == pytest.approx(0.3 * 0.125, abs=1e-6), "the shape key as it was edited"
    assert edits(rig) == (2.0, 0.125, 3.0)


def test_a_simplified_scene_is_followed() -> None:
    rig = random_rig(RigOptions())
    rig.mesh.modifiers.new("Before", "SUBSURF").levels = 2
    rig.mesh.modifiers.move(1, 0)
    bpy.context.scene.render.use_simplify = True
    bpy.context.scene.render.simplify_subdivision = 1
    bpy.context.view_layer.update()
    blender = rig.mesh.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    with input_mesh(rig.mesh) as mesh:
        assert len(mesh.vertices) == len(blender.vertices)
    bpy.context.scene.render.use_simplify = False


def test_only_modifiers_that_change_positions_call_for_it() -> None:
    rig = random_rig(RigOptions())
    rig.mesh.modifiers.new("Normals", "WEIGHTED_NORMAL")
    assert modifiers_after(rig.mesh) == ()
    add_after(rig)
    assert modifiers_after(rig.mesh) == ("Subdivision", "Bulge")
    rig.mesh.modifiers["Bulge"].show_viewport = False
    assert modifiers_after(rig.mesh) == ("Subdivision",)
