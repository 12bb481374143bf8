"""Weights that do not add up to one, as a joint of their own.

A shader that adds up weight * (v @ final) and divides by nothing pulls a vertex whose weights lack m of one by m towards
the origin of the space in which it works (m below 0 pushes). That is a further joint of weight m which takes every vertex
to the origin; with it the weights add up to one, and everything that skins or draws needs no other rule.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..skinning.palette import ORIGIN, Joints
from ..skinning.skin import Skin, from_entries


def with_origin_joint(skin: Skin, joints: Joints, missing: NDArray[np.float32]) -> tuple[Skin, Joints]:
    """Add the joint to a skin over joints, if any vertex needs it.

    missing: (V,), what the weights of each vertex lack of one.
    """
    pulled = np.flatnonzero(missing)
    if not len(pulled):
        return skin, joints
    number = len(joints)
    with_one_more = Joints(
        np.append(joints.bone, np.int32(ORIGIN)),
        np.append(joints.segment, np.int32(0)),
        np.concatenate((joints.rest_to_root, np.eye(4)[None])),
        # Joint 0 lies at the root, at rest and always; so does this one.
        np.concatenate((joints.offset, joints.offset[:1])),
    )
    return from_entries(
        np.concatenate((skin.vertex_of_influence, pulled)),
        np.concatenate((skin.joints, np.full(len(pulled), number, dtype=np.int32))),
        np.concatenate((skin.weights, missing[pulled])),
        skin.vertex_count,
    ), with_one_more
