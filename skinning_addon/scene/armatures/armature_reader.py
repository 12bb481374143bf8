"""Armature -> Skeleton, the posed matrices of all bones, and the bones' other settings that deform a mesh.

`Bone.matrix_local` and `PoseBone.matrix` are both relative to the armature object: we call that to_root.
`foreach_get` returns them column by column, so reshaping them to (4, 4) gives row-vector matrices.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.bendy.envelope import Envelopes
from ...core.skinning.skeleton import Skeleton
from ...core.text.errors import PoseNotReadyError, StaleBindingError
from ..identification import identity
from ..matrices import MATRICES_ARE_BUFFERS
from ..object_data import armature_of
from .bendy_reader import BendyReader, BoneOrder, blenders_joints, read_bendy


@dataclass(frozen=True, eq=False)
class ArmatureReader:
    """Reads one armature, in the order of its skeleton's bones.

    skeleton: all bones, deforming or not.
    deforms: (B,) bool, Blender's Deform option; groups named after other bones are ignored.
    lengths: (B,) float64, at rest. segments: (B,) int32, 1 for bones that do not bend.
    curved: (B,) bool, whether a bendy bone maps vertices along its curve instead of a straight line.
    order: (B,), each bone's index among the object's pose bones.
    data_order: (B,), its index among the armature's bones.
    bendy: reads the bendy bones; None if there are none.
    left: (L,), the bones that a copy still has, in the order of its pose bones; None if it has all.
    """

    skeleton: Skeleton
    deforms: NDArray[np.bool_]
    lengths: NDArray[np.float64]
    segments: NDArray[np.int32]
    curved: NDArray[np.bool_]
    order: NDArray[np.intp]
    data_order: NDArray[np.intp]
    bendy: BendyReader | None = None
    left: NDArray[np.intp] | None = None

    @cached_property
    def deforms_key(self) -> bytes:
        """`deforms`, to look things up by."""
        return self.deforms.tobytes()

    @cached_property
    def segments_key(self) -> bytes:
        """`segments`, to look things up by."""
        return self.segments.tobytes()

    @cached_property
    def _in_order(self) -> bool:
        """Whether the skeleton's bones are in the order of the pose bones, as they nearly always are."""
        return bool((self.order == np.arange(len(self.order))).all())

    def of_copy(self, armature: bpy.types.Object) -> ArmatureReader:
        """Return the reader for a copy from which bones, none of them bendy, were removed."""
        index_of = {name: number for number, name in enumerate(self.skeleton.names)}
        left = np.array([index_of[bone.name] for bone in armature.pose.bones], dtype=np.intp)
        return replace(self, left=left)

    def deforming_in_pose_order(self) -> NDArray[np.intp]:
        """Return the deforming bones in the order of Blender's pose bones."""
        bones = np.argsort(self.order)
        return bones[self.deforms[bones]]

    def read_to_root(self, armature: bpy.types.Object) -> NDArray[np.float64]:
        """Read to_root of every bone, (B, 4, 4) float64, from an *evaluated* armature object.

        It includes constraints, drivers and every mode of inheriting scale, since Blender has applied them.
        Bones missing from a copy are in their rest pose.

        Raises:
            StaleBindingError: the armature has other bones than when it was bound.
        """
        to_root = self.read_matrices(armature).astype(np.float64)
        to_root[:, :, 3] = (0.0, 0.0, 0.0, 1.0)
        return to_root

    def read_matrices(self, armature: bpy.types.Object) -> NDArray[np.float32]:
        """Read the same as `read_to_root`, but in float32, as Blender stores it: (B, 4, 4). That is faster if
        few of the bones are needed.

        The matrices are affine. If Blender can't invert an armature's matrix, constraints leave NaN in the last
        column, which Blender ignores when deforming.
        """
        count = len(self.order) if self.left is None else len(self.left)
        # float32 is Blender's own type: with any other type, the call is eight times slower.
        matrices = np.empty((count, 4, 4), dtype=np.float32)
        if not _read_pose(armature, matrices):
            raise StaleBindingError(
                "The bones of '{armature}' have changed; bind its meshes again.", armature=identity(armature)
            )
        if self.left is not None:
            to_root = self.skeleton.rest_to_root.astype(np.float32)
            to_root[self.left] = matrices
            return to_root
        return matrices if self._in_order else matrices[self.order]

    def read_segments(
        self,
        armature: bpy.types.Object,
        bones: NDArray[np.integer],
        segments: NDArray[np.integer],
        to_root: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Read the joints of bendy bones relative to their bone in the current pose, (N, 4, 4) float64.

        Newer versions of Blender return buffers, in half the time that computing the joints takes. Older ones
        return matrices value by value, which takes a quarter longer than computing
        (benchmarks/bendy_joints.py).

        armature: the evaluated object. bones, segments: (N,), each joint's bone and segment. to_root:
        (B, 4, 4), as read.
        """
        if MATRICES_ARE_BUFFERS:
            return blenders_joints(armature, self.order[bones], segments)
        return self.compute_segments(armature, bones, segments, to_root)

    def compute_segments(
        self,
        armature: bpy.types.Object,
        bones: NDArray[np.integer],
        segments: NDArray[np.integer],
        to_root: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Compute the joints that `read_segments` reads."""
        if self.bendy is None:
            return np.empty((0, 4, 4))
        joints = self.bendy.read_joints(armature, to_root, self.skeleton.rest_to_root)
        return joints[segments, self.bendy.index[bones]].astype(np.float64)

    def posed_segments(
        self, bones: NDArray[np.integer], segments: NDArray[np.integer], to_root: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the joints of bendy bones, (N, 4, 4) float64, in a pose (B, 4, 4) other than the armature's.

        Curves set or animated on Blender's pose are ignored: only the bones' own settings are known.
        """
        if self.bendy is None:
            return np.empty((0, 4, 4))
        joints = self.bendy.posed_joints(to_root, self.skeleton)
        return joints[segments, self.bendy.index[bones]].astype(np.float64)

    def read_rest_segments(
        self, armature: bpy.types.Object, bones: NDArray[np.integer], segments: NDArray[np.integer]
    ) -> NDArray[np.float64]:
        """Read the joints of bendy bones relative to their bone at rest, (N, 4, 4) float64: one call per joint.

        In Edit Mode they are computed: a pose that Blender made there, as after undo, has no segments to query.
        """
        if armature_of(armature).is_editmode:
            return self.posed_segments(bones, segments, self.skeleton.rest_to_root)
        return blenders_joints(armature, self.order[bones], segments, rest=True)

    def envelopes(self, armature: bpy.types.Object) -> Envelopes:
        """Read the envelopes of all bones of an armature object.

        Raises:
            StaleBindingError: the armature has other bones than when it was bound.
        """
        bones = armature_of(armature).bones
        order = self.data_order
        if len(bones) != len(order):
            raise StaleBindingError(
                "The bones of '{armature}' have changed; bind its meshes again.", armature=identity(armature)
            )
        return Envelopes(
            head=_read(bones, "head_local", 3)[order],
            tail=_read(bones, "tail_local", 3)[order],
            head_radius=_read(bones, "head_radius")[order],
            tail_radius=_read(bones, "tail_radius")[order],
            distance=_read(bones, "envelope_distance")[order],
            weight=_read(bones, "envelope_weight")[order],
            multiply=_read(bones, "use_envelope_multiply").astype(bool)[order],
        )


def read_armature(armature: bpy.types.Object) -> ArmatureReader:
    """Read the rest pose and the hierarchy of an armature object, evaluated or not.

    Raises:
        PoseNotReadyError: its pose is still that of other bones, as after undo, or after its data was replaced
            or emptied, until Blender evaluates it.
    """
    bones = armature_of(armature).bones
    index_of_bone = {bone.name: index for index, bone in enumerate(bones)}
    rest = np.empty((len(bones), 4, 4), dtype=np.float32)
    if len(bones):
        bones.foreach_get("matrix_local", rest.reshape(-1))
    # Pose bones and bones are two lists that may differ in order; poses are read in the pose bones' order.
    names = [pose_bone.name for pose_bone in armature.pose.bones] if armature.pose else []
    if len(names) != len(bones) or index_of_bone.keys() != set(names):
        raise PoseNotReadyError(
            "Blender hasn't updated the pose of '{armature}' for its changed bones yet; wait a moment.",
            armature=armature.name,
        )
    index_in_pose = {name: index for index, name in enumerate(names)}
    from_bones = np.array([index_of_bone[name] for name in names], dtype=np.intp)
    parents = [index_in_pose[bones[name].parent.name] if bones[name].parent else -1 for name in names]
    skeleton, order = Skeleton.from_bones(names, parents, rest[from_bones])
    data_order = from_bones[order]
    curved = np.array([bone.bbone_mapping_mode == "CURVED" for bone in bones], dtype=bool)
    deforms = _read(bones, "use_deform").astype(bool)[data_order]
    segments = _read(bones, "bbone_segments").astype(np.int32)[data_order]
    return ArmatureReader(
        skeleton=skeleton,
        deforms=deforms,
        lengths=_read(bones, "length")[data_order],
        segments=segments,
        curved=curved[data_order],
        order=order,
        data_order=data_order,
        bendy=read_bendy(armature, skeleton, BoneOrder(order, data_order), segments),
    )


class ArmatureReaders:
    """Cached readers of armatures, valid as long as none of their bones change."""

    def __init__(self) -> None:
        self._read: dict[str, ArmatureReader] = {}

    def of(self, armature: bpy.types.Object) -> ArmatureReader:
        """Return the reader of an armature object."""
        if identity(armature) not in self._read:
            self._read[identity(armature)] = read_armature(armature)
        return self._read[identity(armature)]


def _read(bones: bpy.types.ArmatureBones, name: str, size: int = 1) -> NDArray[np.float64]:
    values = np.empty(len(bones) * size, dtype=np.float32)
    if len(bones):
        bones.foreach_get(name, values)
    return values.astype(np.float64).reshape((-1, size) if size > 1 else -1)


def _read_pose(armature: bpy.types.Object, matrices: NDArray[np.float32]) -> bool:
    """Read the matrices of all pose bones, (N, 4, 4), in their order; return whether there are so many."""
    pose = armature.pose
    if pose is None:
        return not len(matrices)
    bones = pose.bones
    if not len(matrices):
        return not len(bones)
    try:
        # Blender counts them, too: to do it before would take a tenth of the time again.
        bones.foreach_get("matrix", matrices.reshape(-1))
    except (TypeError, RuntimeError):
        if len(bones) == len(matrices):
            raise
        return False
    return _has_own_pose(armature, len(matrices))


def _has_own_pose(armature: bpy.types.Object, count: int) -> bool:
    """Whether an armature object's pose is that of its bones. Until it is evaluated, it may be that of others.
    Counting bones costs as much as reading their matrices, since Blender walks along them.
    """
    return armature.is_evaluated or len(armature_of(armature).bones) == count
