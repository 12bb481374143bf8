"""Meshes of which every vertex follows more bones than engines take, so that helper bones bring them nearer."""

from __future__ import annotations

from collections.abc import Sequence

import bpy

from skinning_addon.measurement.refit.refit import Refit
from tests.measurement.refit.keyed_limb import key_poses
from tests.scene.random_rig import RandomRig, RigOptions, random_rig

FRAMES = 36
HELPERS = 6


def belly() -> RandomRig:
    """A mesh of which every vertex follows nine bones."""
    rig = random_rig(RigOptions(seed=3, influences=9, scale="none"))
    key_poses(rig, FRAMES)
    return rig


def belly_that_keeps_its_volume() -> RandomRig:
    """The same with Preserve Volume."""
    rig = belly()
    next(one for one in rig.mesh.modifiers if one.type == "ARMATURE").use_deform_preserve_volume = True
    return rig


UNEVEN = (2.0, 0.5, 1.3)


def belly_of_uneven_scale() -> RandomRig:
    """The same, on an armature that is scaled unevenly."""
    rig = belly_that_keeps_its_volume()
    rig.armature.scale = UNEVEN
    bpy.context.view_layer.update()
    return rig


def helpers_of(found: Refit) -> list[str]:
    return [bone.name for bone in found.plan.bones if bone.drivers]


def muted(armature: bpy.types.Object, names: Sequence[str], mute: bool = True) -> None:
    for name in names:
        for constraint in armature.pose.bones[name].constraints:
            constraint.mute = mute
    bpy.context.view_layer.update()
