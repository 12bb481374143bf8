"""The joints of a palette, and the offset into each joint's space.

    offset(i) = mesh_to_root @ inverse(rest_to_root(i))     mesh space in the rest pose -> bone i's space

The offset stays the same from frame to frame, unless the mesh object moves relative to the armature.

Source: Luna, "Character Animation".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..maths.arrays import read_only, sealed, set_field
from ..maths.orthonormal_axes import orthonormal_axes
from ..text.errors import InvalidArrayError
from .pose import Pose
from .skeleton import Skeleton, invert_affine

NO_BONE = 0
"""Joint 0 of every palette: the identity, for vertices that no bone moves."""

ORIGIN = -2
"""Used in place of a bone index by the joint that takes every vertex to the origin; see `origin_joint`."""

_IDENTITY = np.eye(4)


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
        known = ("root_to_rest", "rest_axes", "bendy", "read_bones", "at_origin")
        moved.__dict__.update({name: self.__dict__[name] for name in known if name in self.__dict__})
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

    @cached_property
    def read_bones(self) -> NDArray[np.intp]:
        """(J,), each joint's bone, to read by; joint 0 has any."""
        return sealed(np.maximum(self.bone, 0).astype(np.intp))

    @cached_property
    def at_origin(self) -> list[int]:
        """The joints whose bone is ORIGIN."""
        return np.flatnonzero(self.bone == ORIGIN).tolist()

    def posed(
        self,
        to_root: NDArray[np.floating],
        segment_to_bone: NDArray[np.float64] | None = None,
        origin: NDArray[np.float64] | None = None,
    ) -> Pose:
        """Return the joints' pose, given the matrices of all bones (B, 4, 4); see `posed_to_root`."""
        return Pose(self.posed_to_root(to_root, segment_to_bone, origin))

    def posed_to_root(
        self,
        to_root: NDArray[np.floating],
        segment_to_bone: NDArray[np.float64] | None = None,
        origin: NDArray[np.float64] | None = None,
    ) -> NDArray[np.float64]:
        """Return each joint's matrix, (..., J, 4, 4); leading axes, such as frames, pass through.

        to_root: (..., B, 4, 4), float64, or float32 as read; its last column isn't used.
        segment_to_bone: posed matrices of the joints `bendy`, in their order.
        origin: (..., 3), where the joint ORIGIN takes vertices, in root space; None for its own origin.
        """
        if not to_root.shape[-3]:
            return np.broadcast_to(_IDENTITY, (*to_root.shape[:-3], 1, 4, 4))
        # `take` copies whole matrices, in a quarter of the time that indexing needs.
        posed = to_root.take(self.read_bones, axis=-3).astype(np.float64, copy=False)
        posed[..., 3] = (0.0, 0.0, 0.0, 1.0)
        posed[..., NO_BONE, :, :] = _IDENTITY
        for collapsed in self.at_origin:
            posed[..., collapsed, :3, :] = 0
            posed[..., collapsed, 3, :3] = 0 if origin is None else origin
            posed[..., collapsed, 3, 3] = 1
        if segment_to_bone is not None and segment_to_bone.size:
            posed[..., self.bendy, :, :] = segment_to_bone @ posed.take(self.bendy, axis=-3)
        return posed

    def check_fits(self, pose: Pose) -> None:
        """Raise InvalidArrayError unless `pose` has a matrix for each of these joints."""
        if len(pose.to_root) != len(self):
            raise InvalidArrayError(
                f"A pose of {len(pose.to_root)} joints was given for a palette of {len(self)}; pose the "
                f"same joints."
            )


def offset_matrices(rest_to_root: NDArray[np.float64], mesh_to_root: ArrayLike) -> NDArray[np.float64]:
    """offset(i) = mesh_to_root @ inverse(rest_to_root(i)); (J, 4, 4), (4, 4) -> (J, 4, 4) float64.

    A rest matrix without an inverse is treated as the identity, so that the rest of the character is still
    skinned (a bone of length 0 never has one in Blender; foreign data may).
    """
    return np.asarray(mesh_to_root, dtype=np.float64) @ invert_affine(rest_to_root)[0]
