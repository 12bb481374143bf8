"""Matching the armatures here with another file's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bpy
import numpy as np

from ...animation.bone_names import named_bones
from ...animation.retargeting import Retargeting, SharedBones
from ...core.text.errors import ClipError
from ..armatures.armature_reader import ArmatureReader, read_armature
from ..object_data import armature_of
from .clip_package import PackedArmature, PackedClips


@dataclass(frozen=True, eq=False)
class ClipPair:
    """An armature of the other file, and the one here that plays its clips."""

    number: int
    there: PackedArmature
    here: bpy.types.Object
    reader: ArmatureReader
    retargeting: Retargeting

    @property
    def shared(self) -> SharedBones:
        return self.retargeting.shared


def clip_pairs(armatures: Sequence[bpy.types.Object], packed: PackedClips) -> list[ClipPair]:
    """For each armature there, find the one here that shares the most bones; best matches first.

    Raises:
        ClipError: there is no armature here, or no bones are shared.
    """
    readers = [(one, read_armature(one)) for one in armatures if armature_of(one).bones]
    if not readers:
        raise ClipError(
            "There is no armature with bones here to play the clips; choose a file with a character."
        )
    moved = {part.armature for clip in packed.clips for part in clip.parts}
    pairs: list[ClipPair] = []
    for number, there in enumerate(packed.armatures):
        if number not in moved:
            continue
        known = set(there.skeleton.names)
        here, reader = max(
            readers, key=lambda one: (len(known & set(one[1].skeleton.names)), one[0].name == there.name)
        )
        if known & set(reader.skeleton.names):
            bones = armature_of(here).bones
            inherits = np.array([bones[name].use_inherit_rotation for name in reader.skeleton.names])
            along = np.array([bones[name].use_local_location for name in reader.skeleton.names])
            pairs.append(
                ClipPair(
                    number, there, here, reader, Retargeting(there.skeleton, reader.skeleton, inherits, along)
                )
            )
    if not pairs:
        raise _no_bone_shared(
            packed.file,
            [name for number in sorted(moved) for name in packed.armatures[number].skeleton.names],
            [name for _, reader in readers for name in reader.skeleton.names],
        )
    return sorted(pairs, key=lambda one: -len(one.shared.names))


def _no_bone_shared(file: str, there: Sequence[str], here: Sequence[str]) -> ClipError:
    """Make the error for skeletons without common bone names."""
    return ClipError(
        "'{file}' has no bone names in common with the armatures here: there {there}, here {here}; clips "
        "are matched by bone name, so give the bones the same names.",
        file=file,
        there=named_bones(there),
        here=named_bones(here),
    )
