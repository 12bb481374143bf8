"""What moves which vertex, and how much: compressed sparse rows, in stored order.

Blender stores a `GroupSkin`. Groups named after bones give a `BoneSkin`, which envelopes and engines change.
A palette numbers its joints differently and has several for a bendy bone: skinning takes a `Skin`. Each is a
type of its own, so that pyright rejects the indices of one where those of another are meant.

A vertex can have any number of influences. They are kept in Blender's storage order, because its dual
quaternion blend depends on that order. Engines want fewer influences, with weights that sum to one; `limited`
and `normalised` return such skins and leave the original alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ..maths.arrays import read_only, sealed, set_field
from ..text.errors import InvalidArrayError

SMALLEST_MOVING_SUM = 1e-4
"""Blender leaves a vertex in place unless its weights add up to more than this (measured between 9.993e-5 and
1.0015e-4)."""


@dataclass(frozen=True, eq=False)
class Influences:
    """The influences of every vertex; each subclass says what their indices count.

    starts: (V + 1,) int32; the influences of vertex v are the entries starts[v] to starts[v + 1].
    indices: (N,) int32, 0 or more. weights: (N,) float32, as stored; a vertex's need not add up to one.
    """

    starts: NDArray[np.int32]
    indices: NDArray[np.int32]
    weights: NDArray[np.float32]

    def __post_init__(self) -> None:
        set_field(self, "starts", read_only("starts", self.starts, np.int32, (None,)))
        set_field(self, "indices", read_only("indices", self.indices, np.int32, (None,)))
        set_field(self, "weights", read_only("weights", self.weights, np.float32, (len(self.indices),)))
        if not len(self.starts) or self.starts[0] != 0 or self.starts[-1] != len(self.indices):
            raise InvalidArrayError("starts must begin at 0 and end at the number of influences.")
        if (np.diff(self.starts) < 0).any():
            raise InvalidArrayError(
                "starts must not decrease: a vertex can't have a negative number of influences."
            )
        if self.indices.size and self.indices.min() < 0:
            raise InvalidArrayError("indices must not be negative.")
        if not np.isfinite(self.weights).all():
            raise InvalidArrayError("weights must be finite numbers.")

    @classmethod
    def from_entries(
        cls,
        vertices: NDArray[np.integer],
        indices: NDArray[np.integer],
        weights: NDArray[np.floating],
        vertex_count: int,
    ) -> Self:
        """Build from (N,) vertex, index, weight triples; entries of one vertex keep their order."""
        order = np.argsort(vertices, kind="stable")
        starts = np.zeros(vertex_count + 1, dtype=np.int32)
        np.cumsum(np.bincount(vertices, minlength=vertex_count), out=starts[1:])
        return cls(
            starts, np.asarray(indices, dtype=np.int32)[order], np.asarray(weights, dtype=np.float32)[order]
        )

    @classmethod
    def joined(cls, skins: Sequence[Self]) -> Self:
        """Put skins whose indices mean the same one behind the other, vertex after vertex."""
        ends = np.cumsum([len(one.indices) for one in skins])
        later = [one.starts[1:] + end for one, end in zip(skins[1:], ends[:-1], strict=True)]
        return cls(
            np.concatenate([skins[0].starts, *later]).astype(np.int32),
            np.concatenate([one.indices for one in skins]),
            np.concatenate([one.weights for one in skins]),
        )

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

    def with_weights(self, weights: NDArray[np.floating]) -> Self:
        """Return the same influences with other weights, (N,)."""
        return type(self)(self.starts, self.indices, np.asarray(weights, dtype=np.float32))

    def reordered(self, order: NDArray[np.integer]) -> Self:
        """Return the entries at `order`, (N,), which must keep those of a vertex together."""
        return type(self)(self.starts, self.indices[order], self.weights[order])

    def kept(self, kept: NDArray[np.bool_]) -> Self:
        """Return the influences that are marked, (N,), and leave out the others."""
        return self.from_entries(
            self.vertex_of_influence[kept], self.indices[kept], self.weights[kept], self.vertex_count
        )

    def limited(self, influences: int) -> Self:
        """Keep at most `influences` (1 or more) per vertex: the largest, in stored order.

        Weights are not changed; engines that redistribute the lost weight normalise afterwards.
        """
        if influences < 1:
            raise InvalidArrayError(f"A vertex can't be limited to {influences} influences; give 1 or more.")
        owner = self.vertex_of_influence
        by_weight = np.lexsort((-self.weights, owner))
        rank = np.empty(len(owner), dtype=np.intp)
        rank[by_weight] = np.arange(len(owner)) - self.starts[owner]
        return self.kept(rank < influences)

    def of_vertices(self, vertices: NDArray[np.integer]) -> Self:
        """Return the influences of (n,) vertices, in that order; vertices may repeat."""
        counts = self.counts[vertices]
        starts = np.zeros(len(vertices) + 1, dtype=np.int32)
        np.cumsum(counts, out=starts[1:])
        chosen = np.arange(int(starts[-1])) + np.repeat(self.starts[vertices] - starts[:-1], counts)
        return type(self)(starts, self.indices[chosen], self.weights[chosen])


@dataclass(frozen=True, eq=False)
class Skin(Influences):
    """A skin over the joints of a palette; joint 0 is "no bone" and moves nothing."""

    @property
    def joints(self) -> NDArray[np.int32]:
        """(N,) int32, indices into the palette."""
        return self.indices

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
        return Skin.from_entries(vertex, joints, weights, self.vertex_count)


@dataclass(frozen=True, eq=False)
class BoneSkin(Influences):
    """A skin over the bones of a skeleton."""

    @property
    def bones(self) -> NDArray[np.int32]:
        """(N,) int32, indices into the skeleton."""
        return self.indices

    def used_bones(self) -> NDArray[np.int32]:
        """Return the bones, ascending, with weight on a vertex that moves: the *influence bones*."""
        moving = self.weight_sums[self.vertex_of_influence] > SMALLEST_MOVING_SUM
        return np.unique(self.bones[moving & (self.weights != 0)])


@dataclass(frozen=True, eq=False)
class GroupSkin(Influences):
    """A skin over the vertex groups of a mesh object."""

    @property
    def groups(self) -> NDArray[np.int32]:
        """(N,) int32, indices among the object's vertex groups."""
        return self.indices


@dataclass(frozen=True, eq=False)
class RuledSkin:
    """A skin as given to the shader.

    missing: (V,) float32, one minus the sum of each vertex's weights if they are not normalized; the vertex is
    pulled toward the origin by that share. All 0 if weights are divided by their sum.
    dropped: (V,) float32, the share of each vertex's weight that belonged to dropped influences.
    """

    skin: BoneSkin
    missing: NDArray[np.float32]
    dropped: NDArray[np.float32]


def moving_counts(skin: BoneSkin) -> NDArray[np.int32]:
    """Return how many bones move each vertex, (V,): weights of zero don't count, nor do those that Blender
    ignores.
    """
    owner = skin.vertex_of_influence
    moving = (skin.weights != 0) & (skin.weight_sums[owner] > SMALLEST_MOVING_SUM)
    return np.bincount(owner[moving], minlength=skin.vertex_count).astype(np.int32)
