"""Stripping an armature's copy of everything that doesn't affect the wanted bones.

Control rigs have constraints and drivers on bones that move nothing, and custom shapes on all bones. They take
a third of Blender's time per frame of a Rigify human.
"""

from __future__ import annotations

from collections.abc import Collection

import bpy

from ..object_data import armature_of
from .bone_reliance import bones_relied_on, driven_bone, drivers_of
from .bone_removal import remove_other_bones
from .driver_settling import mute_without_influence, settle_switches


def trim_pose(
    armature: bpy.types.Object,
    wanted: Collection[str],
    company: Collection[bpy.types.Object],
    scene: bpy.types.Scene,
) -> bool:
    """Mute constraints and remove drivers of all bones that neither the wanted bones nor other objects need.

    Custom shapes are removed too, along with the objects that Blender would have to evaluate for them.

    armature: a copy with its own data. company: all objects that are evaluated together with it in `scene`,
    which no window shows. Returns whether unneeded bones were removed.
    """
    for bone in armature.pose.bones:
        if bone.custom_shape is not None:
            bone.custom_shape = None
    settle_switches(armature, scene.view_layers[0])
    needed = bones_relied_on(armature, wanted, company, mute_without_influence(armature))
    if needed is None:
        return False
    for bone in armature.pose.bones:
        if bone.name not in needed and bone.constraints:
            # Removing one takes as long as posing twenty bones: Blender goes through all of the armature's
            # constraints.
            bone.constraints.foreach_set("mute", [True] * len(bone.constraints))
    for block in (armature, armature_of(armature)):
        for curve in list(drivers_of(block)):
            owner = driven_bone(curve)
            if owner in armature.pose.bones and (owner not in needed or _changes_no_pose(armature, curve)):
                block.animation_data.drivers.remove(curve)
    return remove_other_bones(armature, needed, scene)


def _changes_no_pose(armature: bpy.types.Object, curve: bpy.types.FCurve) -> bool:
    """Tell whether a bone's driver sets only its visibility, or the bending of a bone with a single segment."""
    _, _, setting = curve.data_path.rpartition(".")
    if setting.startswith("bbone_") and setting != "bbone_segments":
        return armature.pose.bones[driven_bone(curve)].bone.bbone_segments == 1
    return setting == "hide"
