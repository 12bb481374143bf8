"""Before and after by part of the body: what a game-ready copy gains where."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.text.body_part import body_part
from ...core.text.message import Message
from ...scene.meshes.vertex_group_reader import read_memberships
from ...scene.object_data import armature_of, mesh_of

MOST_OF_THE_BONES = 0.5
"""A collection of a larger share of the deforming bones names no part of the body."""


@dataclass(frozen=True)
class CopiedPart:
    """part: in words, or the name of a bone collection or a bone. before: metres, the most that the original is
    off in the engine there; after: the most that the copy is.
    """

    part: str
    before: float
    after: float


@dataclass(frozen=True, eq=False)
class PartsOfMesh:
    """names: of the parts. which: (V,) intp, each vertex's part. before, after: (V,) metres, the most over all
    frames.
    """

    names: tuple[str, ...]
    which: NDArray[np.intp]
    before: NDArray[np.floating]
    after: NDArray[np.floating]


def copied_parts(meshes: Iterable[PartsOfMesh]) -> tuple[CopiedPart, ...]:
    """List the parts of a character, those with most left first."""
    found: dict[str, tuple[float, float]] = {}
    for one in meshes:
        for number, name in enumerate(one.names):
            of_part = one.which == number
            if not of_part.any():
                continue
            before, after = found.get(name, (0.0, 0.0))
            found[name] = max(before, one.before[of_part].max()), max(after, one.after[of_part].max())
    parts = [CopiedPart(name, float(before), float(after)) for name, (before, after) in found.items()]
    return tuple(sorted(parts, key=lambda one: (-one.after, -one.before)))


def parts_of(
    mesh_object: bpy.types.Object, armature: bpy.types.Object
) -> tuple[tuple[str, ...], NDArray[np.intp]]:
    """Return the names of a mesh's parts, and the part of each vertex: that of the bone that moves it most, or
    the last if none does.
    """
    bones = [one for one in armature_of(armature).bones if one.use_deform]
    numbers = {one.name: index for index, one in enumerate(bones)}
    mesh = mesh_of(mesh_object)
    count = len(bones)
    if mesh_object.parent_type == "BONE":
        bones = [one for one in armature_of(armature).bones if one.name == mesh_object.parent_bone]
        which = np.zeros(len(mesh.vertices), dtype=np.intp)
    else:
        groups = [group.name for group in mesh_object.vertex_groups]
        skin = read_memberships(mesh).bone_skin(groups, numbers)
        largest = skin.kept(skin.weights > 0).limited(1)
        which = np.full(len(mesh.vertices), len(bones), dtype=np.intp)
        which[largest.vertex_of_influence] = largest.indices
    return (*(_part(one, count) for one in bones), Message("no bone")), which


def _part(bone: bpy.types.Bone, bones: int) -> str:
    """Name a bone's part of the body: in words if its name says it, else by its smallest bone collection."""
    words = body_part(bone.name)
    if words:
        return words
    small = [
        (len(one.bones), one.name)
        for one in bone.collections
        if len(one.bones) < MOST_OF_THE_BONES * max(bones, 2)
    ]
    return min(small)[1] if small else bone.name
