"""A pass's pose-independent data, cached for skinning on the CPU."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..maths.threads import each_on_some_thread, threads_to_skin
from ..skinning.skin import Skin
from .dense_blocks import MOST_JOINTS_IN_A_TABLE, BlockChunk, DenseBlocks, dense_blocks
from .joint_sorted import JointSorted, joint_sorted
from .running_signs import ChunkInfluences, chunk_influences
from .slots import SlotChunk, SlotTable, slot_chunk, slot_table

Chunk = BlockChunk | SlotChunk


class PassLayout:
    """A skin laid out for skinning; each layout is made on first use, and kept for every pose.

    skin: normalised as Blender's linear blend does.
    """

    def __init__(self, skin: Skin, rest: NDArray[np.float32]) -> None:
        """Keep a skin as stored, and the rest positions (V, 3)."""
        self.skin = skin.normalised()
        self.rest = rest
        self._slots_of_chunk: dict[int, SlotChunk] = {}
        self._influences_of_chunk: dict[int, ChunkInfluences] = {}

    def moved(self, rest: NDArray[np.float32]) -> PassLayout:
        """Return the layout of the same skin for other rest positions (V, 3); what depends on weights alone is
        shared.
        """
        laid_out = self.dense
        other = copy(self)
        other.__dict__["dense"] = laid_out
        other.rest = rest
        for of_positions in ("rest_tables", "joint_sorted"):
            other.__dict__.pop(of_positions, None)
        return other

    @cached_property
    def dense(self) -> DenseBlocks | None:
        """The skin in dense blocks; None if neighbouring vertices share too few joints."""
        return dense_blocks(self.skin)

    @cached_property
    def slots(self) -> SlotTable:
        """The skin slot by slot."""
        return slot_table(self.skin)

    def slots_of(self, chunk: BlockChunk) -> SlotChunk:
        """A chunk of `dense`, slot by slot, its vertices in the chunk's order."""
        number = int(chunk.blocks[0])
        if number not in self._slots_of_chunk:
            self._slots_of_chunk[number] = slot_chunk(self.skin, chunk.vertices)
        return self._slots_of_chunk[number]

    def influences_of(self, chunk: BlockChunk) -> ChunkInfluences:
        """The influences of a chunk of `dense`, with their places among its weights."""
        number = int(chunk.blocks[0])
        if number not in self._influences_of_chunk:
            self._influences_of_chunk[number] = chunk_influences(self.skin, chunk)
        return self._influences_of_chunk[number]

    @cached_property
    def has_negative_weights(self) -> bool:
        """Whether any weight is below 0; Blender has none."""
        return bool((self.skin.weights < 0).any())

    @cached_property
    def rest_tables(self) -> tuple[NDArray[np.float32], ...] | None:
        """The rest positions spread over the joints, for each chunk of `dense`; None if that takes too much
        memory.
        """
        if self.dense is None or self.dense.mean_joints > MOST_JOINTS_IN_A_TABLE:
            return None
        return tuple(chunk.point_table(self.rest) for chunk in self.dense.chunks)

    @cached_property
    def joint_sorted(self) -> JointSorted:
        """The rest positions sorted by joint, for skins that `rest_tables` does not suit."""
        return joint_sorted(self.skin, self.rest)

    def suited_to(self, values: NDArray[np.float32]) -> DenseBlocks | SlotTable:
        """Choose the layout for blending joint values.

        A dense product would spread NaN or infinity over the whole block (0 * infinity).
        """
        return self.dense if self.dense is not None and np.isfinite(values).all() else self.slots


def by_chunks(
    laid_out: DenseBlocks | SlotTable,
    job: Callable[[int, Chunk], tuple[NDArray[np.float32], ...]],
    widths: tuple[int, ...],
) -> tuple[NDArray[np.float32], ...]:
    """Run `job` on every chunk and collect its results, several (C, m) arrays, in vertex order.

    job: called with the chunk's index and the chunk, perhaps by another thread. widths: C of each result.
    """
    out = tuple(np.empty((laid_out.length, width), dtype=np.float32) for width in widths)

    def run(number: int) -> None:
        chunk = laid_out.chunks[number]
        # Values in a pose or mesh that are not finite pass through; that is not an error here.
        with np.errstate(all="ignore"):
            for result, whole in zip(job(number, chunk), out, strict=True):
                chunk.store(result, whole)

    each_on_some_thread(run, range(len(laid_out.chunks)), threads_to_skin(laid_out.length))
    return tuple(laid_out.in_vertex_order(whole) for whole in out)


def coordinates_of(values: NDArray[np.float32], chunk: Chunk) -> NDArray[np.float32]:
    """Pick (V, 3) values for a chunk's vertices, coordinate by coordinate: (3, m)."""
    if chunk.consecutive is not None:
        return np.ascontiguousarray(values[chunk.consecutive].T)
    return np.ascontiguousarray(values.take(chunk.vertices, axis=0, mode="clip").T)
