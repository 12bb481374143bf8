"""The motion of free bones that brings skinned meshes nearest to where they are wanted, frame by frame.

Weights are held, and so are all other joints. What the free bones have to make is what is left once everything
else has moved the meshes; `rigid_bones` moves one of them at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..blending.clip_skinning import PointsOfSkin
from ..skinning.skin import Skin
from .free_bones import FreeBones
from .rigid_bones import Moments, move_bones
from .wanted import VALUES_AT_ONCE, Wanted

SWEEPS = 6
"""How often each bone moves."""


@dataclass(frozen=True, eq=False)
class SkinnedTarget:
    """A mesh. wanted: its joints do not count. skin: as the engine plays it. shares: (V,) float64, how much
    each vertex counts.
    """

    wanted: Wanted
    skin: Skin
    shares: NDArray[np.float64]


def urgency(distances: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return how much vertices count (V,): those that are furthest off more than the others.

    distances: (V, F). Vertices that come near already are not let go, so none counts less than one.
    """
    largest = distances.max(axis=1).astype(np.float64)
    usual = np.sqrt(np.square(largest).mean())
    return np.maximum(largest / usual, 1.0) if usual > 0 else np.ones(len(largest))


def moved_freely(
    targets: Sequence[SkinnedTarget], finals: NDArray[np.float64], free: FreeBones, sweeps: int = SWEEPS
) -> NDArray[np.float64]:
    """Return finals (F, J, 4, 4) with the free bones moved. finals: as they are so far."""
    if not len(free.joints):
        return finals.copy()
    now = finals[:, free.joints]
    # As `move_bones` has them: (N, 4, F, 3), less the identity.
    matrices = np.ascontiguousarray((now - np.eye(4))[..., :3].transpose(1, 2, 0, 3))
    found = _moments(targets, finals, free.joints, matrices)
    free.hold(found)
    move_bones(found, matrices, free.may(), np.arange(len(free.joints)), sweeps, tethers=free.tethers())
    result = finals.copy()
    result[:, free.joints, :, :3] = matrices.transpose(2, 0, 1, 3) + np.eye(4, 3)
    return result


def _moments(
    targets: Sequence[SkinnedTarget],
    finals: NDArray[np.float64],
    joints: NDArray[np.intp],
    matrices: NDArray[np.float64],
) -> Moments:
    """Sum up the moments of all meshes: what free bones carry, and what they have to make."""
    count, frames = len(joints), len(finals)
    carried = np.zeros((4 * count, 4 * count))
    wanted = np.zeros((4 * count, frames, 3))
    for target in targets:
        vertices, held = _held(target, joints)
        if not len(vertices):
            continue
        shared = held * target.shares[vertices, None]
        carried += shared.T @ held
        skinned = PointsOfSkin(target.skin.normalised(), target.wanted.rest)
        step = max(1, VALUES_AT_ONCE // max(1, 3 * target.wanted.vertex_count))
        for start in range(0, frames, step):
            some = slice(start, start + step)
            left = target.wanted.positions[some].transpose(1, 0, 2) - skinned.moved(finals[some])
            left = left[vertices].astype(np.float64)
            wanted[:, some] += (shared.T @ left.reshape(len(vertices), -1)).reshape(4 * count, -1, 3)
    wanted += (carried @ matrices.reshape(4 * count, -1)).reshape(wanted.shape)
    return Moments(carried.reshape(count, 4, count, 4), wanted.reshape(count, 4, frames, 3))


def _held(target: SkinnedTarget, joints: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the vertices (n,) that follow the joints, and how each is held by each, (n, 4 N): its weight times
    the vertex at rest, with a one behind.
    """
    skin = target.skin.normalised()
    place = np.full(int(skin.joints.max(initial=0)) + 1, -1, dtype=np.intp)
    known = joints < len(place)
    place[joints[known]] = np.flatnonzero(known)
    own = place[skin.joints] >= 0
    owner = skin.vertex_of_influence[own]
    vertices, rows = np.unique(owner, return_inverse=True)
    weights = np.zeros((len(vertices), len(joints)))
    np.add.at(weights, (rows.reshape(-1), place[skin.joints[own]]), skin.weights[own])
    with_one = np.c_[target.wanted.rest[vertices], np.ones(len(vertices))]
    return vertices, (weights[:, :, None] * with_one[:, None]).reshape(len(vertices), -1)
