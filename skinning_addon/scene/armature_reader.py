"""Armature -> Skeleton, and the posed matrices of all bones.

`Bone.matrix_local` and `PoseBone.matrix` are both relative to the armature object, which is what we call to_root.
`foreach_get` hands them out column by column, so reshaped to (4, 4) they are row-vector matrices as they come.
"""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ..core.errors import BindingError
from ..core.skeleton import Skeleton


@dataclass(frozen=True, eq=False)
class ArmatureReader:
    """Reads one armature's poses in the order of its skeleton's bones.

    skeleton: all bones, deforming or not.
    deforms: (B,) bool, Blender's Deform option; groups named after other bones are ignored.
    order: (B,) the place of each bone among the object's pose bones.
    """

    skeleton: Skeleton
    deforms: NDArray[np.bool_]
    order: NDArray[np.intp]

    def read_to_root(self, armature: bpy.types.Object) -> NDArray[np.float64]:
        """Read to_root of every bone, (B, 4, 4) float64, from an *evaluated* armature object.

        Constraints, drivers and every mode of inheriting scale are in it, since Blender has applied them.

        Raises:
            BindingError: the armature has other bones than when it was bound.
        """
        pose_bones = armature.pose.bones if armature.pose else ()
        if len(pose_bones) != len(self.order):
            raise BindingError(f"The bones of '{armature.name}' have changed; bind its meshes anew.")
        # float32 is what Blender stores: read into any other type, and the call is eight times slower.
        matrices = np.empty((len(self.order), 4, 4), dtype=np.float32)
        if len(self.order):
            armature.pose.bones.foreach_get("matrix", matrices.reshape(-1))
        return matrices[self.order].astype(np.float64)


def read_armature(armature: bpy.types.Object) -> ArmatureReader:
    """Read the rest pose and the hierarchy of an armature object.

    Raises:
        HierarchyError: never for data that Blender made; kept from `Skeleton.from_bones`.
    """
    bones = armature.data.bones
    place_of_bone = {bone.name: place for place, bone in enumerate(bones)}
    rest = np.empty((len(bones), 4, 4), dtype=np.float32)
    deforms = np.empty(len(bones), dtype=bool)
    if len(bones):
        bones.foreach_get("matrix_local", rest.reshape(-1))
        bones.foreach_get("use_deform", deforms)
    # Pose bones and bones are two lists whose orders may differ; poses are read in that of the pose bones.
    names = [pose_bone.name for pose_bone in armature.pose.bones] if armature.pose else []
    place_in_pose = {name: place for place, name in enumerate(names)}
    from_bones = np.array([place_of_bone[name] for name in names], dtype=np.intp)
    parents = [place_in_pose[bones[name].parent.name] if bones[name].parent else -1 for name in names]
    skeleton, order = Skeleton.from_bones(names, parents, rest[from_bones])
    return ArmatureReader(skeleton, deforms[from_bones][order], order)
