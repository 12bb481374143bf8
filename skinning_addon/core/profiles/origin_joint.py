"""Weights that do not add up to one, modelled as an extra joint.

A shader that adds up weight * (v @ final) without dividing pulls a vertex whose weights sum to 1 - m by m
towards the origin of the space it works in (negative m pushes). That equals an extra joint of weight m that
takes every vertex to the origin; with it the weights add up to one, and skinning and drawing need no special
rule.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..skinning.joints import ORIGIN, Joints
from ..skinning.skin import Skin


def with_origin_joint(skin: Skin, joints: Joints, missing: NDArray[np.float32]) -> tuple[Skin, Joints]:
    """Add the joint to a skin, if any vertex needs it.

    missing: (V,), one minus the sum of each vertex's weights.
    """
    pulled = np.flatnonzero(missing)
    if not len(pulled):
        return skin, joints
    number = len(joints)
    with_one_more = Joints(
        np.append(joints.bone, np.int32(ORIGIN)),
        np.append(joints.segment, np.int32(0)),
        np.concatenate((joints.rest_to_root, np.eye(4)[None])),
        # Like joint 0, this one always lies at the root, also at rest.
        np.concatenate((joints.offset, joints.offset[:1])),
    )
    return Skin.from_entries(
        np.concatenate((skin.vertex_of_influence, pulled)),
        np.concatenate((skin.joints, np.full(len(pulled), number, dtype=np.int32))),
        np.concatenate((skin.weights, missing[pulled])),
        skin.vertex_count,
    ), with_one_more
