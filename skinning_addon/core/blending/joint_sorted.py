"""Rest positions sorted by joint: for skins whose vertices share no joints with their neighbours.

Each influence is a point weight * (x, y, z, 1). All points of one joint are moved by one matrix product; then
each vertex sums its own. It only gives positions, and the points are made for one rest pose.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..skinning.skin import Skin

VERTICES_PER_BLOCK = 8192
"""Vertices whose sums fit in the second-level cache."""

POINTS_PER_PRODUCT = 4096
"""A BLAS splits larger products over its own threads, which wait for ours: up to five times as long on a busy
machine."""

VERTICES_PER_THREAD = 100_000
"""Below this, starting a thread costs more than it saves."""

MOST_THREADS = 8
"""From about here on memory bandwidth is the limit."""


@dataclass(frozen=True, eq=False)
class JointSorted:
    """The influences of a normalised skin, sorted by joint.

    points: (N, 4) float32. ends: (J + 1,), joint j has the points ends[j] to ends[j + 1].
    order: (V,) vertices, those with the most influences first; None if all have the same number.
    point_of_slot: for each slot k the points (m_k,) of the vertices, in that order, that have more than k
    influences.
    """

    points: NDArray[np.float32]
    ends: NDArray[np.intp]
    order: NDArray[np.intp] | None
    point_of_slot: tuple[NDArray[np.intp], ...]

    def skin(self, matrices: NDArray[np.float32]) -> NDArray[np.float32]:
        """Skin the positions: matrices (J, 4, 4) for row vectors -> (V, 3) float32.

        Large meshes use several threads: numpy releases the interpreter lock in the slow parts. Not
        reentrant.
        """
        result = np.empty((len(self.point_of_slot[0]), 3), dtype=np.float32)
        # Created before any thread needs it.
        moved = self._moved
        joints = np.flatnonzero(np.diff(self.ends)).tolist()
        blocks = range(0, len(result), VERTICES_PER_BLOCK)
        threads = min(len(result) // VERTICES_PER_THREAD, os.cpu_count() or 1, MOST_THREADS)
        if threads > 1:
            with ThreadPoolExecutor(threads) as pool:
                # Consumed as lists, so that all points are moved before they are summed, and a thread's error
                # is raised here.
                list(pool.map(self._move(matrices, moved), joints))
                list(pool.map(self._add_up(moved, result), blocks))
        else:
            list(map(self._move(matrices, moved), joints))
            list(map(self._add_up(moved, result), blocks))
        return result

    @cached_property
    def _moved(self) -> NDArray[np.float32]:
        """Buffer for the moved points: allocating memory every frame would take a third of the time."""
        return np.empty_like(self.points)

    def _move(self, matrices: NDArray[np.float32], moved: NDArray[np.float32]) -> Callable[[int], None]:
        def move(joint: int) -> None:
            end = int(self.ends[joint + 1])
            with np.errstate(all="ignore"):
                for start in range(int(self.ends[joint]), end, POINTS_PER_PRODUCT):
                    own = slice(start, min(start + POINTS_PER_PRODUCT, end))
                    np.matmul(self.points[own], matrices[joint], out=moved[own])

        return move

    def _add_up(self, moved: NDArray[np.float32], result: NDArray[np.float32]) -> Callable[[int], None]:
        def add_up(start: int) -> None:
            block = slice(start, start + VERTICES_PER_BLOCK)
            sums = moved.take(self.point_of_slot[0][block], axis=0, mode="clip")
            with np.errstate(all="ignore"):
                for points in self.point_of_slot[1:]:
                    here = points[block]
                    sums[: len(here)] += moved.take(here, axis=0, mode="clip")
            result[block if self.order is None else self.order[block]] = sums[:, :3]

        return add_up


def joint_sorted(skin: Skin, positions: NDArray[np.float32]) -> JointSorted:
    """Sort the influences of a normalised skin, which must have vertices; positions: (V, 3), at rest."""
    by_joint = np.argsort(skin.joints, kind="stable")
    index = np.empty(len(by_joint), dtype=np.intp)
    index[by_joint] = np.arange(len(by_joint))
    points = np.ones((len(by_joint), 4), dtype=np.float32)
    points[:, :3] = positions[skin.vertex_of_influence[by_joint]]
    points *= skin.weights[by_joint, None]
    order = np.argsort(-skin.counts, kind="stable")
    counts, first = skin.counts[order], skin.starts[:-1][order]
    slots = range(skin.largest_count)
    return JointSorted(
        points,
        np.concatenate(([0], np.cumsum(np.bincount(skin.joints)))),
        None if counts[0] == counts[-1] else order,
        tuple(index[first[: np.searchsorted(-counts, -slot)] + slot] for slot in slots),
    )
