"""Rest positions sorted by joint: for skins whose vertices share no joints with their neighbours.

Each influence is a point weight * (x, y, z, 1). All points of one joint are moved by one matrix product; then
each vertex sums its own. That goes block by block, so that the moved points are still in the cache when they
are summed. It only gives positions, and the points are made for one rest pose.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..maths.threads import each_on_some_thread, threads_to_skin
from ..skinning.skin import Skin

VERTICES_PER_BLOCK = 65536
"""Their moved points fit in the cache that cores share, and joints have enough of them for a product."""

POINTS_PER_PRODUCT = 4096
"""A BLAS splits larger products over its own threads, which wait for ours: up to five times as long on a busy
machine."""


@dataclass(frozen=True, eq=False)
class SortedBlock:
    """The influences of some vertices, sorted by joint.

    points: (N, 4) float32. ends: (J + 1,), joint j has the points ends[j] to ends[j + 1].
    vertices: where results go, (m,) with the most influences first, or a slice if all have the same number.
    point_of_slot: for each slot k the points (m_k,) of the vertices, in that order, that have more than k
    influences.
    """

    points: NDArray[np.float32]
    ends: NDArray[np.intp]
    vertices: NDArray[np.intp] | slice
    point_of_slot: tuple[NDArray[np.intp], ...]

    def moved(self, matrices: NDArray[np.float32]) -> NDArray[np.float32]:
        """Move the points: matrices (J, 4, 4) for row vectors -> (N, 4) float32."""
        moved = np.empty_like(self.points)
        for joint in np.flatnonzero(np.diff(self.ends)).tolist():
            end = int(self.ends[joint + 1])
            for start in range(int(self.ends[joint]), end, POINTS_PER_PRODUCT):
                own = slice(start, min(start + POINTS_PER_PRODUCT, end))
                np.matmul(self.points[own], matrices[joint], out=moved[own])
        return moved

    def summed(self, moved: NDArray[np.float32]) -> NDArray[np.float32]:
        """Sum the moved points of each vertex: (m, 3) float32."""
        sums = moved.take(self.point_of_slot[0], axis=0, mode="clip")
        room = np.empty_like(sums)
        for points in self.point_of_slot[1:]:
            count = len(points)
            sums[:count] += moved.take(points, axis=0, mode="clip", out=room[:count])
        return sums[:, :3]


@dataclass(frozen=True, eq=False)
class JointSorted:
    """A normalised skin in blocks of vertices."""

    blocks: tuple[SortedBlock, ...]
    vertex_count: int

    def skin(self, matrices: NDArray[np.float32]) -> NDArray[np.float32]:
        """Skin the positions: matrices (J, 4, 4) for row vectors -> (V, 3) float32."""
        result = np.empty((self.vertex_count, 3), dtype=np.float32)

        def skin_block(block: SortedBlock) -> None:
            with np.errstate(all="ignore"):
                result[block.vertices] = block.summed(block.moved(matrices))

        each_on_some_thread(skin_block, self.blocks, threads_to_skin(self.vertex_count))
        return result


def joint_sorted(skin: Skin, positions: NDArray[np.float32]) -> JointSorted:
    """Sort the influences of a normalised skin, which must have vertices; positions: (V, 3), at rest."""
    count = skin.vertex_count
    # Blocks of about the same size: the last one would keep the other threads waiting.
    ends = np.linspace(0, count, -(-count // VERTICES_PER_BLOCK) + 1).astype(np.intp).tolist()
    blocks = tuple(_block(skin, positions, *one) for one in pairwise(ends))
    return JointSorted(blocks, count)


def _block(skin: Skin, positions: NDArray[np.float32], start: int, end: int) -> SortedBlock:
    own = slice(int(skin.starts[start]), int(skin.starts[end]))
    joints = skin.joints[own]
    by_joint = np.argsort(joints, kind="stable")
    index = np.empty(len(by_joint), dtype=np.intp)
    index[by_joint] = np.arange(len(by_joint))
    points = np.ones((len(by_joint), 4), dtype=np.float32)
    points[:, :3] = positions[skin.vertex_of_influence[own][by_joint]]
    points *= skin.weights[own][by_joint, None]
    order = np.argsort(-skin.counts[start:end], kind="stable")
    counts = skin.counts[start:end][order]
    first = (skin.starts[start:end] - own.start)[order]
    return SortedBlock(
        points,
        np.concatenate(([0], np.cumsum(np.bincount(joints)))),
        slice(start, end) if counts[0] == counts[-1] else start + order,
        tuple(index[first[: np.searchsorted(-counts, -slot)] + slot] for slot in range(int(counts[0]))),
    )
