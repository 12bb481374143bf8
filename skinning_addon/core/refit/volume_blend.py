"""Blends of bones' motions that keep volume, as Blender's *Preserve Volume* blends what vertices follow, and
what the targets of an *Armature* constraint do.

A joint's motion is a rigid part, which turns and moves its frame at rest, after what is left: scale and shear
in that frame. Rigid parts are added as dual quaternions, drivers in the order of their shares, each on the side
of the sum so far; what is left is added linearly. A blend is the latter, then the former. See
`blending.volume_palette`, which does it for vertices.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..blending.dual_quaternion import nearest_rotations
from ..maths.quaternion import dual_part, quaternions, rotation_matrices
from ..skinning.skeleton import invert_affine


@dataclass(frozen=True, eq=False)
class JointMotions:
    """What joints do to the rest mesh, in parts. real, dual: (F, J, 4), dual quaternions. left: (F, J, 4, 4),
    before them.
    """

    real: NDArray[np.float64]
    dual: NDArray[np.float64]
    left: NDArray[np.float64]

    def of_frames(self, frames: NDArray[np.intp]) -> JointMotions:
        """Return some of the frames."""
        return JointMotions(self.real[frames], self.dual[frames], self.left[frames])

    def blended(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what each blend does to the rest mesh, (F, H, 4, 4). shares: (H, J), adding up to one."""
        blends = [self._blend(one) for one in shares]
        return np.stack(blends, axis=1) if blends else np.empty((len(self.real), 0, 4, 4))

    def _blend(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        order = np.argsort(-shares, kind="stable")[: int((shares > 0).sum())]
        real, dual = np.zeros((2, len(self.real), 4))
        for joint in order:
            beside = np.einsum("fc,fc->f", real, self.real[:, joint]) < 0
            share = np.where(beside, -shares[joint], shares[joint])[:, None]
            real = real + share * self.real[:, joint]
            dual = dual + share * self.dual[:, joint]
        left = np.einsum("j,fjab->fab", shares[order], self.left[:, order])
        return left @ _matrices(real, dual)


def joint_motions(finals: NDArray[np.float64], rest_to_root: NDArray[np.float64]) -> JointMotions:
    """Take motions apart. finals: (F, J, 4, 4), what each joint does to the rest mesh. rest_to_root: (J, 4, 4),
    theirs.
    """
    frames, joints = finals.shape[:2]
    posed = rest_to_root @ finals
    at_rest = nearest_rotations(rest_to_root[:, :3, :3])
    turned = at_rest.transpose(0, 2, 1) @ nearest_rotations(posed[..., :3, :3].reshape(-1, 3, 3)).reshape(
        frames, joints, 3, 3
    )
    moved = posed[..., 3, :3] - np.einsum("jc,fjcd->fjd", rest_to_root[:, 3, :3], turned)
    real = quaternions(turned.reshape(-1, 3, 3))
    dual = dual_part(moved.reshape(-1, 3), real)
    rigid = _rigid(turned.reshape(-1, 3, 3), moved.reshape(-1, 3))
    left = finals @ invert_affine(rigid)[0].reshape(finals.shape)
    return JointMotions(real.reshape(frames, joints, 4), dual.reshape(frames, joints, 4), left)


def _matrices(real: NDArray[np.float64], dual: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rigid motions (F, 4, 4) of dual quaternions (F, 4) of any length."""
    length = np.linalg.norm(real, axis=1, keepdims=True)
    # Two halves that cancel turn nothing, as in Blender.
    real, dual = (np.divide(one, length, out=np.zeros_like(one), where=length > 0) for one in (real, dual))
    turned = rotation_matrices(real)
    axis, moves = real[:, :3], dual[:, :3]
    moved = 2 * (real[:, 3:] * moves - dual[:, 3:] * axis + np.cross(axis, moves))
    return _rigid(turned, moved)


def _rigid(turned: NDArray[np.float64], moved: NDArray[np.float64]) -> NDArray[np.float64]:
    result = np.zeros((len(turned), 4, 4))
    result[:, :3, :3], result[:, 3, :3], result[:, 3, 3] = turned, moved, 1.0
    return result
