"""Hierarchies that combine parents and children per component, as raylib does: scales axis by axis,
whatever the rotation between them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..maths.quaternion import rotate
from ..skinning.skeleton import Skeleton
from .transform_parts import TransformParts, take_apart


def joined_by_component(
    skeleton: Skeleton, local: TransformParts, to_root: NDArray[np.float64], attached: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return to_root (B, 4, 4) of one pose, of local transforms whose scales multiply axis by axis. to_root:
    (B, 4, 4) where bones are in Blender, which those keep that are not `attached` (B,) to their parents.
    """
    whole = take_apart(to_root)
    translation, rotation, scale = (part.copy() for part in (whole.translation, whole.rotation, whole.scale))
    roots = skeleton.parents < 0
    translation[roots], rotation[roots], scale[roots] = (
        local.translation[roots],
        local.rotation[roots],
        local.scale[roots],
    )
    for level in skeleton.levels[1:]:
        bones = level[attached[level]]
        above = skeleton.parents[bones]
        translation[bones] = translation[above] + rotate(
            rotation[above], scale[above] * local.translation[bones]
        )
        rotation[bones] = _after(local.rotation[bones], rotation[above])
        scale[bones] = scale[above] * local.scale[bones]
    return TransformParts(translation, rotation, scale).matrices()


def _after(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rotation that turns by `first`, then by `second`; (N, 4) each."""
    a, b = second[:, :3], first[:, :3]
    vector = second[:, 3:] * b + first[:, 3:] * a + np.cross(a, b)
    scalar = second[:, 3:] * first[:, 3:] - np.einsum("nc,nc->n", a, b)[:, None]
    return np.concatenate((vector, scalar), axis=1)
