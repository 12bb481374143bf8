"""How a mesh moves apart from its motion as a whole: what bones are sought for.

With p a vertex at rest and b where it is wanted, both around the middle of the mesh, and W the turn and move of
the whole mesh in one frame, d = b inverse(W) - p is what bones have to make. Small numbers stay exact, and a
mesh that spins as a whole needs no more bones than one that does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..text.errors import UsageError
from .rotations import nearest_turns
from .seams import leaders
from .wanted import VALUES_AT_ONCE, Wanted

FEWEST_VERTICES_A_BONE = 3
"""Places that say how a bone is turned."""

KEPT_VALUES = 40_000_000
"""How many coordinates are kept: 320 MB."""

STILL = 1e-6
"""Fraction of the mesh's diagonal by which a mesh must move, against its rest, to need bones."""


@dataclass(frozen=True, eq=False)
class MeshMotion:
    """A mesh of U vertices, those at one place counted as one, over F frames.

    rest: (U, 3) float64, around its middle. middle: (3,). whole: (F, 4, 4) float64, row vectors, from around
    the middle at rest to around the middle in the frame. shares: (U,) float64, how many vertices each stands
    for. leading: (V,) the place, of the U, of each vertex. size: diagonal of the mesh at rest.
    """

    rest: NDArray[np.float64]
    middle: NDArray[np.float64]
    whole: NDArray[np.float64]
    shares: NDArray[np.float64]
    leading: NDArray[np.intp]
    size: float
    _positions: NDArray[np.float32]
    _first: NDArray[np.intp]

    @property
    def frame_count(self) -> int:
        return len(self.whole)

    @cached_property
    def with_one(self) -> NDArray[np.float64]:
        """(U, 4), homogeneous rest positions."""
        return np.c_[self.rest, np.ones(len(self.rest))]

    def blocks(self) -> Iterable[tuple[slice, NDArray[np.float64]]]:
        """Return slices of the frames, each with its d (U, 3 n) float64. Up to KEPT_VALUES are kept; more are
        computed anew each time.
        """
        few = self.rest.size * self.frame_count <= KEPT_VALUES
        return self._kept if few else self._blocks()

    @cached_property
    def _kept(self) -> list[tuple[slice, NDArray[np.float64]]]:
        return list(self._blocks())

    def _blocks(self) -> Iterator[tuple[slice, NDArray[np.float64]]]:
        step = max(1, VALUES_AT_ONCE // max(1, 3 * len(self.rest)))
        for start in range(0, self.frame_count, step):
            frames = slice(start, min(start + step, self.frame_count))
            whole = self.whole[frames]
            around = self._positions[frames][:, self._first].astype(np.float64) - self.middle
            back = (around - whole[:, None, 3, :3]) @ whole[:, :3, :3].transpose(0, 2, 1) - self.rest
            yield frames, np.ascontiguousarray(back.transpose(1, 0, 2)).reshape(len(self.rest), -1)


def mesh_motion(wanted: Wanted, bones: int) -> MeshMotion:
    """Take the motion of a mesh apart. Only rest and positions of `wanted` count, not its joints.

    Raises:
        UsageError: there are too few vertices for so many bones, or none of them moves.
    """
    first, leading, counts = np.unique(leaders(wanted), return_inverse=True, return_counts=True)
    if bones < 1 or len(first) < FEWEST_VERTICES_A_BONE * bones:
        raise UsageError(
            "{vertices:,} vertices are too few for {bones:,} bones; ask for {most:,} at most.",
            vertices=len(first),
            bones=bones,
            most=len(first) // FEWEST_VERTICES_A_BONE,
        )
    middle = wanted.rest.mean(axis=0)
    rest = wanted.rest[first] - middle
    whole = np.tile(np.eye(4), (len(wanted.positions), 1, 1))
    moved = 0.0
    for frame, positions in enumerate(wanted.positions):
        around = positions[first].astype(np.float64) - middle
        moved = max(moved, float(np.abs(around - rest).max()))
        centre, shares = around.mean(axis=0), rest - rest.mean(axis=0)
        turn = nearest_turns((shares.T @ (around - centre))[None])[0]
        whole[frame, :3, :3], whole[frame, 3, :3] = turn, centre - rest.mean(axis=0) @ turn
    if moved <= STILL * wanted.size:
        raise UsageError("Nothing moves in these frames, so there is nothing to find bones for.")
    return MeshMotion(
        rest,
        middle,
        whole,
        counts.astype(np.float64),
        leading.reshape(-1),
        wanted.size,
        wanted.positions,
        first,
    )
