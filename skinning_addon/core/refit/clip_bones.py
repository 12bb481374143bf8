"""Clip bones: children of helper bones that bring a clip nearer than a helper's blend can.

A helper moves as a fixed blend of its drivers, in any pose. In a clip, which is known frame by frame, more can
be had: a child of the helper that carries its vertices, keyed with the little that the blend leaves there.
Where nothing keys the child, it rests on its helper, and moves as the drivers say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..skinning.skeleton import invert_affine
from .baked_motion import SWEEPS, SkinnedTarget, moved_freely
from .channels import Channels, nearest_channels
from .free_bones import FreeBones, axes_of_followers


@dataclass(frozen=True, eq=False)
class ClipBones:
    """N clip bones over F frames.

    helpers: (N,) joints of the helpers that they hang on. rest_to_root: (N, 4, 4), where they stand, with the
    axes of what follows them. channels: (F, N, ...), relative to rest, under the helper. finals: (F, N, 4, 4),
    what they do to the rest mesh.
    """

    helpers: NDArray[np.intp]
    rest_to_root: NDArray[np.float64]
    channels: Channels
    finals: NDArray[np.float64]


def corrected(
    targets: Sequence[SkinnedTarget],
    driven: NDArray[np.float64],
    helpers: NDArray[np.intp],
    sweeps: int = SWEEPS,
) -> ClipBones:
    """Find the motion of clip bones that brings meshes nearest, weights as they are.

    targets: at the frames of clips; their `finals` (F, J, 4, 4) are those so far, of clip bones in the place
    of their helpers. driven: (F, J, 4, 4), with helpers as their drivers move them. helpers: (H,) joints; those
    that carry too little to have axes get no clip bone. sweeps: how often each moves.
    """
    skins, rests = [one.skin for one in targets], [one.wanted.rest for one in targets]
    axes = {joint: axes_of_followers(skins, rests, joint) for joint in helpers.tolist()}
    carrying = np.array([joint for joint, found in axes.items() if found is not None], dtype=np.intp)
    rest = np.tile(np.eye(4), (len(carrying), 1, 1))
    for number, joint in enumerate(carrying.tolist()):
        rest[number, :3, :3] = axes[joint]
        rest[number, 3, :3] = _middle(targets, joint)
    under = driven[:, carrying]
    free = FreeBones(
        carrying,
        np.ones(len(carrying), dtype=np.bool_),
        rest[:, :3, :3],
        rest[:, 3, :3],
        np.zeros(len(carrying)),
        under,
        hanging=True,
    )
    moved = moved_freely(targets, targets[0].wanted.finals, free, sweeps)[:, carrying]
    from_rest = invert_affine(rest)[0]
    inverses, usable = invert_affine(under.reshape(-1, 4, 4))
    matrices = rest @ moved @ inverses.reshape(under.shape) @ from_rest
    # Under a helper that is scaled to zero, nothing is to be seen of its child.
    matrices[~usable.reshape(under.shape[:2])] = np.eye(4)
    channels = nearest_channels(matrices)
    return ClipBones(carrying, rest, channels, from_rest @ channels.matrices() @ rest @ under)


def _middle(targets: Sequence[SkinnedTarget], joint: int) -> NDArray[np.float64]:
    """Return the middle (3,) of what follows a joint, by the squares of its weights."""
    total, share = np.zeros(3), 0.0
    for target in targets:
        own = target.skin.joints == joint
        squares = np.square(target.skin.weights[own], dtype=np.float64)
        total += squares @ target.wanted.rest[target.skin.vertex_of_influence[own]]
        share += float(squares.sum())
    return total / share
