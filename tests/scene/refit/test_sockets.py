"""Bones that carry something, or are marked so."""

from __future__ import annotations

import bpy

from skinning_addon.scene.refit.sockets import sockets
from tests.scene.random_rig import RigOptions, random_rig


def test_what_carries_is_followed_or_is_marked():
    rig = random_rig(RigOptions(seed=3))
    armature = rig.armature
    names = [bone.name for bone in armature.data.bones]
    sword = bpy.data.objects.new("Sword", None)
    sword.parent, sword.parent_type, sword.parent_bone = armature, "BONE", names[1]
    shield = bpy.data.objects.new("Shield", None)
    follow = shield.constraints.new("CHILD_OF")
    follow.target, follow.subtarget = armature, names[2]
    bow = bpy.data.objects.new("Bow", None)
    targets = bow.constraints.new("ARMATURE").targets
    for name in (names[7], names[8]):
        target = targets.new()
        target.target, target.subtarget = armature, name
    armature.data.bones[names[3]]["socket"] = True
    armature.pose.bones[names[4]]["socket"] = 1
    armature.data.bones[names[5]]["socket"] = False
    armature.data.bones[names[6]].name = "Hat Socket"
    assert sockets(armature) == {*names[1:5], *names[7:9], "Hat Socket"}
