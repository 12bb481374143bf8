"""The bend of bendy bones: the artist's settings on bones and poses, and the curve shape they produce.

Each setting has two values that combine: the bone's, part of the rest pose, and the pose's. Arrays for both
ends of a bone have the ends first: 0 is the head, 1 the tail. K is the number of bendy bones.

Source: Blender's manual, "Bendy Bones"; how the settings combine was measured on
`PoseBone.bbone_segment_matrix` (tests/scene/armatures/test_bendy_joints.py).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

HEAD, TAIL = 0, 1


@dataclass(frozen=True, eq=False)
class BendySettings:
    """One of the two sets of values: the bones' or the poses'. float64.

    offset: (2, K, 2), Curve In and Curve Out, in X and Z. roll: (2, K), Roll In and Out, radians. ease: (2, K).
    scale: (2, K, 3). handle_roll: (K,), the Roll Out of the start handle bone, 0 if it is not added.
    """

    offset: NDArray[np.float64]
    roll: NDArray[np.float64]
    ease: NDArray[np.float64]
    scale: NDArray[np.float64]
    handle_roll: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BendyOptions:
    """scale_easing: (K,) bool. handle_ease: (2, K) bool. handle_scale: (2, K, 3) bool: whether the ease, and
    each axis of the scale, are multiplied by the local scale of the handle bone.
    """

    scale_easing: NDArray[np.bool_]
    handle_ease: NDArray[np.bool_]
    handle_scale: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class BendyShape:
    """The bend of bendy bones at one instant. float64.

    offset: (2, K, 2), of the curve's inner control points in X and Z. roll: (2, K), radians, on top of the
    handles' roll.
    ease: (2, K), 1 for a natural curve. scale: (2, K, 3); that of Y spreads the joints.
    """

    offset: NDArray[np.float64]
    roll: NDArray[np.float64]
    ease: NDArray[np.float64]
    scale: NDArray[np.float64]


def bendy_shape(
    bones: BendySettings,
    poses: BendySettings,
    options: BendyOptions,
    handle_scale: NDArray[np.float64] | None = None,
) -> BendyShape:
    """Combine the settings of bones and poses.

    handle_scale: (2, K, 3), local scale of the handle bones, 1 without a handle; all 1 if left out.
    """
    offset = bones.offset + poses.offset
    roll = bones.roll + poses.roll
    roll[HEAD] += bones.handle_roll + poses.handle_roll
    ease = bones.ease + poses.ease
    scale = bones.scale * poses.scale
    reach = np.where(options.scale_easing, scale[:, :, 1], 1.0)
    if handle_scale is not None:
        reach = reach * np.where(options.handle_ease, handle_scale[:, :, 1], 1.0)
        scale = scale * np.where(options.handle_scale, handle_scale, 1.0)
    return BendyShape(offset * reach[:, :, None], roll, ease * reach, scale)
