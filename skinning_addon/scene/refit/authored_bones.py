"""Armature -> the bones among which `core.refit.hierarchy` chooses parents."""

from __future__ import annotations

from collections.abc import Iterator

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.refit.hierarchy import AuthoredBones
from ..armatures.armature_reader import ArmatureReader

FOLLOWING = frozenset({"ARMATURE", "CHILD_OF", "COPY_TRANSFORMS", "COPY_LOCATION"})
"""Constraints that carry a bone along as a parent would."""


def read_authored_bones(
    armature: bpy.types.Object, reader: ArmatureReader, kept: NDArray[np.bool_] | None = None
) -> AuthoredBones:
    """Read the bones of an armature object in the order of its skeleton.

    kept: (B,) the bones that the copy gets; those that deform if left out.
    """
    skeleton = reader.skeleton
    number = {name: index for index, name in enumerate(skeleton.names)}
    followed = np.full(len(skeleton.names), -1, dtype=np.int32)
    for index, name in enumerate(skeleton.names):
        if skeleton.parents[index] < 0:
            targets = _followed(armature, armature.pose.bones[name])
            found = max(targets, key=lambda one: one[0], default=(0.0, ""))
            followed[index] = number.get(found[1], -1)
    mirrored = [number.get(bpy.utils.flip_name(name), index) for index, name in enumerate(skeleton.names)]
    return AuthoredBones(
        skeleton.parents,
        skeleton.rest_to_root,
        reader.lengths,
        reader.deforms if kept is None else kept,
        followed,
        np.array(mirrored, dtype=np.int32),
    )


def _followed(armature: bpy.types.Object, bone: bpy.types.PoseBone) -> Iterator[tuple[float, str]]:
    """Yield the bones that a bone follows by constraints, each with how much it does."""
    for constraint in bone.constraints:
        if constraint.type not in FOLLOWING or constraint.mute or constraint.influence <= 0:
            continue
        for target in getattr(constraint, "targets", None) or (constraint,):
            bone_name = getattr(target, "subtarget", "")
            if getattr(target, "target", None) == armature and bone_name:
                yield constraint.influence * getattr(target, "weight", 1.0), bone_name
