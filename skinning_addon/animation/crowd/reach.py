"""A sphere around a character that holds every vertex, whatever it plays and however its clips fade.

No poses are tried: what a bone's head is moved by is between the least and the most of all clips, since fades
blend translations and scales evenly; and whatever its rotations, a chain reaches no farther than it is long.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...core.skinning.skeleton import Skeleton
from ..bone_boxes import BoneBoxes
from ..clip import Clip
from ..local_pose import rest_pose
from ..sampling import ClipSampler

Floats = NDArray[np.float64]


def sphere_of(skeleton: Skeleton, clips: Sequence[Clip], boxes: BoneBoxes) -> tuple[Floats, float]:
    """Return its middle (3,) and its radius, in root space.

    clips: dense ones, that nothing exceeds between two keys.
    """
    low, high, scale = _limits(skeleton, clips)
    farthest = np.sqrt(np.maximum(low * low, high * high).sum(axis=0))
    roots = skeleton.parents < 0
    middle = (low[:, roots].min(axis=1) + high[:, roots].max(axis=1)) / 2
    from_middle = np.maximum(np.abs(low - middle[:, None]), np.abs(high - middle[:, None]))
    reach, size = np.linalg.norm(from_middle, axis=0), scale.copy()
    for bone, parent in enumerate(skeleton.parents.tolist()):
        if parent >= 0:
            reach[bone] = reach[parent] + size[parent] * farthest[bone]
            size[bone] *= size[parent]
    corners = np.linalg.norm(boxes.corners[..., :3], axis=2).max(axis=1)
    return middle, float((reach + size * corners)[boxes.used].max(initial=0.0))


def _limits(skeleton: Skeleton, clips: Sequence[Clip]) -> tuple[Floats, Floats, Floats]:
    """Return the least and the most (3, B) of translations, and the largest scale (B,)."""
    poses = [rest_pose(skeleton), *(ClipSampler(clip, skeleton).sample(clip.times) for clip in clips)]
    bones = len(skeleton.names)
    ways = np.concatenate([one.translation.reshape(3, -1, bones) for one in poses], axis=1)
    sizes = np.concatenate([np.abs(one.scale).reshape(3, -1, bones) for one in poses], axis=1)
    return (
        ways.min(axis=1).astype(np.float64),
        ways.max(axis=1).astype(np.float64),
        sizes.max(axis=(0, 1)).astype(np.float64),
    )
