"""All matrices of one bone at the current frame: the steps of the pipeline, for display."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.inspection.matrix_text import NamedMatrix
from ...core.skinning.joints import Joints
from ...core.skinning.palette import final_matrices
from ...core.skinning.skeleton import Skeleton
from ..identification import identity
from ..matrices import columns_to_rows, relation, row_vectors

HEAD = 1
"""The bone's own joint; joint 0 is "no bone"."""


@dataclass(frozen=True, eq=False)
class BoneMatrices:
    """All are (4, 4) float64, for row vectors; for a bendy bone, those of one joint.

    to_parent: bone -> its parent, or root space if `has_parent` is False; for all joints, that of the bone
        itself. None if the parent is scaled to zero and has no space.
    to_root: bone -> root, posed. rest_to_root: the same at rest.
    offset: mesh in the rest pose -> bone. final: mesh -> mesh, rounded to float32 as on the GPU. None without a
    mesh.
    """

    has_parent: bool
    to_parent: NDArray[np.float64] | None
    to_root: NDArray[np.float64]
    rest_to_root: NDArray[np.float64]
    offset: NDArray[np.float64] | None = None
    final: NDArray[np.float64] | None = None

    def named(self) -> Iterator[NamedMatrix]:
        """List the available matrices, each derived from earlier ones."""
        for name, from_bone, to_bone in (
            ("to_parent", True, self.has_parent),
            ("to_root", True, False),
            ("rest_to_root", True, False),
            ("offset", False, True),
            ("final", False, False),
        ):
            value = getattr(self, name)
            if value is not None:
                yield NamedMatrix(name, value, from_bone, to_bone)


def joint_count(bone: bpy.types.Bone) -> int:
    """Return the number of a bone's joints in the palette: one, or a bendy bone's segments plus one."""
    return bone.bbone_segments + 1 if bone.bbone_segments > 1 else 1


def read_bone_matrices(
    armature: bpy.types.Object,
    bone_name: str,
    depsgraph: bpy.types.Depsgraph,
    mesh_object: bpy.types.Object | None = None,
    *,
    joint: int = 0,
    rest_mesh_to_root: NDArray[np.float64] | None = None,
) -> BoneMatrices:
    """Read one bone of an armature object. The cost does not depend on the number of bones.

    mesh_object: the mesh for the offset and final matrices. joint: of a bendy bone, 0 at its head, clamped to
    the last.
    rest_mesh_to_root: the mesh object's transform at rest, see `Pass`; its current one if omitted.

    Raises:
        KeyError: the armature has no such bone.
        BindingError: an object is scaled to zero.
    """
    evaluated = armature.evaluated_get(depsgraph)
    pose_bone = evaluated.pose.bones[bone_name]
    parent = pose_bone.parent
    chain = (parent, pose_bone) if parent else (pose_bone,)
    rest = np.array([row_vectors(one.bone.matrix_local) for one in chain])
    parents = np.arange(len(chain), dtype=np.int32) - 1
    skeleton = Skeleton(tuple(one.name for one in chain), parents, rest)
    to_root = np.array([row_vectors(one.matrix) for one in chain])
    to_parent, attached = skeleton.to_parent(to_root)
    mesh_to_root = root_to_mesh = np.eye(4)
    if mesh_object is not None:
        mesh_to_world = row_vectors(mesh_object.evaluated_get(depsgraph).matrix_world)
        root_to_world = row_vectors(evaluated.matrix_world)
        mesh_to_root, root_to_mesh, _ = relation(
            mesh_to_world, root_to_world, identity(mesh_object), identity(armature)
        )
    at_rest = mesh_to_root if rest_mesh_to_root is None else rest_mesh_to_root
    joints, posed = _joints(pose_bone, skeleton, at_rest)
    pose = joints.posed(to_root, posed)
    at = min(HEAD + joint, len(joints) - 1)
    return BoneMatrices(
        has_parent=parent is not None,
        to_parent=to_parent[-1] if attached[-1] else None,
        to_root=pose.to_root[at],
        rest_to_root=joints.rest_to_root[at],
        offset=joints.offset[at] if mesh_object else None,
        final=final_matrices(joints, pose, root_to_mesh).final[at].astype(np.float64)
        if mesh_object
        else None,
    )


def _joints(
    pose_bone: bpy.types.PoseBone, skeleton: Skeleton, mesh_to_root: NDArray[np.float64]
) -> tuple[Joints, NDArray[np.float64] | None]:
    """Make the joints of the skeleton's last bone; for a bendy one, also read their posed matrices to it."""
    last = len(skeleton.names) - 1
    count = joint_count(pose_bone.bone)
    if count == 1:
        return Joints.of_bones(skeleton, [last], mesh_to_root), None
    segments = range(count)
    at_rest = columns_to_rows([pose_bone.bbone_segment_matrix(one, rest=True) for one in segments])
    posed = columns_to_rows([pose_bone.bbone_segment_matrix(one, rest=False) for one in segments])
    joints = Joints.of_segments(
        skeleton,
        np.array([-1, *[last] * count], dtype=np.int32),
        np.array([0, *segments], dtype=np.int32),
        np.concatenate((np.eye(4)[None], at_rest)),
        mesh_to_root,
    )
    return joints, posed
