"""Signs of weights that follow a running sum, without making the sums: for blocks of vertices that share few
joints.

Which side a quaternion is on depends on its product with the sum so far, and that is a sum of products of two
quaternions each:

    q_k . (c_0 q_0 + c_1 q_1 + ...) = c_0 (q_k . q_0) + c_1 (q_k . q_1) + ...

The products of all joints of a block are few, so each vertex looks up numbers instead of adding up quaternions,
and once all signs are known the sums are dense products as in milder poses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..skinning.skin import Skin
from .dense_blocks import BlockChunk
from .signed_weights import negated_where_below
from .slots import slot_chunk

MOST_SLOTS = 8
"""Each influence looks up a product with every one before it: from about a dozen on, adding up quaternions is
faster."""


@dataclass(frozen=True, eq=False)
class ChunkInfluences:
    """The influences of a chunk, slot by slot: of each slot k the m_k vertices with more than k influences,
    those with the most first.

    rows, columns: where in (G, k, k) products of a block's joints an influence's own row begins, and its
    column. entries: its index in the (G, k, n) weights. weights: its own. repeated: whether a vertex names a
    joint twice.
    """

    rows: tuple[NDArray[np.intp], ...]
    columns: tuple[NDArray[np.intp], ...]
    entries: tuple[NDArray[np.intp], ...]
    weights: tuple[NDArray[np.float32], ...]
    repeated: bool

    def signed(
        self, products: NDArray[np.float32], shape: tuple[int, ...], *, only_first: bool
    ) -> NDArray[np.float32]:
        """Return the chunk's weights (G, k, n), those negated whose quaternion is against the sum so far.

        products: (G, k, k), of the joints' quaternions. only_first: against a vertex's first influence instead
        of the sum.
        """
        table = products.reshape(-1)
        signed = np.zeros(shape, dtype=np.float32)
        room = signed.reshape(-1)
        before: list[NDArray[np.float32]] = []
        for slot, weights in enumerate(self.weights):
            kept = weights
            if slot:
                along = self._along(slot, table, before, only_first=only_first)
                kept = negated_where_below(weights, along)
            before.append(kept)
            if self.repeated:
                room[self.entries[slot]] += kept
            else:
                room[self.entries[slot]] = kept
        return signed

    def _along(
        self,
        slot: int,
        table: NDArray[np.float32],
        before: Sequence[NDArray[np.float32]],
        *,
        only_first: bool,
    ) -> NDArray[np.float32]:
        """Return the products of a slot's quaternions with the sums before it, or with the first ones."""
        columns = self.columns[slot]
        along = table.take(self.rows[0][: len(columns)] + columns, mode="clip")
        if only_first:
            return along
        along *= before[0][: len(columns)]
        for rows, weights in zip(self.rows[1:slot], before[1:], strict=True):
            product = table.take(rows[: len(columns)] + columns, mode="clip")
            product *= weights[: len(columns)]
            along += product
        return along


def chunk_influences(skin: Skin, chunk: BlockChunk) -> ChunkInfluences:
    """Lay out the influences of a chunk of a normalised skin."""
    slots = slot_chunk(skin, chunk.vertices)
    count, joints, size = chunk.weights.shape
    # Padded joints repeat the first one, whose values they share.
    local = np.zeros((count, int(skin.joints.max()) + 1), dtype=np.intp)
    local[np.arange(count)[:, None], chunk.joints] = np.arange(joints)
    lanes = np.arange(len(chunk.vertices))[slots.target]
    rows: list[NDArray[np.intp]] = []
    columns: list[NDArray[np.intp]] = []
    entries: list[NDArray[np.intp]] = []
    for names in slots.joints:
        block, lane = np.divmod(lanes[: len(names)], size)
        column = local[block, names]
        rows.append((block * joints + column) * joints)
        columns.append(column)
        entries.append((block * joints + column) * size + lane)
    taken = np.zeros(chunk.weights.size, dtype=np.bool_)
    for entry in entries:
        taken[entry] = True
    repeated = np.count_nonzero(taken) < sum(map(len, entries))
    return ChunkInfluences(tuple(rows), tuple(columns), tuple(entries), slots.weights, bool(repeated))
