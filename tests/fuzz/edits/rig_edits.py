"""A rigger's edits to armatures: bones, rest poses, settings, and the armature as a whole."""

from __future__ import annotations

import random

import bpy

from tests.fuzz.edits.picking import leave_mode, one_of, pick_rig, select_only
from tests.fuzz.edits.start_scene import CHAIN

Random = random.Random

SWITCHES = (
    "use_deform",
    "use_envelope_multiply",
    "use_relative_parent",
    "use_local_location",
    "use_inherit_rotation",
)
INHERIT_SCALE = ("FULL", "FIX_SHEAR", "ALIGNED", "AVERAGE", "NONE", "NONE_LEGACY")


def change_bone(chance: Random) -> None:
    """Change a bone's setting, in or out of Edit Mode, as the properties editor does."""
    data = pick_rig(chance).data
    bone = one_of(chance, data.edit_bones if data.is_editmode else data.bones)
    what = chance.randrange(6)
    if what < 2:
        name = chance.choice(SWITCHES)
        setattr(bone, name, not getattr(bone, name))
    elif what == 2:
        bone.inherit_scale = chance.choice(INHERIT_SCALE)
    elif what == 3:
        bone.envelope_distance, bone.envelope_weight = chance.uniform(0.05, 0.8), chance.random()
        bone.head_radius, bone.tail_radius = chance.uniform(0.02, 0.4), chance.uniform(0.02, 0.4)
    elif what == 4:
        bone.bbone_segments = chance.choice((1, 3, 8))
        bone.bbone_curveinx = chance.uniform(-0.2, 0.2)
    else:
        bone.bbone_mapping_mode = chance.choice(("STRAIGHT", "CURVED"))
        bone.bbone_handle_type_start = chance.choice(("AUTO", "TANGENT", "ABSOLUTE"))


def bend(chance: Random) -> None:
    leave_mode()
    rig = pick_rig(chance)
    bone = one_of(chance, rig.pose.bones)
    rig.data.bones[bone.name].bbone_segments = 4
    bone.bbone_curveinx, bone.bbone_rollout = chance.uniform(-0.2, 0.2), chance.uniform(-0.5, 0.5)


def rename_bone(chance: Random) -> None:
    one_of(chance, pick_rig(chance).data.bones).name = chance.choice((*CHAIN, "renamed", "뼈", "Ünï"))


def rest_position(chance: Random) -> None:
    data = pick_rig(chance).data
    data.pose_position = "POSE" if data.pose_position == "REST" else "REST"


def edit_bones(chance: Random) -> None:
    """Enter Edit Mode, change bones, and perhaps stay there."""
    rig = pick_rig(chance)
    select_only(rig)
    bpy.ops.object.mode_set(mode="EDIT")
    bones = rig.data.edit_bones
    what = chance.randrange(7)
    if what == 0:
        extra = bones.new(chance.choice((*CHAIN, "extra")))
        extra.head, extra.tail = (0, 0, 1), (0.5, 0, 1)
        extra.parent = chance.choice([None, one_of(chance, [one for one in bones if one != extra])])
    elif what == 1:
        one_of(chance, bones).tail.x += chance.uniform(-0.3, 0.3)
    elif what == 2:
        bones.remove(one_of(chance, bones))
    elif what == 3:
        one_of(chance, bones).roll += chance.uniform(-1, 1)
    elif what == 4:
        child, parent = one_of(chance, bones), one_of(chance, bones)
        if parent != child and parent not in child.children_recursive:
            child.parent = parent
    elif what == 5:
        bpy.ops.armature.select_all(action="SELECT")
        bpy.ops.armature.subdivide()
    else:
        one_of(chance, bones).name = chance.choice((*CHAIN, "renamed"))
    if chance.random() < 0.7:
        bpy.ops.object.mode_set(mode="OBJECT")


def enter_rig_mode(chance: Random) -> None:
    select_only(pick_rig(chance))
    bpy.ops.object.mode_set(mode=chance.choice(("EDIT", "EDIT", "POSE")))


def apply_pose(chance: Random) -> None:
    select_only(pick_rig(chance))
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.pose.armature_apply()
    leave_mode()


def empty_armature(chance: Random) -> None:
    """Delete every bone, as Select All and Delete do."""
    rig = pick_rig(chance)
    select_only(rig)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.armature.select_all(action="SELECT")
    bpy.ops.armature.delete()
    if chance.random() < 0.7:
        leave_mode()


def swap_armature(chance: Random) -> None:
    leave_mode()
    rig = pick_rig(chance)
    what = chance.randrange(3)
    if what == 0:
        rig.data = one_of(chance, bpy.data.armatures)
    elif what == 1:
        rig.data = rig.data.copy()
    else:
        rig.data = bpy.data.armatures.new("Empty armature")


RIG_EDITS = (
    (change_bone, 8),
    (bend, 2),
    (rename_bone, 4),
    (rest_position, 2),
    (edit_bones, 6),
    (enter_rig_mode, 3),
    (apply_pose, 2),
    (empty_armature, 1),
    (swap_armature, 2),
)
"""Edits with their relative frequencies."""
