"""How clips move bones from their rest, and whether rotation and translation alone can say it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..core.skinning.skeleton import Skeleton
from .clip import Clip
from .local_pose import compose
from .sampled_clips import SampledClips
from .sampling import ClipSampler

SHEAR_TOLERANCE = 1e-4
"""A movement that changes a length by a larger share has scale or shear, which quaternions don't hold."""


def clip_to_root(skeleton: Skeleton, clip: Clip, ticks: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return to_root (n, B, 4, 4) at times (n,) of a clip, as an animation controller poses it."""
    return skeleton.to_root(compose(ClipSampler(clip, skeleton).sample(ticks)))


def movements_of(
    clips: SampledClips,
    clip: Clip,
    ticks: NDArray[np.float64],
    bones: NDArray[np.intp],
    root_to_file: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the movements (n, N, 4, 4) of bones from rest, in the file's space.

    clips: whose skeleton it is. ticks: (n,). bones: (N,), -1 for none, which stays where it is. root_to_file:
    (4, 4).
    """
    skeleton = clips.skeleton
    posed = clip_to_root(skeleton, clip, ticks)[:, bones]
    from_rest = np.linalg.inv(skeleton.rest_to_root[bones])
    result = np.linalg.inv(root_to_file) @ from_rest @ posed @ root_to_file
    result[:, bones < 0] = np.eye(4)
    return result


def scaled_or_sheared(
    clips: SampledClips, bones: NDArray[np.intp], poses: Sequence[NDArray[np.float64]]
) -> tuple[str, str] | None:
    """Return the first clip, and its worst bone, whose movements (n, N, 4, 4) scale or shear; or None."""
    for clip, movements in zip(clips.clips, poses, strict=True):
        axes = movements[..., :3, :3]
        off = np.abs(axes @ axes.swapaxes(-1, -2) - np.eye(3)).max((0, 2, 3))
        if off.max(initial=0.0) > SHEAR_TOLERANCE or (np.linalg.det(axes) < 0).any():
            return clip.name, clips.skeleton.names[int(bones[int(np.argmax(off))])]
    return None
