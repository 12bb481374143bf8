"""Each control of an armature turned to both ends of its range, one at a time, from the rest pose.

The range comes from the bone's Limit Rotation constraints in local space, else from its inverse kinematics
limits, else from `DEFAULT_RANGE`. Locked axes are skipped. Controls are the bones with a custom shape, or if
there are none, the deforming bones.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import bpy
from mathutils import Matrix, Quaternion

from ...core.text.errors import ClipError
from ..identification import identity
from ..object_data import armature_of
from .armature_state import reset_pose

DEFAULT_RANGE = (math.radians(60), math.radians(30), math.radians(60))
"""Range in both directions about X, Y (along the bone) and Z, for bones without limits."""

SMALLEST_TURN = math.radians(0.5)


@dataclass(frozen=True)
class BoneTurn:
    """A rotation of one bone. axis: 0 to 2, in the bone's own space. angle: radians."""

    bone: str
    axis: int
    angle: float


@dataclass(frozen=True)
class RangeOfMotion:
    """An armature's bone turns: frame n, from 1, poses turns[n - 1]. name: shown in reports like a clip's."""

    armature: str
    turns: tuple[BoneTurn, ...]
    name = "Range of Motion"

    @property
    def armatures(self) -> tuple[str, ...]:
        """The armature objects that it moves."""
        return (self.armature,)

    @property
    def frame_start(self) -> float:
        return 1.0

    @property
    def frame_end(self) -> float:
        return float(len(self.turns))


def range_of_motion(armature: bpy.types.Object) -> RangeOfMotion:
    """List the turns of an armature's controls.

    Raises:
        ClipError: no bone can be turned.
    """
    turns = tuple(turn for bone in _controls(armature) for turn in _turns(bone))
    if not turns:
        raise ClipError(
            "'{armature}' has no bones that can be rotated; unlock rotations, or show the controls.",
            armature=identity(armature),
        )
    return RangeOfMotion(identity(armature), turns)


def pose_turn(armature: bpy.types.Object, turn: BoneTurn) -> None:
    """Put an armature object into the rest pose with one bone turned, if it has that bone; changes the pose."""
    reset_pose(armature)
    turn_further(armature, turn)
    armature.update_tag()


def turn_further(armature: bpy.types.Object, turn: BoneTurn) -> None:
    """Turn a bone from where it is, about its own axis, if the armature object has it; changes the pose, of
    which Blender is to be told by `update_tag` once all bones are turned.
    """
    bone = armature.pose.bones.get(turn.bone)
    if bone is None:
        return
    axis = [0.0, 0.0, 0.0]
    axis[turn.axis] = 1.0
    if bone.rotation_mode == "QUATERNION":
        bone.rotation_quaternion = bone.rotation_quaternion @ Quaternion(axis, turn.angle)
    elif bone.rotation_mode == "AXIS_ANGLE":
        angle, *about = bone.rotation_axis_angle
        about, angle = (Quaternion(about, angle) @ Quaternion(axis, turn.angle)).to_axis_angle()
        bone.rotation_axis_angle = (angle, *about)  # pyright: ignore[reportAttributeAccessIssue]
    else:
        turned = bone.rotation_euler.to_matrix() @ Matrix.Rotation(turn.angle, 3, axis)
        bone.rotation_euler = turned.to_euler(bone.rotation_mode, bone.rotation_euler)


def _controls(armature: bpy.types.Object) -> list[bpy.types.PoseBone]:
    bones = [bone for bone in armature.pose.bones if _is_shown(bone)]
    shaped = [bone for bone in bones if bone.custom_shape is not None]
    data = armature_of(armature)
    return shaped or [bone for bone in bones if data.bones[bone.name].use_deform]


def _is_shown(bone: bpy.types.PoseBone) -> bool:
    data = bone.bone
    collections = data.collections
    # From Blender 5.0 on, pose bones have their own `hide`, too.
    hidden = data.hide or getattr(bone, "hide", False)
    return not hidden and (not collections or any(one.is_visible_effectively for one in collections))


def _turns(bone: bpy.types.PoseBone) -> Iterator[BoneTurn]:
    for axis in range(3):
        if bone.lock_rotation[axis]:  # pyright: ignore[reportIndexIssue]
            continue
        for angle in dict.fromkeys(_limits(bone, axis)):
            if abs(angle) >= SMALLEST_TURN:
                yield BoneTurn(bone.name, axis, angle)


def _limits(bone: bpy.types.PoseBone, axis: int) -> tuple[float, float]:
    letter = "xyz"[axis]
    for constraint in bone.constraints:
        if (
            isinstance(constraint, bpy.types.LimitRotationConstraint)
            and constraint.enabled
            and constraint.owner_space == "LOCAL"
            and getattr(constraint, f"use_limit_{letter}")
        ):
            return getattr(constraint, f"min_{letter}"), getattr(constraint, f"max_{letter}")
    if getattr(bone, f"use_ik_limit_{letter}"):
        return getattr(bone, f"ik_min_{letter}"), getattr(bone, f"ik_max_{letter}")
    return -DEFAULT_RANGE[axis], DEFAULT_RANGE[axis]
