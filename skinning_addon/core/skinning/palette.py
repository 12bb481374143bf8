"""The bone palette: one matrix per joint, which takes a vertex from the rest pose to its posed place.

    final(i)  = offset(i) @ to_root(i) @ root_to_mesh       the palette entry
    v'        = sum_k weight_k * (v @ final(index_k))

`offset` takes the vertex into bone i's space (`joints`); `to_root` then carries it along with the posed bone.

Sources: Luna, "Character Animation" (offset, toRoot, final transforms); the DirectX SDK's SkinnedMesh sample.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..maths.arrays import read_only, set_field
from .joints import NO_BONE, Joints
from .pose import Pose

_IDENTITY = np.eye(4)


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


def final_matrices(
    joints: Joints, pose: Pose, root_to_mesh: ArrayLike, unmoved: NDArray[np.float64] | None = None
) -> Palette:
    """final(i) = offset(i) @ to_root(i) @ root_to_mesh, in float64, then rounded to float32 once.

    `offset @ to_root` lands in root space, as in the textbook; `root_to_mesh` brings the result back to mesh
    space, where passes chain and where Blender's own result is compared.

    unmoved: (4, 4), the matrix of joint 0, "no bone"; the identity if omitted.

    Raises:
        InvalidArrayError: the pose has another number of joints.
    """
    joints.check_fits(pose)
    return Palette(final_matrices_together(joints, pose.to_root[None], root_to_mesh, unmoved)[0])


def final_matrices_together(
    joints: Joints,
    to_root: NDArray[np.float64],
    root_to_mesh: ArrayLike,
    unmoved: NDArray[np.float64] | None = None,
) -> NDArray[np.float32]:
    """Return the matrices of `final_matrices` in F poses, (F, J, 4, 4); to_root: likewise."""
    # All joints share the last factor: one tall product takes a tenth of the time of J small ones.
    tall = to_root.reshape(len(to_root), -1, 4) @ np.asarray(root_to_mesh, dtype=np.float64)
    final = joints.offset @ tall.reshape(to_root.shape)
    final[:, NO_BONE] = _IDENTITY if unmoved is None else unmoved
    return final.astype(np.float32)
