"""Anything that moves, as bones: smooth skinning decomposition.

After Le and Deng, *Smooth Skinning Decomposition with Rigid Bones* (2012): from positions over frames alone,
find bones, their motion and weights. Begin with parts that move almost as rigid bodies (`motion_clusters`);
then find the best weights for the motion, and the best motion for the weights, in turn. Neither makes the error
larger.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..maths.sparse_weights import cost_of, sparse_weights
from ..skinning.skin import Skin
from .mesh_motion import MeshMotion, mesh_motion
from .motion_clusters import motion_clusters
from .motion_costs import MotionCosts, motion_costs
from .rigid_bones import Axes, moments, move_bones, own_axes, scaled_along, turning
from .wanted import VALUES_AT_ONCE, Wanted

AT_MOST = 12
"""Bones that a vertex may choose from."""

PULL = 1e-6
"""How strongly weights stay what they are, as a distance, in parts of the mesh's diagonal: it decides between
bones that move alike."""

SWEEPS = 4
"""How often each bone moves between two rounds of weights: it costs little."""

ROUNDS = 40
"""Rounds of weights and motion at most."""

ENOUGH = 2e-3
"""A round that takes away less than this part of the error is the last but `MORE`."""

EXACT = 1e-12
"""A mean square below this, in parts of the mesh's diagonal squared, is rounding."""


@dataclass(frozen=True, eq=False)
class Decomposition:
    """Bones found for a mesh over F frames.

    skin: over joints 1 to N; joint 0 moves nothing and is not used. rest_to_root: (N, 4, 4) float64, without
    scale; the axes are those along which the bones may be scaled. finals: (F, 1 + N, 4, 4) float64, row
    vectors, what each joint does to the rest mesh.
    """

    skin: Skin
    rest_to_root: NDArray[np.float64]
    finals: NDArray[np.float64]


def decompose(
    wanted: Wanted,
    bones: int,
    influences: int,
    *,
    scale: bool = True,
    progress: Callable[[float], None] = lambda _: None,
) -> Decomposition:
    """Find `bones` bones and at most `influences` of them for each vertex.

    wanted: its rest and positions count; its joints do not. scale: whether bones may be scaled along their own
    axes; otherwise they turn and move. progress: called with the finished fraction; it may raise to stop.

    Raises:
        UsageError: too few vertices for so many bones, or nothing moves.
    """
    motion = mesh_motion(wanted, bones)
    labels, matrices = motion_clusters(motion, bones, lambda done: progress(0.2 * done))
    weights = (labels[:, None] == np.arange(bones)).astype(np.float64)
    carried = moments(motion, weights).carried
    axes = np.stack([own_axes(carried[bone, :, bone]) for bone in range(bones)])
    may = [scaled_along(one) if scale else turning for one in axes]
    search = _Search(motion, influences, may, weights, matrices)
    for number in range(ROUNDS):
        if search.step():
            break
        progress(0.2 + 0.8 * (number + 1) / ROUNDS)
    return _found(motion, search, axes)


class _Search:
    def __init__(
        self,
        motion: MeshMotion,
        influences: int,
        axes: Sequence[Axes],
        weights: NDArray[np.float64],
        matrices: NDArray[np.float64],
    ) -> None:
        self._motion, self._influences, self._axes = motion, influences, axes
        self.weights, self.matrices = weights, matrices
        self._before = np.inf

    def step(self) -> bool:
        """Find weights, then motion; return whether that is good enough."""
        error = self._weigh(motion_costs(self._motion, self.matrices))
        found = moments(self._motion, self.weights)
        move_bones(found, self.matrices, self._axes, np.arange(len(self.matrices)), SWEEPS)
        done = error <= EXACT * self._motion.size**2 or error > (1 - ENOUGH) * self._before
        self._before = error
        return done

    def _weigh(self, costs: MotionCosts) -> float:
        """Find each vertex's weights; return the mean square of the distances."""
        count = min(AT_MOST, len(self.matrices))
        # Bones that it follows, then those that take it nearest by themselves.
        order = np.argsort(np.where(self.weights > 0, -1.0, costs.alone()), axis=1, kind="stable")[:, :count]
        step = max(1, VALUES_AT_ONCE // (16 * count * count))
        total = 0.0
        for start in range(0, len(order), step):
            vertices = np.arange(start, min(start + step, len(order)))
            bones = order[vertices]
            forms = costs.forms(vertices, bones)
            rows = vertices[:, None]
            found = sparse_weights(
                forms,
                np.ones(bones.shape, dtype=np.bool_),
                min(self._influences, count),
                towards=self.weights[rows, bones],
                pull=np.full(len(vertices), (PULL * self._motion.size) ** 2),
                thorough=False,
            )
            found /= found.sum(axis=1, keepdims=True)
            self.weights[vertices] = 0.0
            self.weights[rows, bones] = found
            total += float(cost_of(forms, found) @ self._motion.shares[vertices])
        return total / float(self._motion.shares.sum())


def _found(motion: MeshMotion, search: _Search, axes: NDArray[np.float64]) -> Decomposition:
    bones, frames = len(search.matrices), motion.frame_count
    rest_to_root = np.tile(np.eye(4), (bones, 1, 1))
    rest_to_root[:, :3, :3] = axes
    carried = search.weights * motion.shares[:, None]
    rest_to_root[:, 3, :3] = carried.T @ motion.rest / np.maximum(carried.sum(axis=0), 1e-12)[:, None]
    rest_to_root[:, 3, :3] += motion.middle
    finals = np.tile(np.eye(4), (frames, 1 + bones, 1, 1))
    around = finals[:, 1:].copy()
    around[..., :3] += search.matrices.transpose(2, 0, 1, 3)
    to_middle, from_middle = np.eye(4), np.eye(4)
    to_middle[3, :3], from_middle[3, :3] = -motion.middle, motion.middle
    finals[:, 1:] = to_middle @ around @ motion.whole[:, None] @ from_middle
    of_vertices = search.weights[motion.leading]
    vertices, columns = np.nonzero(of_vertices)
    skin = Skin.from_entries(vertices, 1 + columns, of_vertices[vertices, columns], len(of_vertices))
    return Decomposition(skin, rest_to_root, finals)
