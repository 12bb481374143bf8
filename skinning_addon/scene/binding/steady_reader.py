"""Reads the poses of a mesh while nothing but its bones moves, in a third of the time that a frame takes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import cast

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.blending.blend_palette import AnyPalette
from ...core.skinning.joints import Joints
from ...core.skinning.passes import Blend
from ..armatures.armature_reader import ArmatureReader
from ..matrices import exact_key
from ..objects.modifier_stack import armature_objects
from .frame import Frame, Placement, PosedPass
from .instant import Instant

JointMatrices = NDArray[np.float32]
"""(J, 4, 3), of each joint's bone the first three columns of to_root; the fourth is always the same."""


@dataclass(frozen=True, eq=False)
class SteadyPass:
    """What a pass has at any frame. bone_count: of the armature."""

    joints: Joints
    blend: Blend
    placement: Placement
    reader: ArmatureReader
    bone_count: int

    def palette(self, matrices: JointMatrices) -> AnyPalette:
        """Return the palette of a pose, the same as that of its frame."""
        to_root = np.zeros((self.bone_count, 4, 4))
        to_root[self.joints.read_bones, :, :3] = matrices
        return PosedPass(self.joints, self.blend, self.placement, to_root, None, None).palette


class SteadyReader:
    """Reads frames that differ from one frame only in their bones' matrices.

    mesh_to_world: (4, 4), at all of them. passes: what else they share.
    """

    def __init__(
        self,
        frame: Frame,
        mesh_object: bpy.types.Object,
        readers: Sequence[ArmatureReader],
        instant: Instant,
    ) -> None:
        """frame: as `FrameReader` has read it at the instant. readers: of the armature of each pass."""
        self.mesh_to_world = frame.mesh_to_world
        self.passes = tuple(
            SteadyPass(one.joints, one.blend, one.placement, reader, len(one.to_root))
            for one, reader in zip(frame.passes, readers, strict=True)
        )
        evaluated = mesh_object.evaluated_get(instant.depsgraph)
        armatures = armature_objects(evaluated)
        self._modifiers = _modifiers_of(evaluated, armatures)
        self._place = exact_key(evaluated.matrix_world)
        self._armatures = tuple(map(_state_of, armatures))
        self._keys = tuple(
            (one.original.session_uid, reader.skeleton)
            for one, reader in zip(armatures, readers, strict=True)
        )
        self._all_keys = frozenset(self._keys)

    @staticmethod
    def can_follow(frame: Frame) -> bool:
        """Whether a frame's pose is no more than its bones' matrices: it is, without bendy bones."""
        return all(
            one.bent is None and one.origin is None and len(one.to_root) and one.to_root.dtype == np.float32
            for one in frame.passes
        )

    def read(self, mesh_object: bpy.types.Object, instant: Instant) -> tuple[JointMatrices, ...] | None:
        """Read the pose of each pass; None if the mesh or an armature has moved, or there are others. The
        caller knows that the binding still is what it was read from.

        Raises:
            StaleBindingError: an armature has other bones than when it was bound.
        """
        evaluated = mesh_object.evaluated_get(instant.depsgraph)
        if exact_key(evaluated.matrix_world) != self._place:
            return None
        latest = instant.latest
        if latest.keys() != self._all_keys:
            # Memory that is used again at once is faster than that of all characters.
            latest.clear()
        taken: list[JointMatrices] = []
        for number, one in enumerate(self.passes):
            armature = _armature_at(evaluated, self._modifiers[number])
            if armature is None or _state_of(armature) != self._armatures[number]:
                return None
            key = self._keys[number]
            matrices = latest.get(key)
            if matrices is None:
                matrices = latest[key] = one.reader.read_matrices(armature)
            # Whole rows of a few bones: where to find each of their numbers takes as long to read as the pose.
            taken.append(matrices.take(one.joints.read_bones, axis=0)[:, :, :3].copy())
        return tuple(taken)


def _modifiers_of(
    evaluated: bpy.types.Object, armatures: Sequence[bpy.types.Object]
) -> tuple[int | None, ...]:
    """Return which modifier each of a mesh's `armature_objects` belongs to, None for its parent."""
    numbers = [
        number
        for number, one in enumerate(evaluated.modifiers)
        if isinstance(one, bpy.types.ArmatureModifier) and one.show_viewport and one.object is not None
    ]
    return (*(None for _ in range(len(armatures) - len(numbers))), *numbers)


def _armature_at(evaluated: bpy.types.Object, modifier: int | None) -> bpy.types.Object | None:
    """Return the armature object of a mesh's modifier, or its parent; that is faster than to look for them."""
    if modifier is None:
        return evaluated.parent
    return cast("bpy.types.ArmatureModifier", evaluated.modifiers[modifier]).object


def _state_of(armature: bpy.types.Object) -> tuple[Hashable, ...]:
    """Return which armature object it is, whether it is being edited, and where it is."""
    return (
        armature.original.session_uid,
        cast("bpy.types.Armature", armature.data).is_editmode,
        exact_key(armature.matrix_world),
    )
