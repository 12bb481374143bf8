"""A bound on vertex distance between two poses, without skinning: boxes around each bone's vertices.

A linearly blended vertex lies between the points to which each of its bones would take it. So it can't be off
by more than its worst bone, and no point of a box is off by more than one of its corners. The corners' distance
bounds all vertices, at eight points per bone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.profiles.binding import Binding
from ..core.skinning.joints import NO_BONE
from ..core.skinning.skeleton import Skeleton, invert_affine


@dataclass(frozen=True, eq=False)
class BoneBoxes:
    """corners: (B, 8, 4) float64, homogeneous, each bone's own space. used: (B,) bool, whether a bone moves
    anything. size: diagonal of everything moved, at rest, in root space units. mesh_size: (B,) the diagonal
    of the smallest mesh that each bone moves, or `size` if it moves none.
    """

    corners: NDArray[np.float64]
    used: NDArray[np.bool_]
    size: float
    mesh_size: NDArray[np.float64]

    def distances(self, to_root: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the largest distance between two poses (..., B, 4, 4) of each bone's vertices: (..., B), 0
        for unused bones.
        """
        apart = self.corners[self.used] @ (to_root - other)[..., self.used, :, :3]
        result = np.zeros(to_root.shape[:-2])
        result[..., self.used] = np.sqrt((apart * apart).sum(axis=-1)).max(axis=-1)
        return result

    def shares(
        self, to_root: NDArray[np.float64], other: NDArray[np.float64], rest_to_root: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return `distances` relative to the meshes' sizes plus their movement from rest in `other`, (...,
        B).
        """
        moved = self.distances(other, rest_to_root)
        return self.distances(to_root, other) / (self.mesh_size + moved)

    def reach(self, skeleton: Skeleton) -> NDArray[np.float64]:
        """Return (B,) the largest distance from each bone's head at which it moves anything at rest,
        including its descendants' boxes.
        """
        rest = skeleton.rest_to_root
        positions = (self.corners @ rest)[..., :3]
        result = np.zeros(len(rest))
        for bone in np.flatnonzero(self.used).tolist():
            ancestor = bone
            while ancestor >= 0:
                away = np.linalg.norm(positions[bone] - rest[ancestor, 3, :3], axis=1).max()
                result[ancestor] = max(result[ancestor], float(away))
                ancestor = int(skeleton.parents[ancestor])
        return result


def boxes_of_bindings(skeleton: Skeleton, bindings: Iterable[Binding], armature: str) -> BoneBoxes:
    """Build boxes around the vertices weighted to each bone of an armature; around the bones' heads if there
    are none.
    """
    bones = len(skeleton.names)
    low, high = np.full((bones, 3), np.inf), np.full((bones, 3), -np.inf)
    mesh_size = np.full(bones, np.inf)
    root_to_rest = invert_affine(skeleton.rest_to_root)[0]
    points: list[NDArray[np.float64]] = [skeleton.rest_to_root[:, 3, :3]]
    for binding in bindings:
        for one in binding.passes:
            if one.armature != armature:
                continue
            skin = one.skin
            bone = one.joints.bone[skin.joints]
            held = (bone >= 0) & (skin.weights > 0)
            at_rest = binding.mesh.positions.astype(np.float64) @ one.joints.offset[NO_BONE][:3, :3]
            at_rest += one.joints.offset[NO_BONE][3, :3]
            moved = at_rest[skin.vertex_of_influence[held]]
            bone = bone[held]
            positions = (
                np.einsum("ni,nij->nj", moved, root_to_rest[bone][:, :3, :3]) + root_to_rest[bone, 3, :3]
            )
            np.minimum.at(low, bone, positions)
            np.maximum.at(high, bone, positions)
            np.minimum.at(mesh_size, bone, _diagonal(at_rest))
            points.append(at_rest)
    used = np.asarray(np.isfinite(low).all(axis=1), dtype=np.bool_)
    if not used.any():
        low, high, used = np.zeros((bones, 3)), np.zeros((bones, 3)), np.ones(bones, dtype=np.bool_)
    size = _diagonal(np.concatenate(points))
    corners = _corners(np.where(used[:, None], low, 0), np.where(used[:, None], high, 0))
    # A mesh of one vertex has no size to relate to.
    known = np.isfinite(mesh_size) & (mesh_size > 0)
    return BoneBoxes(corners, used, size, np.where(known, mesh_size, size if size > 0 else 1.0))


def _diagonal(points: NDArray[np.float64]) -> float:
    return float(np.linalg.norm(np.ptp(points, axis=0))) if len(points) else 0.0


def _corners(low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.float64]:
    ends = np.stack((low, high))
    corners = np.ones((len(low), 8, 4))
    for corner in range(8):
        for axis in range(3):
            corners[:, corner, axis] = ends[corner >> axis & 1, :, axis]
    return corners
