"""Blending by dual quaternions: volume survives where linear blending collapses it.

A rigid motion is a unit quaternion q for its rotation and a dual part 0.5 * t * q for its translation t. Motions are
blended by adding both parts, weighted, and dividing by the length of the real part (Kavan, Collins, Zara, O'Sullivan,
"Geometric Skinning with Approximate Dual Quaternion Blending", ACM Transactions on Graphics 27, 2008).

A joint that scales is not rigid. Blender (Preserve Volume) splits its matrix M into a rotation R and a scale, and
gives each vertex v the translation M v - R v: a joint alone then moves v exactly as its matrix would. The rotation is
found in the bone's rest frame, where the bone's own Y axis is kept, X is made orthogonal to it, and Z to both.

Quaternions are (x, y, z, w). q and -q are the same rotation; which of the two is added decides whether a blend goes
the short way. Blender takes the sign against the *running sum, in stored order*.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .arrays import read_only, set_field
from .palette import NO_BONE, Joints, Pose

RIGID_SCALE_TOLERANCE = 1e-4
"""Up to this distance of the three axes' lengths from one, Blender drops the scale."""


@dataclass(frozen=True, eq=False)
class VolumePalette:
    """What blending with Blender's volume needs of every joint, in root space.

    skinning: (J, 4, 4) float32, root space at rest -> root space, row vectors.
    rotation: (J, 4) float32, the rotation in it, (x, y, z, w).
    mesh_to_root, root_to_mesh: (4, 4) float32. Unlike linear blending this blend depends on the space it is done in.
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

    The split is made in the joint's own rest frame; that of a bendy bone's segment is the segment's.

    Raises:
        InvalidArrayError: the pose is one of other joints.
    """
    pose.check_fits(joints)
    skinning = joints.root_to_rest @ pose.to_root
    skinning[NO_BONE] = np.eye(4)
    posed_frame = joints.rest_to_root @ skinning
    rotation_in_frame = orthonormal_axes(posed_frame[:, :3, :3])
    rest_axes = orthonormal_axes(joints.rest_to_root[:, :3, :3])
    # The rotation takes the rest frame's axes to those of the posed frame: inverse(rest) @ posed, in row vectors.
    rotation = rest_axes.transpose(0, 2, 1) @ rotation_in_frame
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


def _is_rigid(posed_frame: NDArray[np.float64], left_handed: NDArray[np.bool_]) -> NDArray[np.bool_]:
    axes = posed_frame[:, :3, :3]
    stretch = np.linalg.norm(np.linalg.norm(axes, axis=2) - 1, axis=1)
    gram = axes @ axes.transpose(0, 2, 1)
    shear = np.abs(gram - np.einsum("jii->ji", gram)[:, None] * np.eye(3)).max(axis=(1, 2))
    return (stretch <= RIGID_SCALE_TOLERANCE) & (shear <= RIGID_SCALE_TOLERANCE) & ~left_handed


def orthonormal_axes(axes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Make the rows of (J, 3, 3) a right-handed frame: Y keeps its direction, X is made orthogonal to it.

    Where X reaches 1 or more along Y, Blender takes Z instead of X, and where X . Z reaches 1 as well (X and Z as long
    as they are), a vector made of Y's components. Those limits mean nothing; they were measured, and are kept since
    the blend depends on them. A mirrored frame comes out right-handed too: its mirroring stays in the scale. An axis
    scaled to zero is replaced by one that completes the frame, so that a bone scaled to zero still has a rotation.
    """
    x, y, z = axes[:, 0], axes[:, 1], axes[:, 2]
    y = _unit(y, np.cross(z, x))
    x_along_y = np.einsum("jc,jc->j", x, y)[:, None]
    x_along_z = np.einsum("jc,jc->j", x, z)[:, None]
    from_x = np.cross(y, np.cross(x, y))
    from_z = np.cross(y, z)
    from_neither = np.cross(y, np.roll(y, -1, axis=1))
    x = _unit(np.where(x_along_y < 1, from_x, np.where(x_along_z < 1, from_z, from_neither)), from_neither)
    return np.stack((x, y, np.cross(x, y)), axis=1)


def _unit(vectors: NDArray[np.float64], instead: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scale to unit length; where there is no length, take `instead`, and failing that the X axis."""
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    other = np.linalg.norm(instead, axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        fallback = np.where(other > 0, instead / other, np.array([1.0, 0.0, 0.0]))
        return np.where(length > 0, vectors / length, fallback)


def quaternions(rotation: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the unit quaternions (J, 4) of rotation matrices (J, 3, 3) for row vectors.

    Of the four ways to take a quaternion from a matrix, each rotation uses the one that divides by its largest
    component, which keeps full precision at every angle.
    """
    r = rotation.transpose(0, 2, 1)
    xx, yy, zz = r[:, 0, 0], r[:, 1, 1], r[:, 2, 2]
    four_squares = np.stack((1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz, 1 + xx + yy + zz), axis=1)
    xy, xz, yz = r[:, 0, 1] + r[:, 1, 0], r[:, 0, 2] + r[:, 2, 0], r[:, 1, 2] + r[:, 2, 1]
    xw, yw, zw = r[:, 2, 1] - r[:, 1, 2], r[:, 0, 2] - r[:, 2, 0], r[:, 1, 0] - r[:, 0, 1]
    products = np.stack(
        (
            np.stack((four_squares[:, 0], xy, xz, xw), axis=1),
            np.stack((xy, four_squares[:, 1], yz, yw), axis=1),
            np.stack((xz, yz, four_squares[:, 2], zw), axis=1),
            np.stack((xw, yw, zw, four_squares[:, 3]), axis=1),
        ),
        axis=1,
    )
    best = products[np.arange(len(r)), np.argmax(four_squares, axis=1)]
    best = best / np.linalg.norm(best, axis=1, keepdims=True)
    # The sign that Blender chooses matters to no single joint, but to the running sum of a blend: w is not negative.
    return np.asarray(np.where(best[:, 3:] < 0, -best, best), dtype=np.float64)


def rotate(rotation: NDArray[np.float64], vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn (N, 3) vectors by (N, 4) unit quaternions."""
    axis, real = rotation[:, :3], rotation[:, 3:]
    twice = np.asarray(2 * np.cross(axis, vectors), dtype=np.float64)
    return np.asarray(vectors + real * twice + np.cross(axis, twice), dtype=np.float64)


def dual_part(translation: NDArray[np.float64], rotation: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 0.5 * t * q, (N, 4), for translations (N, 3) after rotations (N, 4)."""
    axis, real = rotation[:, :3], rotation[:, 3:]
    vector = translation * real + np.cross(translation, axis)
    scalar = -np.einsum("nc,nc->n", translation, axis)[:, None]
    return 0.5 * np.concatenate((vector, scalar), axis=1)
