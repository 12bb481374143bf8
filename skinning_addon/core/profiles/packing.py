"""A skin in an engine's buffer layout: a fixed number of influences per vertex, joints and weights in the
engine's types.

Also the bone-combination table of an engine whose palette holds fewer joints than the mesh: the joint in each
slot of each draw call, and what that call draws.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..groups.partition import partition_palette
from ..maths.arrays import sealed
from ..skinning.mesh import SourceMesh
from ..skinning.skin import Skin
from ..text.errors import InvalidArrayError
from .aspects import influence_limit
from .profile import Profile, QuantiseWhen

Unsigned = NDArray[np.uint8] | NDArray[np.uint16] | NDArray[np.uint32]

MOST_FIXED_INFLUENCES = 8
"""Up to this limit engines have a fixed number of slots per vertex; above it they store as many as there
are."""


@dataclass(frozen=True, eq=False)
class PackedSkin:
    """joints: (V, K) uint8, uint16 or uint32. weights: (V, K) float32, or uint16 or uint8 whose largest number
    stands for 1; (V, K - 1) if the last weight is implied as one minus the others. Unused slots have joint 0
    and weight 0.
    """

    joints: Unsigned
    weights: NDArray[np.float32] | Unsigned

    def __post_init__(self) -> None:
        sealed(self.joints)
        sealed(self.weights)


def packed_skin(skin: Skin, profile: Profile) -> PackedSkin:
    """Pack a skin whose weights are as the engine stores them, before its shader divides by anything.

    A vertex without influences, which stays at rest, gets joint 0, "no bone", with weight 1.
    """
    most = max(skin.largest_count, 1)
    limit = influence_limit(profile)
    slots = max(most, limit) if limit is not None and limit <= MOST_FIXED_INFLUENCES else most
    joints = np.zeros((skin.vertex_count, slots), dtype=np.int64)
    weights = np.zeros((skin.vertex_count, slots), dtype=np.float32)
    owner = skin.vertex_of_influence
    slot = np.arange(len(owner)) - skin.starts[owner]
    joints[owner, slot] = skin.joints
    weights[owner, slot] = skin.weights
    weights[skin.counts == 0, 0] = 1
    stored = profile.weights
    # After dividing by the sum, rounded weights are no longer whole steps.
    steps = stored.format.steps if stored.quantise is QuantiseWhen.AFTER_NORMALISING else None
    if stored.last_implied and slots > 1:
        weights = weights[:, :-1]
    indices = _narrow(joints, profile.palette.index_bits)
    if steps is None:
        return PackedSkin(indices, np.ascontiguousarray(weights))
    whole = np.rint(weights.astype(np.float64) * steps)
    return PackedSkin(indices, whole.astype(np.uint8) if steps == 0xFF else whole.astype(np.uint16))


@dataclass(frozen=True, eq=False)
class BoneCombinations:
    """A mesh split into G draw calls by material and palette size; call g's entries are starts[g] to starts[g
    + 1].

    materials: (G,) int32, the slot of each call's material, ascending: D3DX's attribute id.
    slot_joints: (G, S) int32, the joint in each slot of a call's palette, -1 if empty.
    vertices: (v,) int32, the mesh's vertex of each stored one; vertices on borders are stored in each call.
    vertex_starts: (G + 1,) int32. triangles: (t,) int32, numbers of the mesh's triangles; triangle_starts: (G +
    1,) int32.
    corners: (t, 3) int32, each triangle's vertices, counted within its call.
    slots: (v, K) unsigned, the palette slot of each influence of the packed skin; influences of no weight have
    slot 0.
    oversized: (O,) int32, triangles that need more joints than a palette holds, which no call draws.
    """

    materials: NDArray[np.int32]
    slot_joints: NDArray[np.int32]
    vertices: NDArray[np.int32]
    vertex_starts: NDArray[np.int32]
    triangles: NDArray[np.int32]
    triangle_starts: NDArray[np.int32]
    corners: NDArray[np.int32]
    slots: Unsigned
    oversized: NDArray[np.int32]


def bone_combinations(skin: Skin, packed: PackedSkin, mesh: SourceMesh, profile: Profile) -> BoneCombinations:
    """Split a mesh to fit an engine's palette. skin: the skin that `packed` was made from.

    Raises:
        InvalidArrayError: the engine does not split meshes.
    """
    limit = profile.palette.split_at
    if limit is None:
        raise InvalidArrayError(f"'{profile.id}' draws a mesh in one call, however many joints it has.")
    triangles = mesh.triangles
    partition = partition_palette(skin, triangles, limit, mesh.material)
    groups = partition.groups
    width = max((len(group.joints) for group in groups), default=0)
    slot_joints = np.full((len(groups), width), -1, dtype=np.int32)
    corners: list[NDArray[np.intp]] = [np.zeros((0, 3), dtype=np.intp)]
    slots: list[NDArray[np.int64]] = [np.zeros((0, packed.joints.shape[1]), dtype=np.int64)]
    for number, group in enumerate(groups):
        slot_joints[number, : len(group.joints)] = group.joints
        corners.append(np.searchsorted(group.vertices, triangles[group.triangles]))
        own_joints = packed.joints[group.vertices].astype(np.int64)
        slot = np.minimum(np.searchsorted(group.joints, own_joints), len(group.joints) - 1)
        # The palette has no slots for joints that only zero weights use.
        slots.append(np.where(group.joints[slot] == own_joints, slot, 0))
    return BoneCombinations(
        np.array([group.material for group in groups], dtype=np.int32),
        slot_joints,
        np.concatenate([np.zeros(0, dtype=np.int32), *(group.vertices for group in groups)]),
        _starts([len(group.vertices) for group in groups]),
        np.concatenate([np.zeros(0, dtype=np.int32), *(group.triangles for group in groups)]),
        _starts([len(group.triangles) for group in groups]),
        np.concatenate(corners).astype(np.int32),
        _narrow(np.concatenate(slots), profile.palette.index_bits),
        partition.oversized,
    )


def _starts(counts: list[int]) -> NDArray[np.int32]:
    return np.concatenate(([0], np.cumsum(counts))).astype(np.int32)


def _narrow(indices: NDArray[np.int64], bits: int) -> Unsigned:
    """Return indices in the engine's type, or in the next wider type that holds them."""
    largest = int(indices.max(initial=0))
    if bits <= 8 and largest <= 0xFF:
        return indices.astype(np.uint8)
    if bits <= 16 and largest <= 0xFFFF:
        return indices.astype(np.uint16)
    return indices.astype(np.uint32)
