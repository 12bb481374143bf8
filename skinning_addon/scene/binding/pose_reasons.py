"""Reasons why a pose can't be reproduced that only show in the pose itself."""

from __future__ import annotations

import math
from collections.abc import Iterator

import bpy
import numpy as np

from ...core.blending.volume_palette import collapsed_joints
from ...core.profiles.binding import Binding, Reason
from ...core.skinning.deviation import EXACT_RELATIVE, Deviation
from ...core.skinning.passes import Blend
from ...core.verdicts.rules import RULES
from ..armatures.driver_cycles import reasons_of_cycles
from ..objects.modifier_stack import armature_objects
from .frame import Frame

ROUNDINGS = 8
"""The largest number of successive float32 roundings in Blender's chain of products."""

UNEVEN = 100.0
"""Ratio of an object's largest to smallest scale from which it affects precision."""


def reasons_of_deviation(
    binding: Binding, frame: Frame, mesh_object: bpy.types.Object, deviation: Deviation
) -> Iterator[Reason]:
    """Yield the reasons for a mesh's deviation at a frame that only show once there is a deviation."""
    if deviation.relative > EXACT_RELATIVE:
        yield from reasons_of_precision(binding, frame, deviation.relative, deviation.max)
        for armature in dict.fromkeys(armature_objects(mesh_object)):
            yield from reasons_of_cycles(binding.mesh_object, armature)


def reasons_of_precision(
    binding: Binding, frame: Frame, relative: float, distance: float
) -> Iterator[Reason]:
    """Explain a small deviation by Blender's own rounding, due to an object that magnifies it, being much
    thinner than long, or that is so far from the world's origin that its position is coarse.

    relative, distance: the deviation; see `Deviation.relative` and `Deviation.max` (scene units). Yields
    nothing for a deviation that counts as exact or is larger than rounding can explain.
    """
    if not EXACT_RELATIVE < relative < math.inf:
        return
    rounding = ROUNDINGS * float(np.finfo(np.float32).eps)
    for one, posed in zip(frame.chain, frame.passes, strict=True):
        root_to_world = posed.root_to_mesh @ frame.mesh_to_world
        # Blender goes from one object's space to the other's through world space.
        placed = (frame.mesh_to_world, root_to_world, posed.mesh_to_root)
        unevenness = max(float(np.linalg.cond(matrix[:3, :3])) for matrix in placed)
        if unevenness >= UNEVEN and relative <= rounding * unevenness:
            yield RULES["uneven-precision"].reason(
                mesh=binding.mesh_object,
                armature=one.armature,
                ratio=unevenness,
            )
        away = max(float(np.linalg.norm(matrix[3, :3])) for matrix in (frame.mesh_to_world, root_to_world))
        if distance <= rounding * away:
            yield RULES["distant-precision"].reason(
                mesh=binding.mesh_object,
                armature=one.armature,
            )


def reasons_of_pose(binding: Binding, frame: Frame) -> Iterator[Reason]:
    """Name the bones that are collapsed onto a line although Preserve Volume needs their rotation."""
    for one, posed in zip(frame.chain, frame.passes, strict=True):
        if posed.blend is not Blend.VOLUME:
            continue
        bones = posed.joints.bone[collapsed_joints(posed.joints, posed.pose)]
        for bone in np.unique(bones[bones >= 0]):
            yield RULES["collapsed-bone"].reason(
                bone=binding.skeletons[one.armature].names[bone],
                armature=one.armature,
                mesh=binding.mesh_object,
            )
