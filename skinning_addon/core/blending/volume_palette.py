"""Blender's Preserve Volume: dual quaternions with scale.

Motions are blended as in `dual_quaternion`, from the paper. But a scaled joint is not rigid: Blender splits
its matrix M into a rotation R and a scale, and gives each vertex v the translation M v - R v, so that a
single joint moves v exactly as its matrix would. The rotation is found in the bone's rest frame, where the
bone's own Y axis is kept, X is
made orthogonal to it, and Z to both.

Of the two quaternions that a rotation has, Blender takes the one on the side of the *running sum, in stored
order*.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..maths.arrays import read_only, set_field
from ..maths.orthonormal_axes import axes_of_rounding, orthonormal_axes
from ..maths.quaternion import quaternions
from ..skinning.joints import NO_BONE, Joints
from ..skinning.pose import Pose

RIGID_SCALE_TOLERANCE = 1e-4
"""If the three axes' lengths are within this of one, Blender drops the scale."""


@dataclass(frozen=True, eq=False)
class VolumePalette:
    """Every joint's data for Preserve Volume blending, in root space.

    skinning: (J, 4, 4) float32, root space at rest -> root space, row vectors.
    rotation: (J, 4) float32, the rotation in it, (x, y, z, w).
    mesh_to_root, root_to_mesh: (4, 4) float32. Unlike linear blending, this blend depends on the space it is
    done in.
    """

    skinning: NDArray[np.float32]
    rotation: NDArray[np.float32]
    mesh_to_root: NDArray[np.float32]
    root_to_mesh: NDArray[np.float32]

    def __post_init__(self) -> None:
        set_field(self, "skinning", read_only("skinning", self.skinning, np.float32, (None, 4, 4)))
        set_field(self, "rotation", read_only("rotation", self.rotation, np.float32, (len(self.skinning), 4)))
        for name in ("mesh_to_root", "root_to_mesh"):
            set_field(self, name, read_only(name, getattr(self, name), np.float32, (4, 4)))

    def rows(self) -> NDArray[np.float32]:
        """Pack to (J, 4, 4) float32: the three rows of the matrix as in `Palette.rows`, then the rotation."""
        rows = self.skinning[:, :, :3].transpose(0, 2, 1)
        return np.ascontiguousarray(np.concatenate((rows, self.rotation[:, None]), axis=1))


def volume_palette(
    joints: Joints, pose: Pose, mesh_to_root: NDArray[np.float64], root_to_mesh: NDArray[np.float64]
) -> VolumePalette:
    """Split every joint's matrix into rotation and scale, in float64, then round once.

    The split is made in the joint's own rest frame; for a bendy bone's segment, the segment's.

    Raises:
        InvalidArrayError: the pose has different joints.
    """
    joints.check_fits(pose)
    skinning = _skinning(joints, pose)
    posed_frame = joints.rest_to_root @ skinning
    rotation_in_frame = orthonormal_axes(posed_frame[:, :3, :3])
    # The rotation maps the rest frame's axes to the posed frame's: inverse(rest) @ posed, in row vectors.
    rotation = joints.rest_axes.transpose(0, 2, 1) @ rotation_in_frame
    x, y, z = skinning[:, 0, :3], skinning[:, 1, :3], skinning[:, 2, :3]
    left_handed = np.einsum("jc,jc->j", np.cross(x, y), z) < 0
    stiff = _is_rigid(posed_frame, left_handed)
    rigid = np.tile(np.eye(4), (len(skinning), 1, 1))
    rigid[:, :3, :3] = rotation
    rigid[:, 3, :3] = posed_frame[:, 3, :3] - np.einsum("jc,jcd->jd", joints.rest_to_root[:, 3, :3], rotation)
    return VolumePalette(
        np.where(stiff[:, None, None], rigid, skinning).astype(np.float32),
        quaternions(rotation).astype(np.float32),
        mesh_to_root.astype(np.float32),
        root_to_mesh.astype(np.float32),
    )


def collapsed_joints(joints: Joints, pose: Pose) -> NDArray[np.intp]:
    """List the joints (n,) that are collapsed onto a line, so that their rotation, in Blender too, is just
    rounding.
    """
    return np.flatnonzero(axes_of_rounding(joints.rest_axes @ _skinning(joints, pose)[:, :3, :3]))


def _skinning(joints: Joints, pose: Pose) -> NDArray[np.float64]:
    skinning = joints.root_to_rest @ pose.to_root
    skinning[NO_BONE] = np.eye(4)
    return skinning


def _is_rigid(posed_frame: NDArray[np.float64], left_handed: NDArray[np.bool_]) -> NDArray[np.bool_]:
    axes = posed_frame[:, :3, :3]
    stretch = np.linalg.norm(np.linalg.norm(axes, axis=2) - 1, axis=1)
    gram = axes @ axes.transpose(0, 2, 1)
    shear = np.abs(gram - np.einsum("jii->ji", gram)[:, None] * np.eye(3)).max(axis=(1, 2))
    return (stretch <= RIGID_SCALE_TOLERANCE) & (shear <= RIGID_SCALE_TOLERANCE) & ~left_handed
