"""Sockets: bones that carry something, now or in the game, which has to stay where it was authored.

A copy keeps them even if they deform nothing.
"""

from __future__ import annotations

import bpy

SOCKET = "socket"
"""Custom property of a bone, or part of its name, that marks it as one."""


def sockets(armature: bpy.types.Object) -> frozenset[str]:
    """Return the names of an armature object's bones that objects hang on or follow, or that are marked."""
    carrying = {
        one.parent_bone
        for one in bpy.data.objects
        if one.parent == armature and one.parent_type == "BONE" and one.parent_bone
    }
    followed = {
        str(getattr(target, "subtarget", ""))
        for one in bpy.data.objects
        if one != armature
        for constraint in one.constraints
        for target in getattr(constraint, "targets", None) or (constraint,)
        if getattr(target, "target", None) == armature
    }
    marked = {
        bone.name
        for bone in armature.pose.bones
        if bone.get(SOCKET) or bone.bone.get(SOCKET) or SOCKET in bone.name.lower()
    }
    return frozenset((carrying | followed | marked) - {""})
