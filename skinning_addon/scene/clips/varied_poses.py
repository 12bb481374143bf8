"""Poses within a rig's range of motion, many controls at once: what a fit has to see besides a few clips.

Each pose turns a share of the controls by a part of their range. A rig that switches limbs between inverse and
forward kinematics with a property gets both: controls of the other kind would do nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import bpy
import numpy as np

from .armature_state import reset_pose
from .range_of_motion import BoneTurn, range_of_motion, turn_further

SHARES = (0.05, 0.15, 0.3)
"""How many of the turns a pose makes; each is as likely as the others. Few are easier to tell apart, many show
how they act together."""

FORWARD = 2 / 3
"""How many of the poses use forward kinematics: all but the ends of a limb follow only these controls."""


@dataclass(frozen=True)
class VariedPose:
    """turns: made one after another. forward: whether switches are set to forward kinematics."""

    turns: tuple[BoneTurn, ...]
    forward: bool


def varied_poses(armature: bpy.types.Object, count: int, seed: int = 1) -> list[VariedPose]:
    """Return `count` poses of an armature object, the same ones each time.

    Raises:
        ClipError: no bone can be turned.
    """
    turns = range_of_motion(armature).turns
    chance = np.random.default_rng(seed)
    poses: list[VariedPose] = []
    for _ in range(count):
        share = float(chance.choice(SHARES))
        chosen = tuple(
            replace(one, angle=one.angle * float(chance.random())) for one in turns if chance.random() < share
        )
        poses.append(VariedPose(chosen, bool(chance.random() < FORWARD)))
    return poses


@contextmanager
def kinematics_kept(armature: bpy.types.Object) -> Iterator[None]:
    """Put the switches between inverse and forward kinematics back afterwards."""
    before = {(bone.name, key): bone[key] for bone, key in _switches(armature)}
    try:
        yield
    finally:
        for (bone, key), value in before.items():
            armature.pose.bones[bone][key] = value
        armature.update_tag()


def pose_varied(armature: bpy.types.Object, pose: VariedPose) -> None:
    """Put an armature object into a pose; changes its pose and switches."""
    reset_pose(armature)
    for bone, key in _switches(armature):
        bone[key] = 1.0 if pose.forward else 0.0
    for turn in pose.turns:
        turn_further(armature, turn)
    armature.update_tag()


def _switches(armature: bpy.types.Object) -> Iterator[tuple[bpy.types.PoseBone, str]]:
    """Yield properties such as Rigify's IK_FK, which is 0 for inverse and 1 for forward kinematics."""
    for bone in armature.pose.bones:
        for key in bone.keys():  # noqa: SIM118 - a pose bone is not iterable
            if "ik" in key.lower() and "fk" in key.lower() and isinstance(bone[key], float):
                yield bone, key
