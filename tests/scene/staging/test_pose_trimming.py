"""Copies of armatures without the bones that the needed ones don't depend on, against Blender's pose of the
whole armature.
"""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from skinning_addon.scene.armatures.armature_reader import read_armature
from skinning_addon.scene.objects.deformed_meshes import deformed_meshes
from skinning_addon.scene.objects.modifier_stack import armature_objects
from skinning_addon.scene.staging.clip_scene import clip_scene
from tests.scene.opened_rigs import open_rig
from tests.scene.random_rig import RigOptions, random_rig

FRAMES = (1, 4, 9)


def keyed(armature):
    """Key a pose at the first frame and another at the last."""
    random = np.random.default_rng(4)
    for frame in FRAMES[::2]:
        for bone in armature.pose.bones:
            bone.rotation_mode = "XYZ"
            bone.rotation_euler = random.normal(size=3) * 0.4
            bone.location = random.normal(size=3) * 0.1
            bone.keyframe_insert("rotation_euler", frame=frame)
            bone.keyframe_insert("location", frame=frame)


def trimmed(armature, wanted):
    """Return, of the trimmed copy: poses (F, B, 4, 4), constraints that are not muted, and drivers."""
    mask = np.isin(read_armature(armature).skeleton.names, list(wanted))
    with clip_scene(bpy.context.scene, [armature], needed={armature.name: mask}) as stage:
        copy = stage.copies[armature.name]
        poses = [stage.to_root(armature.name, frame) for frame in FRAMES]
        active = [one for bone in copy.pose.bones for one in bone.constraints if not one.mute]
        return np.stack(poses), len(active), len(copy.animation_data.drivers)


def blenders(armature):
    reader, poses = read_armature(armature), []
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        evaluated = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
        poses.append(reader.read_to_root(evaluated))
    return np.stack(poses)


def assert_same_pose(armature, wanted):
    poses, active, drivers = trimmed(armature, wanted)
    bones = np.isin(read_armature(armature).skeleton.names, list(wanted))
    expected = blenders(armature)
    assert np.abs(poses - expected)[:, bones].max() < 1e-5 * max(armature.dimensions)
    return active, drivers


def rig():
    made = random_rig(RigOptions(bones=12, scale="none"))
    keyed(made.armature)
    return made.armature


def test_a_bone_that_nothing_relies_on_is_not_constrained():
    armature = rig()
    leaves = [one for one in armature.pose.bones if not one.children]
    constraint = leaves[0].constraints.new("COPY_ROTATION")
    constraint.target, constraint.subtarget = armature, leaves[1].name
    driver = leaves[0].driver_add("scale", 0).driver
    driver.type, driver.expression = "SCRIPTED", "frame / 4"
    assert assert_same_pose(armature, {leaves[1].name}) == (0, 0)
    assert assert_same_pose(armature, {leaves[0].name}) == (1, 1)


@pytest.mark.parametrize(
    "through", ["subtarget", "targets", "ik", "pole", "driver", "handle", "another object"]
)
def test_what_a_wanted_bone_relies_on_is_kept(through):
    armature = rig()
    parent = next(one for one in armature.pose.bones if one.children)
    wanted = parent.children[0]
    far = next(
        one
        for one in armature.pose.bones
        if one not in (wanted, *wanted.parent_recursive, *wanted.children_recursive)
    )
    # What has to be kept: moved by a constraint of its own, so that leaving it out shows.
    moved = far.constraints.new("LIMIT_LOCATION")
    moved.use_min_x, moved.min_x, moved.owner_space = True, 3.0, "LOCAL"
    tip = next(iter([*wanted.children_recursive, wanted]))
    match through:
        case "subtarget":
            one = wanted.constraints.new("COPY_LOCATION")
            one.target, one.subtarget = armature, far.name
        case "targets":
            one = wanted.constraints.new("ARMATURE")
            target = one.targets.new()
            target.target, target.subtarget = armature, far.name
        case "ik":
            # Of a bone below: inverse kinematics move what stands above.
            one = tip.constraints.new("IK")
            one.target, one.subtarget = armature, far.name
            # Up to the wanted bone: a chain to the root would move its own target, and what Blender makes of
            # such a cycle differs from run to run.
            one.chain_count = len(tip.parent_recursive) - len(wanted.parent_recursive) + 1
        case "pole":
            one = wanted.constraints.new("IK")
            target = bpy.data.objects.new("target", None)
            bpy.context.scene.collection.objects.link(target)
            one.target, one.chain_count = target, 1
            one.pole_target, one.pole_subtarget = armature, far.name
        case "driver":
            driver = wanted.driver_add("scale", 1).driver
            variable = driver.variables.new()
            variable.type, driver.expression = "TRANSFORMS", "1 + var"
            variable.targets[0].id, variable.targets[0].bone_target = armature, far.name
        case "handle":
            bone = armature.data.bones[wanted.name]
            bone.bbone_segments, bone.bbone_handle_type_end = 4, "ABSOLUTE"
            bone.bbone_custom_handle_end = armature.data.bones[far.name]
        case _:
            follower = bpy.data.objects.new("follower", None)
            bpy.context.scene.collection.objects.link(follower)
            follower.parent, follower.parent_type, follower.parent_bone = armature, "BONE", far.name
            one = wanted.constraints.new("COPY_LOCATION")
            one.target = follower
    active, _ = assert_same_pose(armature, {wanted.name})
    # A handle does not change the bone's own matrix, so that it stays is all that can be seen here.
    assert active == sum(len(one.constraints) for one in armature.pose.bones)


def switched(armature, wanted, far, *, influence="var"):
    """Let `wanted` follow `far` as far as a property of the first bone says, which is 0."""
    constraint = wanted.constraints.new("COPY_ROTATION")
    constraint.target, constraint.subtarget = armature, far.name
    armature.pose.bones[0]["switch"] = 0.0
    driver = constraint.driver_add("influence").driver
    driver.type, driver.expression = "SCRIPTED", influence
    variable = driver.variables.new()
    variable.type = "SINGLE_PROP"
    variable.targets[0].id = armature
    variable.targets[0].data_path = f'pose.bones["{armature.pose.bones[0].name}"]["switch"]'
    moved = far.constraints.new("LIMIT_LOCATION")
    moved.use_min_x, moved.min_x, moved.owner_space = True, 3.0, "LOCAL"


def two_leaves(armature):
    return [one for one in armature.pose.bones if not one.children][:2]


def test_what_is_switched_off_for_good_is_not_relied_on():
    armature = rig()
    wanted, far = two_leaves(armature)
    switched(armature, wanted, far)
    assert assert_same_pose(armature, {wanted.name}) == (0, 0)


def test_a_switch_keeps_the_influence_that_its_driver_gives():
    armature = rig()
    wanted, far = two_leaves(armature)
    switched(armature, wanted, far, influence="1 - var / 2")
    assert assert_same_pose(armature, {wanted.name}) == (2, 0)


@pytest.mark.parametrize("changes", ["keyed", "driven", "by the frame", "influence keyed"])
def test_a_switch_that_something_moves_stays_driven(changes):
    armature = rig()
    wanted, far = two_leaves(armature)
    first = armature.pose.bones[0]
    switched(armature, wanted, far, influence="var + frame / 9" if changes == "by the frame" else "var")
    constraint = wanted.constraints[0]
    match changes:
        case "keyed":
            for frame in FRAMES[::2]:
                first["switch"] = frame / 9
                first.keyframe_insert('["switch"]', frame=frame)
        case "driven":
            driver = first.driver_add('["switch"]').driver
            driver.type, driver.expression = "SCRIPTED", "frame / 9"
        case "influence keyed":
            constraint.driver_remove("influence")
            for frame in FRAMES[::2]:
                constraint.influence = (frame - 1) / 9
                constraint.keyframe_insert("influence", frame=frame)
            bpy.context.scene.frame_set(FRAMES[0])
    active, _ = assert_same_pose(armature, {wanted.name})
    assert active == 2


def test_unneeded_bones_are_removed_from_the_copy():
    made = random_rig(RigOptions(bones=80, scale="none"))
    armature = made.armature
    keyed(armature)
    wanted, far = two_leaves(armature)
    switched(armature, wanted, far)
    mask = np.isin(read_armature(armature).skeleton.names, [wanted.name])
    with clip_scene(bpy.context.scene, [armature], needed={armature.name: mask}) as stage:
        assert len(stage.copies[armature.name].pose.bones) == 1 + len(wanted.parent_recursive)
    assert_same_pose(armature, {wanted.name})
    assert (armature.mode, bpy.context.mode, len(armature.pose.bones)) == ("OBJECT", "OBJECT", 80)


def test_a_script_may_rely_on_any_bone():
    armature = rig()
    far, wanted = [one for one in armature.pose.bones if not one.children][:2]
    far.constraints.new("LIMIT_LOCATION")
    driver = wanted.driver_add("scale", 0).driver
    driver.type, driver.expression = "SCRIPTED", "len([1, 2])"
    _, active, drivers = trimmed(armature, {wanted.name})
    assert (active, drivers) == (1, 1)


@pytest.mark.rigs
@pytest.mark.parametrize("name", ["mpfb_rigify_plain.blend", "m2m_bird.blend", "raylib_robot.blend"])
def test_the_bones_that_deform_a_character_keep_their_poses(rigs_folder, name):
    open_rig(rigs_folder / name)
    mesh = deformed_meshes(bpy.context.scene)[0]
    armature = armature_objects(mesh)[0]
    wanted = {one.name for one in mesh.vertex_groups} & set(armature.pose.bones.keys())
    total = sum(len(one.constraints) for one in armature.pose.bones)
    active, _ = assert_same_pose(armature, wanted)
    if name == "mpfb_rigify_plain.blend":
        assert active < 0.6 * total
