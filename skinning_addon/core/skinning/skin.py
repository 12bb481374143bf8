"""Which joints move which vertex, and how much: compressed sparse rows, in stored order.

A vertex can have any number of influences. They are kept in Blender's storage order, because its dual
quaternion blend depends on that order. Engines want fewer influences, with weights that sum to one; `limited`
and `normalised` return such skins and leave the original alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..maths.arrays import read_only, sealed, set_field
from ..text.errors import InvalidArrayError

SMALLEST_MOVING_SUM = 1e-4
"""Blender leaves a vertex in place unless its weights add up to more than this (measured between 9.993e-5 and
1.0015e-4)."""


@dataclass(frozen=True, eq=False)
class Skin:
    """The influences of every vertex.

    starts: (V + 1,) int32; the influences of vertex v are the entries starts[v] to starts[v + 1].
    joints: (N,) int32, indices into a palette; joint 0 is "no bone" and moves nothing.
    weights: (N,) float32, as stored; a vertex's weights need not add up to one.
    """

    starts: NDArray[np.int32]
    joints: NDArray[np.int32]
    weights: NDArray[np.float32]

    def __post_init__(self) -> None:
        set_field(self, "starts", read_only("starts", self.starts, np.int32, (None,)))
        set_field(self, "joints", read_only("joints", self.joints, np.int32, (None,)))
        set_field(self, "weights", read_only("weights", self.weights, np.float32, (len(self.joints),)))
        if not len(self.starts) or self.starts[0] != 0 or self.starts[-1] != len(self.joints):
            raise InvalidArrayError("starts must begin at 0 and end at the number of influences.")
        if (np.diff(self.starts) < 0).any():
            raise InvalidArrayError(
                "starts must not decrease: a vertex can't have a negative number of influences."
            )
        if self.joints.size and self.joints.min() < 0:
            raise InvalidArrayError("joints must not be negative; joint 0 stands for no bone.")
        if not np.isfinite(self.weights).all():
            raise InvalidArrayError("weights must be finite numbers.")

    @property
    def vertex_count(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def counts(self) -> NDArray[np.int32]:
        """(V,) int32, the number of influences of each vertex."""
        return sealed(np.diff(self.starts))

    @property
    def largest_count(self) -> int:
        """The largest number of influences of any vertex."""
        return int(self.counts.max(initial=0))

    @cached_property
    def vertex_of_influence(self) -> NDArray[np.intp]:
        """(N,), the vertex that each influence belongs to."""
        return sealed(np.repeat(np.arange(self.vertex_count), self.counts))

    @cached_property
    def weight_sums(self) -> NDArray[np.float64]:
        """(V,) float64, the sum of each vertex's weights."""
        sums = np.bincount(self.vertex_of_influence, weights=self.weights, minlength=self.vertex_count)
        # With no influences, bincount returns integers.
        return sealed(np.asarray(sums, dtype=np.float64))

    def normalised(self) -> Skin:
        """Return the skin with weights that add up to one, as in Blender's linear blend.

        Influences of weight 0 are dropped. A vertex whose weights add up to no more than SMALLEST_MOVING_SUM
        does not move in Blender: it gets joint 0 with weight 1, so that the sum is one everywhere. The result
        is cached.
        """
        return self._normalised

    @cached_property
    def _normalised(self) -> Skin:
        moving = self.weight_sums > SMALLEST_MOVING_SUM
        owner = self.vertex_of_influence
        kept = moving[owner] & (self.weights != 0)
        still = np.flatnonzero(~moving)
        vertex = np.concatenate((owner[kept], still))
        joints = np.concatenate((self.joints[kept], np.zeros(len(still), dtype=np.int32)))
        weights = np.concatenate((self.weights[kept] / self.weight_sums[owner[kept]], np.ones(len(still))))
        return from_entries(vertex, joints, weights, self.vertex_count)

    def limited(self, influences: int) -> Skin:
        """Return the skin with at most `influences` (1 or more) per vertex: the largest, in stored order.

        Weights are not changed; for engines that redistribute the lost weight, call `normalised` afterwards.
        """
        if influences < 1:
            raise InvalidArrayError(f"A vertex can't be limited to {influences} influences; give 1 or more.")
        owner = self.vertex_of_influence
        by_weight = np.lexsort((-self.weights, owner))
        rank = np.empty(len(owner), dtype=np.intp)
        rank[by_weight] = np.arange(len(owner)) - self.starts[owner]
        kept = rank < influences
        return from_entries(owner[kept], self.joints[kept], self.weights[kept], self.vertex_count)

    def of_vertices(self, vertices: NDArray[np.integer]) -> Skin:
        """Return the skin of (n,) vertices, in that order; vertices may repeat."""
        counts = self.counts[vertices]
        starts = np.zeros(len(vertices) + 1, dtype=np.int32)
        np.cumsum(counts, out=starts[1:])
        chosen = np.arange(int(starts[-1])) + np.repeat(self.starts[vertices] - starts[:-1], counts)
        return Skin(starts, self.joints[chosen], self.weights[chosen])

    def used_joints(self) -> NDArray[np.int32]:
        """Return the joints, ascending, with weight on a vertex that moves: the *influence bones*."""
        moving = self.weight_sums[self.vertex_of_influence] > SMALLEST_MOVING_SUM
        return np.unique(self.joints[moving & (self.weights != 0)])


@dataclass(frozen=True, eq=False)
class RuledSkin:
    """A skin as given to the shader.

    missing: (V,) float32, one minus the sum of each vertex's weights if they are not normalized; the vertex is
    pulled toward the origin by that share. All 0 if weights are divided by their sum.
    dropped: (V,) float32, the share of each vertex's weight that belonged to dropped influences.
    """

    skin: Skin
    missing: NDArray[np.float32]
    dropped: NDArray[np.float32]


def from_entries(
    vertices: NDArray[np.integer],
    joints: NDArray[np.integer],
    weights: NDArray[np.floating],
    vertex_count: int,
) -> Skin:
    """Build a skin from (N,) vertex, joint, weight triples; entries of one vertex keep their order."""
    order = np.argsort(vertices, kind="stable")
    starts = np.zeros(vertex_count + 1, dtype=np.int32)
    np.cumsum(np.bincount(vertices, minlength=vertex_count), out=starts[1:])
    return Skin(
        starts, np.asarray(joints, dtype=np.int32)[order], np.asarray(weights, dtype=np.float32)[order]
    )
