"""The bone palette: one matrix per joint, which takes a vertex from the rest pose to its posed place.

    offset(i) = mesh_to_root @ inverse(rest_to_root(i))     mesh space in the rest pose -> bone i's space
    final(i)  = offset(i) @ to_root(i) @ root_to_mesh       the palette entry
    v'        = sum_k weight_k * (v @ final(index_k))

`offset` takes the vertex into bone i's space; `to_root` then carries it along with the posed bone.
The offset stays the same from frame to frame, unless the mesh object moves relative to the armature.

Sources: Luna, "Character Animation" (offset, toRoot, final transforms); the DirectX SDK's SkinnedMesh sample.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..maths.arrays import read_only, sealed, set_field
from ..maths.orthonormal_axes import orthonormal_axes
from ..text.errors import InvalidArrayError
from .skeleton import Skeleton, invert_affine
from .skin import RuledSkin, Skin

NO_BONE = 0
"""Joint 0 of every palette: the identity, for vertices that no bone moves."""

ORIGIN = -2
"""Used in place of a bone index by the joint that takes every vertex to the origin; see `origin_joint`."""

_IDENTITY = np.eye(4)


class Blend(Enum):
    """How the matrices of a vertex's joints are combined into one transformation."""

    LINEAR = "linear"
    VOLUME = "volume"
    """Blender's Preserve Volume: dual quaternions with the scale split off; see `volume_palette`."""
    DUAL_QUATERNION = "dual quaternion"
    """As published and as in engines: rigid motions only; see `dual_quaternion`. Blender never uses this."""


class PassInput(Enum):
    """The positions that a pass starts from."""

    PREVIOUS = "previous"
    """The result of the pass before it."""
    RUN_START = "run start"
    """The input of the nearest earlier pass with input PREVIOUS (Blender's Multi Modifier option)."""


@dataclass(frozen=True, eq=False)
class Joints:
    """The entries of a palette. A plain bone is one joint; joint 0 is "no bone".

    bone: (J,) int32, index into the skeleton; -1 for joint 0, ORIGIN for the joint at the origin.
    segment: (J,) int32, the joint's index within its bendy bone; 0 for plain bones.
    rest_to_root: (J, 4, 4) float64, the identity for joint 0.
    offset: (J, 4, 4) float64, mesh space in the rest pose -> joint.
    """

    bone: NDArray[np.int32]
    segment: NDArray[np.int32]
    rest_to_root: NDArray[np.float64]
    offset: NDArray[np.float64]

    def __post_init__(self) -> None:
        set_field(self, "bone", read_only("bone", self.bone, np.int32, (None,)))
        count = len(self.bone)
        set_field(self, "segment", read_only("segment", self.segment, np.int32, (count,)))
        set_field(
            self, "rest_to_root", read_only("rest_to_root", self.rest_to_root, np.float64, (count, 4, 4))
        )
        set_field(self, "offset", read_only("offset", self.offset, np.float64, (count, 4, 4)))
        if not count or self.bone[NO_BONE] != -1:
            raise InvalidArrayError("Joint 0 must be 'no bone' (bone -1).")

    def __len__(self) -> int:
        return len(self.bone)

    @classmethod
    def of_bones(cls, skeleton: Skeleton, bones: ArrayLike, mesh_to_root: ArrayLike) -> Joints:
        """Make joint 0 and one joint for each of `bones` (indices into `skeleton`)."""
        bone = np.concatenate(([-1], np.asarray(bones, dtype=np.int32))).astype(np.int32)
        segment = np.zeros(len(bone), dtype=np.int32)
        segment_to_bone = np.tile(np.eye(4), (len(bone), 1, 1))
        return cls.of_segments(skeleton, bone, segment, segment_to_bone, mesh_to_root)

    @classmethod
    def of_segments(
        cls,
        skeleton: Skeleton,
        bone: NDArray[np.int32],
        segment: NDArray[np.int32],
        segment_to_bone: NDArray[np.float64],
        mesh_to_root: ArrayLike,
    ) -> Joints:
        """Make joints placed along their bones.

        bone, segment: (J,), with -1 and 0 for joint 0. segment_to_bone: (J, 4, 4) at rest, the identity for
        plain bones.
        """
        if not len(skeleton.names):
            bone_rest = np.tile(np.eye(4), (len(bone), 1, 1))
        else:
            bone_rest = np.where(
                (bone < 0)[:, None, None], np.eye(4), skeleton.rest_to_root[np.maximum(bone, 0)]
            )
        rest_to_root = segment_to_bone @ bone_rest
        return cls(bone, segment, rest_to_root, offset_matrices(rest_to_root, mesh_to_root))

    def seen_from(self, mesh_to_root: ArrayLike) -> Joints:
        """Return the same joints for a mesh object in another place: only the offsets differ."""
        moved = replace(self, offset=np.asarray(mesh_to_root, dtype=np.float64) @ self.root_to_rest)
        # This may run every frame, so keep the cached values: they depend only on the unchanged rest pose.
        moved.__dict__.update(root_to_rest=self.root_to_rest, rest_axes=self.rest_axes, bendy=self.bendy)
        return moved

    def selected(self, entries: NDArray[np.int32]) -> Joints:
        """Return the joints at `entries`, in that order; the first must be joint 0."""
        return Joints(
            self.bone[entries], self.segment[entries], self.rest_to_root[entries], self.offset[entries]
        )

    @cached_property
    def root_to_rest(self) -> NDArray[np.float64]:
        """(J, 4, 4) float64, inverse(rest_to_root): root space -> joint in the rest pose."""
        return sealed(invert_affine(self.rest_to_root)[0])

    @cached_property
    def rest_axes(self) -> NDArray[np.float64]:
        """(J, 3, 3) float64, the rotation in rest_to_root; see `orthonormal_axes`."""
        return sealed(orthonormal_axes(self.rest_to_root[:, :3, :3]))

    @cached_property
    def bendy(self) -> NDArray[np.intp]:
        """The joints that are segments of bendy bones, ascending."""
        several = np.bincount(self.bone - ORIGIN)[self.bone - ORIGIN] > 1
        several[NO_BONE] = False
        return sealed(np.flatnonzero(several))

    def posed(
        self,
        to_root: NDArray[np.float64],
        segment_to_bone: NDArray[np.float64] | None = None,
        origin: NDArray[np.float64] | None = None,
    ) -> Pose:
        """Return the joints' pose, given the matrices of all bones (B, 4, 4); see `posed_to_root`."""
        return Pose(self.posed_to_root(to_root, segment_to_bone, origin))

    def posed_to_root(
        self,
        to_root: NDArray[np.float64],
        segment_to_bone: NDArray[np.float64] | None = None,
        origin: NDArray[np.float64] | None = None,
    ) -> NDArray[np.float64]:
        """Return each joint's matrix, (..., J, 4, 4); leading axes, such as frames, pass through.

        to_root: (..., B, 4, 4) float64. segment_to_bone: posed matrices of the joints `bendy`, in their order.
        origin: (..., 3), where the joint ORIGIN takes vertices, in root space; None for its own origin.
        """
        if not to_root.shape[-3]:
            return np.broadcast_to(_IDENTITY, (*to_root.shape[:-3], 1, 4, 4))
        # `take` copies whole matrices, in a quarter of the time that indexing needs.
        posed = to_root.take(np.maximum(self.bone, 0), axis=-3)
        posed[..., NO_BONE, :, :] = _IDENTITY
        for collapsed in np.flatnonzero(self.bone == ORIGIN).tolist():
            posed[..., collapsed, :3, :] = 0
            posed[..., collapsed, 3, :3] = 0 if origin is None else origin
            posed[..., collapsed, 3, 3] = 1
        if segment_to_bone is not None and segment_to_bone.size:
            posed[..., self.bendy, :, :] = segment_to_bone @ posed.take(self.bendy, axis=-3)
        return posed


@dataclass(frozen=True, eq=False)
class Pose:
    """to_root: (J, 4, 4) float64, joint -> root space for every joint, at one instant."""

    to_root: NDArray[np.float64]

    def __post_init__(self) -> None:
        set_field(self, "to_root", read_only("to_root", self.to_root, np.float64, (None, 4, 4)))

    def check_fits(self, joints: Joints) -> None:
        """Raise InvalidArrayError unless this pose has as many joints as `joints`."""
        if len(self.to_root) != len(joints):
            raise InvalidArrayError(
                f"A pose of {len(self.to_root)} joints was given for a palette of {len(joints)}; pose the "
                f"same joints."
            )


@dataclass(frozen=True, eq=False)
class Palette:
    """final: (J, 4, 4) float32, mesh space -> mesh space, row vectors; sent to the GPU."""

    final: NDArray[np.float32]

    def __post_init__(self) -> None:
        set_field(self, "final", read_only("final", self.final, np.float32, (None, 4, 4)))

    def __len__(self) -> int:
        return len(self.final)

    def rows(self) -> NDArray[np.float32]:
        """Pack to three rows per joint, (J, 3, 4) float32.

        Row r gives coordinate r of the result: result[r] = dot(row r, (x, y, z, 1)). The fourth row is always
        (0, 0, 0, 1); without it, a third more joints fit into the same memory, as in the DirectX SDK's samples.
        """
        return np.ascontiguousarray(self.final[:, :, :3].transpose(0, 2, 1))


@dataclass(frozen=True, eq=False)
class FollowingWeights:
    """The sources of weights that change with the pose.

    Envelopes and bendy bones weight a vertex by its position at the start of the pass. If an earlier pass moves
    the vertices, that position, and so the skin, differs from frame to frame.

    grouped: the weights from vertex groups; its joints are bone indices. by_envelopes: whether envelopes
    replace the groups.
    multiplied: whether bones with that option multiply their weights by their envelopes.
    rule: how a profile changes the bone weights; None for Blender itself.
    """

    grouped: Skin
    by_envelopes: bool
    multiplied: bool = True
    rule: Callable[[Skin], RuledSkin] | None = None


@dataclass(frozen=True, eq=False)
class Pass:
    """One deformation of the mesh by one armature; Blender's stack of modifiers becomes a chain of passes.

    skin: the influences, joints numbered as in `joints`.
    joints: the entries of the palette.
    armature: name of the armature object whose pose the pass uses.
    blend: how the joints of a vertex are blended.
    amount: (V,) float32, or None for 1 everywhere; modifiers such as Bevel extrapolate weights beyond 0 and 1,
        and Blender uses them unclamped. It interpolates *positions*, v + amount * (skinned - v); folding it
        into the weights would be right only for linear blending.
    input: which positions the pass starts from.
    positional: whether the weights depend on where the vertices lie relative to the bones at rest, as with
        envelopes and bendy bones; they are then valid only while the mesh object does not move relative to the
        armature.
    rest_mesh_to_root: (4, 4) float64, the mesh object's place in the rest pose; None if it does not move
        relative to the armature, as for skins: its current place is used. Needed for parts carried by a bone.
    following: what the skin is rebuilt from at every frame; None if it is static, as it nearly always is.
    dropped: (V,) float32, the share of each vertex's weight that an engine dropped when deriving this skin from
        Blender's; None for Blender's own.
    """

    skin: Skin
    joints: Joints
    armature: str
    blend: Blend = Blend.LINEAR
    amount: NDArray[np.float32] | None = None
    input: PassInput = PassInput.PREVIOUS
    positional: bool = False
    rest_mesh_to_root: NDArray[np.float64] | None = None
    following: FollowingWeights | None = None
    dropped: NDArray[np.float32] | None = None

    def __post_init__(self) -> None:
        if self.amount is not None:
            amount = read_only("amount", self.amount, np.float32, (self.skin.vertex_count,))
            if not np.isfinite(amount).all():
                raise InvalidArrayError("amount must be a number for every vertex.")
            set_field(self, "amount", amount)
        if self.skin.joints.size and int(self.skin.joints.max()) >= len(self.joints):
            raise InvalidArrayError(
                f"The skin names joint {int(self.skin.joints.max())}, but there are only "
                f"{len(self.joints)} joints."
            )


def offset_matrices(rest_to_root: NDArray[np.float64], mesh_to_root: ArrayLike) -> NDArray[np.float64]:
    """offset(i) = mesh_to_root @ inverse(rest_to_root(i)); (J, 4, 4), (4, 4) -> (J, 4, 4) float64.

    A rest matrix without an inverse is treated as the identity, so that the rest of the character is still
    skinned (a bone of length 0 never has one in Blender; foreign data may).
    """
    return np.asarray(mesh_to_root, dtype=np.float64) @ invert_affine(rest_to_root)[0]


def final_matrices(joints: Joints, pose: Pose, root_to_mesh: ArrayLike) -> Palette:
    """final(i) = offset(i) @ to_root(i) @ root_to_mesh, in float64, then rounded to float32 once.

    `offset @ to_root` lands in root space, as in the textbook; `root_to_mesh` brings the result back to mesh
    space, where passes chain and where Blender's own result is compared.

    Raises:
        InvalidArrayError: the pose has another number of joints.
    """
    pose.check_fits(joints)
    # All joints share the last factor: one tall product takes a tenth of the time of J small ones.
    to_mesh = pose.to_root.reshape(-1, 4) @ np.asarray(root_to_mesh, dtype=np.float64)
    final = joints.offset @ to_mesh.reshape(-1, 4, 4)
    final[NO_BONE] = _IDENTITY
    return Palette(final.astype(np.float32))
