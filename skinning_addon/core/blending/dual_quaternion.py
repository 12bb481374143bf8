"""Dual quaternions as published and as engines use them: rigid motions are blended, everything else is
dropped.

    L. Kavan, S. Collins, J. Zara, C. O'Sullivan, "Geometric Skinning with Approximate Dual Quaternion
    Blending", ACM Transactions on Graphics 27, 2008

A joint's rigid motion is a dual quaternion, see `quaternion`. Motions are blended by adding both parts,
weighted, and dividing by the length of the real part: this keeps volume where linear blending collapses it. Of
q and -q, which are the same rotation, each influence uses the one on the side of the vertex's *pivot*, its
first influence in stored order: `blendIndices[0]` in a shader, where engines store the largest weight. Blender
chooses differently (`volume_palette`).

*A joint's rigid part.* In the joint's rest frame the posed frame is scale and shear, then a rotation, then
its head's position (polar decomposition). Rotation and head are kept: a scaled bone still turns about its own
head and stays there. A mirrored frame counts as mirrored along its X axis, as exporters write it. Kavan's
two-phase skinning, which
blends the scale linearly first, is not included.

Blending is done in root space, where bones are rigid even if a mesh object is scaled unevenly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..maths.arrays import read_only, set_field
from ..maths.quaternion import dual_part, quaternions
from ..skinning.joints import NO_BONE, Joints
from ..skinning.pose import Pose

LARGEST_PRODUCT_OF_RIGHT_ANGLES = 1e-6
"""Unit axes whose dot products stay below this are orthogonal up to the rounding of Blender's matrices."""


@dataclass(frozen=True, eq=False)
class DualQuaternionPalette:
    """Every joint's rigid motion, root space at rest -> root space.

    real, dual: (J, 4) float32, (x, y, z, w); the rotation, and 0.5 * translation * rotation.
    mesh_to_root, root_to_mesh: (4, 4) float32.
    """

    real: NDArray[np.float32]
    dual: NDArray[np.float32]
    mesh_to_root: NDArray[np.float32]
    root_to_mesh: NDArray[np.float32]

    def __post_init__(self) -> None:
        set_field(self, "real", read_only("real", self.real, np.float32, (None, 4)))
        set_field(self, "dual", read_only("dual", self.dual, np.float32, (len(self.real), 4)))
        for name in ("mesh_to_root", "root_to_mesh"):
            set_field(self, name, read_only(name, getattr(self, name), np.float32, (4, 4)))

    def __len__(self) -> int:
        return len(self.real)

    def rows(self) -> NDArray[np.float32]:
        """Pack to two rows a joint, (J, 2, 4) float32: a third less than `Palette.rows`."""
        return np.stack((self.real, self.dual), axis=1)


def dual_quaternion_palette(
    joints: Joints, pose: Pose, mesh_to_root: NDArray[np.float64], root_to_mesh: NDArray[np.float64]
) -> DualQuaternionPalette:
    """Extract every joint's rigid motion in float64, then round once.

    Raises:
        InvalidArrayError: the pose has different joints.
    """
    joints.check_fits(pose)
    rest = joints.rest_to_root
    # In row vectors: rest frame -> root space at rest -> root space, less the scale and shear of the posed
    # frame.
    turned = nearest_rotations(rest[:, :3, :3]).transpose(0, 2, 1) @ nearest_rotations(
        pose.to_root[:, :3, :3]
    )
    moved = pose.to_root[:, 3, :3] - np.einsum("jc,jcd->jd", rest[:, 3, :3], turned)
    turned[NO_BONE], moved[NO_BONE] = np.eye(3), 0.0
    real = quaternions(turned)
    return DualQuaternionPalette(
        real.astype(np.float32),
        dual_part(moved, real).astype(np.float32),
        mesh_to_root.astype(np.float32),
        root_to_mesh.astype(np.float32),
    )


def nearest_rotations(frames: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rotations R (N, 3, 3) of frames S @ R, S symmetric: scale and shear along the frame's own
    axes.

    frames: (N, 3, 3), rows are the images of the axes. A left-handed frame has its X axis negated first. Axes
    scaled to zero are replaced to complete the rotation; NaN stays NaN.
    """
    frames = np.array(frames, dtype=np.float64)
    with np.errstate(all="ignore"):
        frames[np.linalg.det(frames) < 0, 0] *= -1
        rotations = frames / np.linalg.norm(frames, axis=2, keepdims=True)
        shear = np.abs(rotations @ rotations.transpose(0, 2, 1) - np.eye(3)).max(axis=(1, 2))
    finite = np.isfinite(frames).all(axis=(1, 2))
    rotations[~finite] = np.nan
    # Without shear the normalised axes are the answer, at a tenth of the cost.
    others = np.flatnonzero(finite & ~(shear <= LARGEST_PRODUCT_OF_RIGHT_ANGLES))
    if len(others):
        left, _, right = np.linalg.svd(frames[others])
        # A flat frame has two solutions, one of them mirrored.
        left[:, :, 2] *= np.where(np.linalg.det(left @ right) < 0, -1, 1)[:, None]
        rotations[others] = left @ right
    return rotations
