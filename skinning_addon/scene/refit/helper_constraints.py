"""Constraints that move helper bones in any pose, as their keys do in the clips.

The first three put a helper where it is at rest, whatever its parent and its keys do; *Armature* then moves it
as its drivers move the mesh, by their shares; the last one takes the shear off in the parent's space, see
`core.refit.helper_bones`.
"""

from __future__ import annotations

import bpy

from .plan import CopiedBone, CopyPlan


def constrain_helpers(plan: CopyPlan, copy: bpy.types.Object) -> None:
    """Add the constraints to the helper bones of a copied armature."""
    for planned in plan.bones:
        if planned.drivers:
            _stay_at_rest(copy.pose.bones[planned.name])
            _follow(copy, planned)


def _stay_at_rest(bone: bpy.types.PoseBone) -> None:
    place = bone.constraints.new("LIMIT_LOCATION")
    turn = bone.constraints.new("LIMIT_ROTATION")
    size = bone.constraints.new("LIMIT_SCALE")
    assert isinstance(place, bpy.types.LimitLocationConstraint)  # noqa: S101 - for the type checker
    assert isinstance(turn, bpy.types.LimitRotationConstraint)  # noqa: S101
    assert isinstance(size, bpy.types.LimitScaleConstraint)  # noqa: S101
    for limit in (place, turn, size):
        limit.name = f"At rest: {limit.name}"
        limit.owner_space = "POSE"
    for axis, value in zip("xyz", bone.bone.head_local[:], strict=True):
        # A helper's axes are the armature's, so no turn and no scale is its rest pose.
        setattr(turn, f"use_limit_{axis}", True)
        for end in ("min", "max"):
            setattr(place, f"use_{end}_{axis}", True)
            setattr(place, f"{end}_{axis}", value)
            setattr(size, f"use_{end}_{axis}", True)
            setattr(size, f"{end}_{axis}", 1.0)


def _follow(copy: bpy.types.Object, planned: CopiedBone) -> None:
    bone = copy.pose.bones[planned.name]
    blend = bone.constraints.new("ARMATURE")
    assert isinstance(blend, bpy.types.ArmatureConstraint)  # noqa: S101 - for the type checker
    blend.use_deform_preserve_volume = planned.drivers.keep_volume
    for name, share in planned.drivers.shares:
        target = blend.targets.new()
        target.target, target.subtarget, target.weight = copy, name, share
    unsheared = bone.constraints.new("LIMIT_ROTATION")
    assert isinstance(unsheared, bpy.types.LimitRotationConstraint)  # noqa: S101 - for the type checker
    unsheared.name, unsheared.owner_space = "Without shear", "LOCAL"
