"""The search for bones: the best weights for their motion, and the best motion for the weights, in turn."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..maths.scratch import scratch
from ..maths.sparse_weights import PAIRS, sparse_weights
from ..maths.weight_problems import cost_of
from .mesh_motion import MeshMotion
from .motion_costs import MotionCosts, motion_costs
from .progress import Progress
from .rigid_bones import Axes, moments, move_bones, own_axes, scaled_along, turning
from .wanted import VALUES_AT_ONCE

AT_MOST = 12
"""Bones that a vertex may choose from."""

AT_MOST_OF_PAIRS = 24
"""The same with two influences, where all pairs are tried."""

PULL = 1e-6
"""How strongly weights stay what they are, as a distance, in parts of the mesh's diagonal: it decides between
bones that move alike."""

LEAST = 1e-4
"""Weights up to this are none: exporters leave them out, and a bone that carries next to nothing would go
anywhere for the little that this brings."""

SWEEPS = 4
"""How often each bone moves between two rounds of weights: it costs little."""

ENOUGH = 2e-3
"""A round that takes away less than this part of the error is the last but one."""

EXACT = 1e-12
"""A mean square below this, in parts of the mesh's diagonal squared, is rounding."""


class BoneSearch:
    """N bones that move a mesh of U vertices over F frames.

    weights: (U, N). matrices: (N, 4, F, 3), see `move_bones`. axes: (N, 3, 3), those along which bones may be
    scaled. scale: whether they may; otherwise they turn and move. costs: (U,) the mean squares by which
    vertices are off, and error: their mean, both before the last move.
    """

    def __init__(
        self,
        motion: MeshMotion,
        influences: int,
        weights: NDArray[np.float64],
        matrices: NDArray[np.float64],
        axes: NDArray[np.float64],
        *,
        scale: bool,
    ) -> None:
        self.motion, self.influences, self.scale = motion, influences, scale
        self.weights, self.matrices, self.axes = weights, matrices, axes
        self.error = np.inf
        self._good = False
        self.costs = np.full(len(weights), np.inf)

    def run(self, rounds: int, progress: Progress) -> None:
        """Take up to so many steps, until one is good enough."""
        for number in range(rounds):
            if self._good or self.step():
                break
            progress((number + 1) / rounds)

    def step(self) -> bool:
        """Find weights, then motion; return whether that is good enough."""
        before = self.error
        self.weigh()
        self.move(SWEEPS)
        self._good = self.error <= EXACT * self.motion.size**2 or self.error > (1 - ENOUGH) * before
        return self._good

    def move(self, sweeps: int, may: Axes | None = None) -> None:
        """Find the best motion for the weights. may: what bones may do, if not what they may at last."""
        each = [may or (scaled_along(one) if self.scale else turning) for one in self.axes]
        move_bones(moments(self.motion, self.weights), self.matrices, each, np.arange(len(each)), sweeps)

    def weigh(self) -> None:
        """Find each vertex's best weights."""
        costs = motion_costs(self.motion, self.matrices)
        most = AT_MOST_OF_PAIRS if self.influences == PAIRS else AT_MOST
        count = min(most, len(self.matrices))
        # Bones that it follows, then those that take it nearest by themselves.
        order = np.argsort(np.where(self.weights > 0, -1.0, costs.alone()), axis=1, kind="stable")[:, :count]
        step = max(1, VALUES_AT_ONCE // (16 * count * count))
        for start in range(0, len(order), step):
            vertices = np.arange(start, min(start + step, len(order)))
            self._weigh(costs, vertices, order[vertices])
        shares = self.motion.shares
        self.error = float(self.costs @ shares) / float(shares.sum())

    def distances(self) -> NDArray[np.float32]:
        """Return how far off each vertex is at each frame, (U, F)."""
        found = scratch((len(self.weights), self.motion.frame_count), np.float32)
        held = (self.weights[:, :, None] * self.motion.with_one[:, None]).reshape(len(self.weights), -1)
        for frames, wanted in self.motion.blocks():
            by_bone = np.ascontiguousarray(self.matrices[:, :, frames]).reshape(held.shape[1], -1)
            off = (held @ by_bone - wanted).reshape(len(held), -1, 3)
            found[:, frames] = np.sqrt(np.einsum("ufc,ufc->uf", off, off))
        return found

    def _weigh(self, costs: MotionCosts, vertices: NDArray[np.intp], bones: NDArray[np.intp]) -> None:
        forms = costs.forms(vertices, bones)
        rows = vertices[:, None]
        found = sparse_weights(
            forms,
            np.ones(bones.shape, dtype=np.bool_),
            min(self.influences, bones.shape[1]),
            towards=self.weights[rows, bones],
            pull=np.full(len(vertices), (PULL * self.motion.size) ** 2),
            thorough=False,
        )
        found[found <= LEAST] = 0.0
        found /= found.sum(axis=1, keepdims=True)
        self.weights[vertices] = 0.0
        self.weights[rows, bones] = found
        self.costs[vertices] = np.maximum(cost_of(forms, found), 0.0)


def axes_of(motion: MeshMotion, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the axes (N, 3, 3) of what bones carry by weights (U, N); if that is nothing, those of space."""
    carried = moments(motion, weights).carried
    each = [carried[bone, :, bone] for bone in range(weights.shape[1])]
    return np.stack([own_axes(own) if own[3, 3] > 0 else np.eye(3) for own in each])
