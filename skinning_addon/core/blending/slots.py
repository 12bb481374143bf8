"""Influences looked up slot by slot: every vertex's first influence, then every second, and so on.

Works for any skin, keeps influences in stored order, and keeps vertices independent. `dense_blocks` is faster
if neighbouring vertices share joints.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..skinning.skin import Skin

VERTICES_PER_PART = 32768
"""Vertices processed at once, see `dense_blocks`."""


@dataclass(frozen=True, eq=False)
class SlotChunk:
    """Some vertices, those with the most influences first, so that a slot is a plain slice.

    vertices: (m,). target: where results go, (m,) or a slice.
    joints, weights: for each slot k those (m_k,) of the vertices with more than k influences, which come
    first.
    """

    vertices: NDArray[np.intp]
    target: NDArray[np.intp] | slice
    joints: tuple[NDArray[np.intp], ...]
    weights: tuple[NDArray[np.float32], ...]

    @cached_property
    def consecutive(self) -> slice | None:
        """The vertices as a slice, if they are consecutive."""
        return as_slice(self.vertices)

    def terms(self, values: NDArray[np.float32]) -> Iterator[tuple[NDArray[np.float32], NDArray[np.float32]]]:
        """Yield (J, C) values of the joints, (C, m_k), and weights, (m_k,), of slot after slot.

        The values are valid until the next slot: they share one buffer, since allocating memory takes as long
        as looking them up.
        """
        by_value = np.ascontiguousarray(values.T)
        room = np.empty(len(by_value) * len(self.vertices), dtype=np.float32)
        for joints, weights in zip(self.joints, self.weights, strict=True):
            term = room[: len(by_value) * len(joints)].reshape(-1, len(joints))
            yield by_value.take(joints, axis=1, mode="clip", out=term), weights

    def blended(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """Blend (J, C) values of the joints for every vertex: (C, m) float32."""
        blended = np.zeros((values.shape[1], len(self.vertices)), dtype=np.float32)
        for term, weights in self.terms(values):
            np.multiply(term, weights, out=term)
            blended[:, : len(weights)] += term
        return blended

    def in_given_order(self, result: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return results (C, m) in the order in which the chunk was given its vertices, if it was made for
        them alone.
        """
        if isinstance(self.target, slice):
            return result
        ordered = np.empty_like(result)
        ordered[:, self.target] = result
        return ordered

    def store(self, result: NDArray[np.float32], out: NDArray[np.float32]) -> None:
        """Store results (C, m) in layout order; out: (V, C)."""
        out[self.target] = result.T


@dataclass(frozen=True, eq=False)
class SlotTable:
    """A whole skin laid out in slots; made once for a skin, used for every pose."""

    chunks: tuple[SlotChunk, ...]
    length: int

    def in_vertex_order(self, out: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the chunks' stored results (V, C); they are already in order."""
        return out


def as_slice(indices: NDArray[np.intp]) -> slice | None:
    """Return consecutive indices as a slice: copying with it takes a quarter of the time."""
    if not len(indices) or (np.diff(indices) != 1).any():
        return None
    return slice(int(indices[0]), int(indices[-1]) + 1)


def slot_table(skin: Skin) -> SlotTable:
    """Lay out a normalised skin."""
    return SlotTable(tuple(slot_chunks(skin, np.arange(skin.vertex_count))), skin.vertex_count)


def slot_chunks(skin: Skin, vertices: NDArray[np.intp]) -> Iterator[SlotChunk]:
    """Lay out any vertices of a normalised skin, some at once; results are placed as in that list."""
    for start in range(0, len(vertices), VERTICES_PER_PART):
        yield slot_chunk(skin, vertices[start : start + VERTICES_PER_PART], start)


def slot_chunk(skin: Skin, vertices: NDArray[np.intp], start: int = 0) -> SlotChunk:
    """Lay out vertices of a normalised skin as one chunk. start: where the first one's result goes."""
    counts = skin.counts[vertices]
    order = np.argsort(-counts, kind="stable")
    in_order = bool((order[:-1] < order[1:]).all())
    here, counts = vertices[order], counts[order]
    first = skin.starts[here].astype(np.intp)
    most = int(counts.max(initial=0))
    entries = tuple(first[: np.searchsorted(-counts, -slot)] + slot for slot in range(most))
    return SlotChunk(
        here,
        slice(start, start + len(here)) if in_order else start + order,
        tuple(skin.joints[entry].astype(np.intp) for entry in entries),
        tuple(skin.weights[entry] for entry in entries),
    )
