"""Influences looked up slot by slot: every vertex's first influence, then every second, and so on.

It works for any skin, keeps the influences in stored order, and lets no vertex touch another. `dense_blocks` is
faster where neighbouring vertices share joints.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .skin import Skin

VERTICES_PER_PART = 8192
"""20 floats for each stay within the second-level cache."""


@dataclass(frozen=True, eq=False)
class SlotPart:
    """Some vertices, those with the most influences first, so that a slot is a plain slice.

    vertices: (m,). place: where results go, (m,) or a slice.
    joints, weights: for each slot k those (m_k,) of the vertices that have more than k influences; they stand in front.
    """

    vertices: NDArray[np.intp]
    place: NDArray[np.intp] | slice
    joints: tuple[NDArray[np.intp], ...]
    weights: tuple[NDArray[np.float32], ...]

    def slots(self) -> Iterator[tuple[NDArray[np.intp], NDArray[np.float32]]]:
        """Yield joints and weights, (m_k,) each, of slot after slot."""
        return zip(self.joints, self.weights, strict=True)

    def blended(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """Blend (J, C) values of the joints for every vertex: (C, m) float32."""
        by_value = np.ascontiguousarray(values.T)
        blended = np.zeros((len(by_value), len(self.vertices)), dtype=np.float32)
        for joints, weights in self.slots():
            term = by_value.take(joints, axis=1, mode="clip")
            term *= weights
            blended[:, : len(joints)] += term
        return blended

    def store(self, result: NDArray[np.float32], out: NDArray[np.float32]) -> None:
        """Put results (C, m) where the layout wants them; out: (V, C)."""
        out[self.place] = result.T


@dataclass(frozen=True, eq=False)
class SlotTable:
    """A whole skin laid out in slots; made once for a skin, used for every pose."""

    parts: tuple[SlotPart, ...]
    length: int

    def in_vertex_order(self, out: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the results (V, C) that the parts have stored; they are in order already."""
        return out


def slot_table(skin: Skin) -> SlotTable:
    """Lay out a normalised skin."""
    return SlotTable(tuple(slot_parts(skin, np.arange(skin.vertex_count))), skin.vertex_count)


def slot_parts(skin: Skin, vertices: NDArray[np.intp]) -> Iterator[SlotPart]:
    """Lay out any vertices of a normalised skin; the places of the results are those in the list."""
    for start in range(0, len(vertices), VERTICES_PER_PART):
        here = vertices[start : start + VERTICES_PER_PART]
        counts = skin.counts[here]
        order = np.argsort(-counts, kind="stable")
        in_order = bool((order[:-1] < order[1:]).all())
        here, counts = here[order], counts[order]
        first = skin.starts[here].astype(np.intp)
        most = int(counts.max(initial=0))
        entries = tuple(first[: np.searchsorted(-counts, -slot)] + slot for slot in range(most))
        yield SlotPart(
            here,
            slice(start, start + len(here)) if in_order else start + order,
            tuple(skin.joints[entry].astype(np.intp) for entry in entries),
            tuple(skin.weights[entry] for entry in entries),
        )
