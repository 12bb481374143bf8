"""A limb for fits: a strip of vertices, and joints that turn at random; everything is known in closed form."""

from __future__ import annotations

import numpy as np

from skinning_addon.core.refit.wanted import Wanted
from skinning_addon.core.skinning.skin import Skin

FRAMES = 30


def turns(joints: int, frames: int = FRAMES, seed: int = 1) -> np.ndarray:
    """finals (F, 1 + joints, 4, 4): each joint turned and moved at random, joint 0 still."""
    random = np.random.default_rng(seed)
    finals = np.tile(np.eye(4), (frames, 1 + joints, 1, 1))
    for frame in range(frames):
        for joint in range(1, joints + 1):
            axes, _ = np.linalg.qr(random.normal(size=(3, 3)))
            finals[frame, joint, :3, :3] = axes * np.sign(np.linalg.det(axes))
            finals[frame, joint, 3, :3] = random.normal(size=3)
    return finals


def blended(rest: np.ndarray, weights: np.ndarray, finals: np.ndarray) -> np.ndarray:
    """Positions (F, V, 3) of vertices with weights (V, J): the sum of the joints' results, term by term."""
    with_one = np.c_[rest, np.ones(len(rest))]
    each = np.einsum("vi,fjik->fvjk", with_one, finals)[..., :3]
    return np.einsum("vj,fvjk->fvk", weights, each)


def dense(skin: Skin, joints: int) -> np.ndarray:
    weights = np.zeros((skin.vertex_count, joints))
    np.add.at(weights, (skin.vertex_of_influence, skin.joints), skin.weights)
    return weights


def sparse(weights: np.ndarray) -> Skin:
    vertices, joints = np.nonzero(weights)
    return Skin.from_entries(vertices, joints, weights[vertices, joints], len(weights))


def wanted_of(rest: np.ndarray, positions: np.ndarray, finals: np.ndarray) -> Wanted:
    frames = len(finals)
    return Wanted(rest, positions.astype(np.float32), finals, np.zeros(frames, dtype=np.intp), ("clip",))


def chain(count: int) -> np.ndarray:
    """Edges of vertices in a row."""
    return np.stack([np.arange(count - 1), np.arange(1, count)], axis=1)
