"""Vertices grouped into blocks that share few joints, so that blending becomes products of small dense
matrices.

A block is n vertices and the k joints that move any of them; its weights are a dense (k, n) matrix, zeros
included:

    (12, n) blended rows of the vertices = (12, k) rows of the joints @ (k, n) weights

A BLAS computes this product at memory bandwidth, while looking up a matrix per influence waits for memory
each time. It pays off as long as a block has few joints, so vertices are sorted by their joints, unless they
are already, as in a mesh modelled limb by limb.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..skinning.skin import Skin
from .slots import as_slice

BLOCK_SIZES = (128, 256, 512, 1024)
"""Vertices in a block. Small blocks have fewer joints, large blocks fewer products."""

VERTICES_PER_PART = 65536
"""Vertices processed at once: so many that threads seldom wait for the interpreter lock between operations."""

MOST_JOINTS_IN_A_TABLE = 12
"""Up to this average number of joints per block, `point_table` is faster than blending matrices; 200 bytes
per vertex."""

# Nanoseconds, measured on one core; only their ratios matter, and those differ little between machines.
_JOINT_IN_A_TABLE = 3.0
_JOINT_IN_A_MATRIX, _MATRIX = 1.6, 22.0
_PRODUCT = 500.0
_REORDERED_VERTEX = 10.0
_LOOKED_UP_INFLUENCE = 20.0


@dataclass(frozen=True, eq=False)
class BlockChunk:
    """Some blocks of n vertices, each moved by k joints.

    blocks: (G,) block indices in the layout. vertices: (m,) those of all G blocks, m = G n, padded with the
    last one. joints: (G, k), padded with the block's first one. weights: (G, k, n) float32.
    """

    blocks: NDArray[np.intp]
    vertices: NDArray[np.intp]
    joints: NDArray[np.intp]
    weights: NDArray[np.float32]

    @cached_property
    def consecutive(self) -> slice | None:
        """The vertices as a slice, if they are consecutive."""
        return as_slice(self.vertices)

    def blended(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """Blend (J, C) values of the joints for every vertex: (C, m) float32."""
        return self.blended_by_block(values[self.joints])

    def blended_by_block(
        self, values: NDArray[np.float32], weights: NDArray[np.float32] | None = None
    ) -> NDArray[np.float32]:
        """Blend values (G, k, C), separate for each block, for every vertex: (C, m) float32.

        weights: in place of the chunk's own.
        """
        weights = self.weights if weights is None else weights
        count, _, size = weights.shape
        blended = np.empty((values.shape[2], count, size), dtype=np.float32)
        np.matmul(values.transpose(0, 2, 1), weights, out=blended.transpose(1, 0, 2))
        return blended.reshape(len(blended), -1)

    def blended_in_frames(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """Blend (F, J, C) values of the joints at F frames for every vertex: (C, F, m) float32. Each frame's
        products are those of `blended`, bit for bit.
        """
        count, _, size = self.weights.shape
        blended = np.empty((values.shape[2], len(values), count, size), dtype=np.float32)
        chosen = values[:, self.joints].transpose(0, 1, 3, 2)
        np.matmul(chosen, self.weights, out=blended.transpose(1, 2, 0, 3))
        return blended.reshape(*blended.shape[:2], -1)

    def store(self, result: NDArray[np.float32], out: NDArray[np.float32]) -> None:
        """Store results (C, m) in layout order; out: (layout.length, C)."""
        count, _, size = self.weights.shape
        by_block = result.reshape(-1, count, size).transpose(1, 2, 0)
        out.reshape(-1, size, len(result))[self.blocks] = by_block

    def store_frames(self, result: NDArray[np.float32], out: NDArray[np.float32]) -> None:
        """Store results (C, F, m) in layout order; out: (F, layout.length, C)."""
        count, _, size = self.weights.shape
        width, frames = result.shape[:2]
        by_block = result.reshape(width, frames, count, size).transpose(1, 2, 3, 0)
        out.reshape(frames, -1, size, width)[:, self.blocks] = by_block

    def point_table(self, points: NDArray[np.float32]) -> NDArray[np.float32]:
        """Spread points (V, 3) over the joints: entry 4 i + c of a vertex is weight_i * (x, y, z, 1)[c], (G, 4
        k, n).

        Points that stay the same from frame to frame are skinned by a single product with this table, see
        `moved`.
        """
        count, joints, size = self.weights.shape
        table = np.empty((count, joints, 4, size), dtype=np.float32)
        coordinates = points[self.vertices].reshape(count, size, 3).transpose(0, 2, 1)
        np.multiply(self.weights[:, :, None], coordinates[:, None], out=table[:, :, :3])
        table[:, :, 3] = self.weights
        return table.reshape(count, 4 * joints, size)

    def moved(self, table: NDArray[np.float32], matrices: NDArray[np.float32]) -> NDArray[np.float32]:
        """Skin the points of a table: matrices (J, 4, 3), columns as in `v @ M` -> (3, m) float32."""
        count, joints, _ = self.weights.shape
        moved = np.matmul(table.transpose(0, 2, 1), matrices[self.joints].reshape(count, 4 * joints, 3))
        return moved.reshape(-1, 3).T


@dataclass(frozen=True, eq=False)
class DenseBlocks:
    """A skin laid out in blocks; made once for a skin, used for every pose.

    length: number of vertices in all blocks, including repeats. index: (V,) each vertex's index among them;
    None if in mesh order. mean_joints: average joints per block.
    """

    chunks: tuple[BlockChunk, ...]
    length: int
    index: NDArray[np.intp] | None
    vertex_count: int
    mean_joints: float

    def in_vertex_order(self, out: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the chunks' stored results (..., length, C) as (..., V, C)."""
        if self.index is None:
            return out[..., : self.vertex_count, :]
        return out.take(self.index, axis=-2, mode="clip")


@dataclass(frozen=True, eq=False)
class _Plan:
    """order: (V,) vertices, or None for mesh order. present: (blocks, J) bool. cost: nanoseconds in all."""

    order: NDArray[np.intp] | None
    size: int
    present: NDArray[np.bool_]
    cost: float


def dense_blocks(
    skin: Skin, *, at_any_cost: bool = False, sizes: Sequence[int] | None = None
) -> DenseBlocks | None:
    """Lay out a normalised skin in blocks; None if looking up each influence is cheaper.

    at_any_cost: lay it out regardless, unless it has no vertices. Costs about 0.5 s per million vertices.
    sizes: candidates, powers of two, each a multiple of the first; BLOCK_SIZES if left out.
    """
    if not skin.vertex_count:
        return None
    sizes = sizes or BLOCK_SIZES
    most = np.inf if at_any_cost else _LOOKED_UP_INFLUENCE * len(skin.joints)
    if skin.vertex_count <= sizes[0]:
        return _one_block(skin, most)
    plans = [plan for order in (None, _by_joints(skin)) for plan in _plans(skin, order, sizes)]
    best = min(plans, key=lambda plan: plan.cost)
    return None if best.cost > most else _laid_out(skin, best)


def _one_block(skin: Skin, most: float) -> DenseBlocks | None:
    """Lay out a small skin in one block, in a fraction of the time that several take: characters have hundreds.
    None if it costs more than so many nanoseconds.
    """
    size, present = skin.vertex_count, np.bincount(skin.joints) > 0
    joints = np.flatnonzero(present)
    count = np.array([len(joints)])
    if _cost(count, size) > most:
        return None
    width = int(_rounded_up(count)[0])
    entry = (np.cumsum(present) - 1)[skin.joints] * size + skin.vertex_of_influence
    weights = np.bincount(entry, weights=skin.weights, minlength=width * size).astype(np.float32)
    numbers = np.full((1, width), joints[0])
    numbers[0, : len(joints)] = joints
    chunk = BlockChunk(np.zeros(1, np.intp), np.arange(size), numbers, weights.reshape(1, width, size))
    return DenseBlocks((chunk,), size, None, size, float(len(joints)))


def _by_joints(skin: Skin) -> NDArray[np.intp]:
    """Order the vertices by their joints, highest number first, so that those sharing joints are adjacent."""
    key = np.zeros(skin.vertex_count, dtype=np.uint64)
    for count in np.unique(skin.counts).tolist():
        vertices = np.flatnonzero(skin.counts == count)
        joints = np.sort(skin.joints[skin.starts[vertices, None] + np.arange(count)], axis=1)[:, ::-1]
        for joint, shift in zip(joints.T, (48, 32, 16, 0), strict=False):
            key[vertices] |= np.minimum(joint + 1, 0xFFFF).astype(np.uint64) << np.uint64(shift)
    return np.argsort(key, kind="stable")


def _plans(skin: Skin, order: NDArray[np.intp] | None, sizes: Sequence[int]) -> list[_Plan]:
    """Count the joints of every block, for blocks of every size."""
    smallest = min(sizes[0], skin.vertex_count)
    index = _indices(skin.vertex_count, order)
    # Larger blocks consist of smaller ones: rounded up to whole blocks.
    blocks = -(-skin.vertex_count // (smallest * 8)) * 8
    present = np.zeros((blocks, int(skin.joints.max()) + 1), dtype=np.bool_)
    present[index[skin.vertex_of_influence] // smallest, skin.joints] = True
    plans: list[_Plan] = []
    for scale in (size // sizes[0] for size in sizes):
        merged: NDArray[np.bool_] = np.any(present.reshape(blocks // scale, scale, -1), axis=1)
        merged = merged[: -(-skin.vertex_count // (smallest * scale))]
        cost = _cost(np.count_nonzero(merged, axis=1), smallest * scale)
        reordering = 0 if order is None else _REORDERED_VERTEX * skin.vertex_count
        plans.append(_Plan(order, smallest * scale, merged, cost + reordering))
    return plans


def _cost(joints: NDArray[np.intp], size: int) -> float:
    """Return the nanoseconds that blocks of so many vertices cost. joints: (blocks,), the number of each."""
    vertex = np.minimum(_JOINT_IN_A_TABLE * joints, _MATRIX + _JOINT_IN_A_MATRIX * joints)
    return float(vertex.sum()) * size + _PRODUCT * len(joints)


def _indices(vertex_count: int, order: NDArray[np.intp] | None) -> NDArray[np.intp]:
    index = np.arange(vertex_count)
    if order is not None:
        index[order] = np.arange(vertex_count)
    return index


def _laid_out(skin: Skin, plan: _Plan) -> DenseBlocks:
    size, present = plan.size, plan.present
    count = np.count_nonzero(present, axis=1)
    width = _rounded_up(count)
    local = np.cumsum(present, axis=1, dtype=np.int32) - 1
    # Blocks of the same width are adjacent in memory, so that a chunk is a plain slice.
    by_width = np.argsort(width, kind="stable")
    first = np.empty(len(width) + 1, dtype=np.intp)
    first[0] = 0
    np.cumsum(width[by_width] * size, out=first[1:])
    start = np.empty(len(width), dtype=np.intp)
    start[by_width] = first[:-1]
    index = _indices(skin.vertex_count, plan.order)
    block, lane = np.divmod(index[skin.vertex_of_influence], size)
    entry = start[block] + local[block, skin.joints] * size + lane
    weights = np.bincount(entry, weights=skin.weights, minlength=int(first[-1])).astype(np.float32)
    order = np.arange(skin.vertex_count) if plan.order is None else plan.order
    padded = np.concatenate((order, np.full(len(width) * size - len(order), order[-1])))
    vertices = padded.reshape(-1, size)
    chunks: list[BlockChunk] = []
    for chosen in _runs_of_one_width(by_width, width, max(1, VERTICES_PER_PART // size)):
        joints = int(width[chosen[0]])
        here = weights[start[chosen[0]] :][: len(chosen) * joints * size]
        numbers = _joint_numbers(present[chosen], local[chosen], joints)
        chunks.append(
            BlockChunk(chosen, vertices[chosen].reshape(-1), numbers, here.reshape(-1, joints, size))
        )
    return DenseBlocks(
        tuple(chunks),
        len(padded),
        None if plan.order is None else index,
        skin.vertex_count,
        float(count.mean()),
    )


def _rounded_up(counts: NDArray[np.intp]) -> NDArray[np.intp]:
    """Round joint counts up to three binary digits (1 to 8, 10, 12, ...): fewer widths, longer chunks."""
    step = 2 ** np.maximum(np.ceil(np.log2(counts)).astype(np.intp) - 3, 0)
    return -(-counts // step) * step


def _runs_of_one_width(
    by_width: NDArray[np.intp], width: NDArray[np.intp], longest: int
) -> list[NDArray[np.intp]]:
    changes = np.flatnonzero(np.diff(width[by_width])) + 1
    return [
        run[start : start + longest]
        for run in np.split(by_width, changes)
        for start in range(0, len(run), longest)
    ]


def _joint_numbers(present: NDArray[np.bool_], local: NDArray[np.int32], width: int) -> NDArray[np.intp]:
    """List the joints of each block, (G, width), padded with the first one."""
    block, joint = np.nonzero(present)
    numbers = np.repeat(np.argmax(present, axis=1)[:, None], width, axis=1)
    numbers[block, local[block, joint]] = joint
    return numbers
