"""Reads the poses of a mesh while nothing but its bones moves, in a third of the time that a frame takes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.blending.blend_palette import AnyPalette
from ...core.skinning.joints import Joints
from ...core.skinning.passes import Blend
from ..armatures.armature_reader import ArmatureReader
from ..matrices import exact_key
from ..object_data import armature_of
from ..objects.modifier_stack import armature_objects
from .frame import Frame, Placement, PosedPass
from .instant import Instant

JointMatrices = NDArray[np.float32]
"""(12 * J,), of each joint's bone the first three columns of to_root: see `Joints.affine_entries`."""


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
        to_root.put(self.joints.affine_entries, matrices)
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
        self._places = _places(evaluated, armatures)
        self._keys = tuple(
            (one.original.session_uid, reader.skeleton)
            for one, reader in zip(armatures, readers, strict=True)
        )

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
        armatures = armature_objects(evaluated)
        if _places(evaluated, armatures) != self._places:
            return None
        latest = instant.latest
        if latest.keys() != set(self._keys):
            # Memory that is used again at once is faster than that of all characters.
            latest.clear()
        taken: list[JointMatrices] = []
        for one, armature, key in zip(self.passes, armatures, self._keys, strict=True):
            matrices = latest.get(key)
            if matrices is None:
                matrices = latest[key] = one.reader.read_matrices(armature)
            taken.append(matrices.take(one.joints.affine_entries))
        return tuple(taken)


def _places(evaluated: bpy.types.Object, armatures: Sequence[bpy.types.Object]) -> list[Hashable]:
    """Return where a mesh and its armatures are, and which these are."""
    places: list[Hashable] = [exact_key(evaluated.matrix_world)]
    for one in armatures:
        places += (one.original.session_uid, armature_of(one).is_editmode, exact_key(one.matrix_world))
    return places
