"""An animator's edits: poses, keys, playback, drivers."""

from __future__ import annotations

import random

import bpy
from mathutils import Quaternion

from tests.fuzz.edits.picking import leave_mode, one_of, pick, pick_mesh, pick_rig, select_only

Random = random.Random


def scrub(chance: Random) -> None:
    bpy.context.scene.frame_set(chance.randint(-3, 24), subframe=chance.choice((0.0, 0.0, 0.5)))


def pose(chance: Random) -> None:
    bone = one_of(chance, pick_rig(chance).pose.bones)
    bone.rotation_mode = "QUATERNION"
    bone.rotation_quaternion = Quaternion(
        (chance.uniform(-1, 1), chance.random(), 0.5), chance.uniform(-2, 2)
    )
    if chance.random() < 0.4:
        bone.location = [chance.uniform(-0.3, 0.3) for _ in range(3)]
    if chance.random() < 0.4:
        bone.scale = [chance.choice((0.5, 1.0, 1.4, -0.7)) for _ in range(3)]


def pose_all(chance: Random) -> None:
    for bone in pick_rig(chance).pose.bones:
        bone.rotation_mode = "XYZ"
        bone.rotation_euler = [chance.uniform(-0.8, 0.8) for _ in range(3)]


def key_pose(chance: Random) -> None:
    bone = one_of(chance, pick_rig(chance).pose.bones)
    path = chance.choice(("location", "rotation_quaternion", "scale"))
    bone.rotation_mode = "QUATERNION"
    for frame in (chance.randint(1, 10), chance.randint(11, 22)):
        bone.location = [chance.uniform(-0.2, 0.2) for _ in range(3)]
        bone.rotation_quaternion = Quaternion((0, 1, chance.random()), chance.uniform(-1, 1))
        bone.scale = [chance.uniform(0.6, 1.4) for _ in range(3)]
        bone.keyframe_insert(path, frame=frame)


def clear_pose(chance: Random) -> None:
    rig = pick_rig(chance)
    select_only(rig)
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.pose.select_all(action="SELECT")
    bpy.ops.pose.transforms_clear()
    if chance.random() < 0.7:
        leave_mode()


def clear_animation(chance: Random) -> None:
    pick(chance, "ARMATURE", "MESH").animation_data_clear()


def swap_action(chance: Random) -> None:
    rig = pick_rig(chance)
    animation = rig.animation_data_create()
    animation.action = chance.choice([None, *sorted(bpy.data.actions, key=lambda one: one.name)])
    slots = getattr(animation, "action_suitable_slots", ())
    if animation.action is not None and len(slots):
        animation.action_slot = slots[0]


def push_down(chance: Random) -> None:
    animation = pick_rig(chance).animation_data
    if animation is None or animation.action is None:
        return
    track = animation.nla_tracks.new()
    track.strips.new("strip", chance.randint(1, 8), animation.action)
    animation.action = None


def key_setting(chance: Random) -> None:
    """Key a switch of a modifier or a setting of a bone, as if to change it half-way."""
    mesh = pick_mesh(chance)
    if mesh.modifiers and chance.random() < 0.7:
        owner = one_of(chance, mesh.modifiers)
        names = ["show_viewport"]
        if owner.type == "ARMATURE":
            names += ["use_deform_preserve_volume", "invert_vertex_group", "use_multi_modifier"]
        name = chance.choice(names)
        value = getattr(owner, name)
        for frame, now in ((1, value), (10, not value)):
            setattr(owner, name, now)
            owner.keyframe_insert(name, frame=frame)
        return
    leave_mode()
    bone = one_of(chance, pick_rig(chance).data.bones)
    name, low, high = chance.choice(
        (("envelope_distance", 0.1, 0.6), ("head_radius", 0.05, 0.4), ("bbone_segments", 1, 4))
    )
    for frame, now in ((1, low), (10, high)):
        setattr(bone, name, now)
        bone.keyframe_insert(name, frame=frame)


def drive(chance: Random) -> None:
    """Drive a shape key, a bone, or a switch by a bone's location."""
    rig, mesh = pick_rig(chance), pick_mesh(chance)
    what = chance.randrange(3)
    if what == 0 and mesh.data.shape_keys is not None:
        curve = mesh.data.shape_keys.key_blocks[-1].driver_add("value")
    elif what == 1 and mesh.modifiers:
        modifier = one_of(chance, mesh.modifiers)
        names = ("show_viewport", "use_deform_preserve_volume", "invert_vertex_group")
        curve = modifier.driver_add(chance.choice(names if modifier.type == "ARMATURE" else names[:1]))
    else:
        curve = one_of(chance, rig.pose.bones).driver_add("location", 0)
    bone = one_of(chance, rig.pose.bones)
    if curve.data_path.startswith("pose."):
        driven = rig.path_resolve(curve.data_path.rpartition(".")[0])
        bone = one_of(chance, _independent_of(driven, rig))
    driver = curve.driver
    variable = driver.variables.new()
    variable.type = "TRANSFORMS"
    variable.targets[0].id = rig
    variable.targets[0].bone_target = bone.name
    variable.targets[0].transform_type = chance.choice(("ROT_X", "LOC_Y", "SCALE_Z"))
    driver.expression = chance.choice((variable.name, f"{variable.name} > 0.1", "frame * 0.05", "missing"))


def _independent_of(bone: bpy.types.PoseBone, rig: bpy.types.Object) -> list[bpy.types.PoseBone]:
    """List the bones that don't depend on a bone. A rig that depends on itself has no defined shape: Blender
    says so, and evaluates it in any order.
    """
    return [one for one in rig.pose.bones if one != bone and one not in bone.children_recursive]


def constrain(chance: Random) -> None:
    rig = pick_rig(chance)
    bone = one_of(chance, rig.pose.bones)
    if len(bone.constraints) > 1:
        bone.constraints.remove(bone.constraints[0])
        return
    kind = chance.choice(
        ("COPY_ROTATION", "COPY_TRANSFORMS", "LIMIT_ROTATION", "IK", "STRETCH_TO", "DAMPED_TRACK")
    )
    constraint = bone.constraints.new(kind)
    if hasattr(constraint, "target"):
        constraint.target = rig
        constraint.subtarget = one_of(chance, _independent_of(bone, rig)).name
    constraint.influence = chance.choice((0.5, 1.0))


def constrain_object(chance: Random) -> None:
    one = pick(chance, "MESH", "ARMATURE")
    constraint = one.constraints.new(chance.choice(("COPY_LOCATION", "CHILD_OF", "LIMIT_SCALE", "TRACK_TO")))
    if hasattr(constraint, "target"):
        constraint.target = pick(chance, "EMPTY") if one.type == "ARMATURE" else pick_rig(chance)


def change_frame_rate(chance: Random) -> None:
    render = bpy.context.scene.render
    render.fps = chance.choice((12, 24, 60))
    render.frame_map_new = chance.choice((50, 100, 200))
    # A window reports this as a frame change.
    bpy.context.scene.frame_set(bpy.context.scene.frame_current)


POSE_EDITS = (
    (scrub, 8),
    (pose, 10),
    (pose_all, 3),
    (key_pose, 4),
    (clear_pose, 2),
    (clear_animation, 1),
    (swap_action, 2),
    (push_down, 1),
    (key_setting, 8),
    (drive, 3),
    (constrain, 4),
    (constrain_object, 1),
    (change_frame_rate, 1),
)
"""Edits with their relative frequencies."""
