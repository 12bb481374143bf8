"""Weights fitted to wanted positions, while the joints move as they were authored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..maths.sparse_weights import sparse_weights
from ..skinning.skin import Skin
from .candidates import Candidates, candidates
from .costs import costs
from .mirroring import Twins, find_twins, mirrored_candidates
from .seams import leaders
from .wanted import Wanted

PULL = 3e-4
"""How strongly weights are pulled towards the authored ones: moving all of a vertex's weight to another joint
costs as much as this fraction of the mesh's diagonal in distance, half a millimetre on a human. It decides
between joints that move alike."""


@dataclass(frozen=True, eq=False)
class Sides:
    """What mirrors a character about X = 0. mirrored_joints: see `find_twins`."""

    mirrored_joints: NDArray[np.integer]


def fit_weights(
    wanted: Wanted,
    skin: Skin,
    edges: NDArray[np.integer],
    influences: int,
    *,
    only: NDArray[np.bool_] | None = None,
    sides: Sides | None = None,
    chosen: Candidates | None = None,
    counts: NDArray[np.floating] | None = None,
    thorough: bool = True,
    progress: Callable[[float], None] | None = None,
) -> Skin:
    """Return the skin with at most `influences` (1 or more) joints a vertex, weights adding up to one, that
    comes closest to the wanted positions in the mean square.

    skin: as authored, over the joints of `wanted`. edges: (E, 2) vertices of the mesh.
    only: (V,) the vertices to fit, all if left out; the others come out without influences.
    sides: if given, vertices that are each other's mirror image and weighted so get mirrored weights.
    chosen: the joints that vertices may choose from; their own and their neighbours' if left out.
    counts: (V, F), how much each frame counts for each vertex, one in the mean; as `wanted` says if left out.
    thorough: see `sparse_weights`.
    progress: called with the finished fraction; it may raise to stop.
    """
    chosen = chosen or candidates(skin, edges)
    leading = leaders(wanted)
    twins = Twins(*(np.empty(0, dtype=np.intp),) * 2)
    others = np.empty((0, chosen.joints.shape[1]), dtype=np.int32)
    if sides is not None:
        twins = find_twins(wanted.rest, wanted.size, chosen, sides.mirrored_joints)
        others = mirrored_candidates(chosen, twins, sides.mirrored_joints)
    fit = _Fit(wanted, chosen, influences, counts, progress, thorough=thorough)
    # What is fitted, and all that shares its solution.
    fitted = np.ones(len(leading), dtype=np.bool_) if only is None else only.copy()
    np.logical_or.at(fitted, leading, fitted.copy())
    both = fitted[twins.one] | fitted[twins.other]
    single = fitted & (leading == np.arange(len(leading)))
    single[twins.one] = single[twins.other] = False
    fit.solve(np.flatnonzero(single))
    fit.solve_twins(Twins(twins.one[both], twins.other[both]), others[both])
    # A seam between the two sides follows a vertex that has been solved with its twin.
    follows = np.flatnonzero(fitted & (leading != np.arange(len(leading))))
    fit.copy(follows, leading[follows])
    fitted_skin = fit.skin()
    return fitted_skin if only is None else fitted_skin.kept(only[fitted_skin.vertex_of_influence])


class _Fit:
    def __init__(
        self,
        wanted: Wanted,
        chosen: Candidates,
        influences: int,
        counts: NDArray[np.floating] | None,
        progress: Callable[[float], None] | None,
        *,
        thorough: bool,
    ) -> None:
        self._wanted, self._chosen, self._influences, self._counts = wanted, chosen, influences, counts
        self._pull = (PULL * wanted.size) ** 2 or 1.0
        self._joints = chosen.joints.copy()
        self._weights = np.zeros(chosen.joints.shape)
        self._progress, self._thorough = progress, thorough
        self._done = 0

    def solve(self, vertices: NDArray[np.intp]) -> None:
        """Solve each vertex by itself."""
        for block in self._wanted.blocks(vertices, self._joints.shape[1]):
            found = self._costs(self._joints[block], block)
            self._weights[block] = self._solved(found, self._chosen.allowed[block], block)
            self._advance(len(block))

    def solve_twins(self, twins: Twins, others: NDArray[np.int32]) -> None:
        """Solve both vertices of each pair as one. others: see `mirrored_candidates`."""
        pairs = np.arange(len(twins.one))
        for block in self._wanted.blocks(pairs, 2 * self._joints.shape[1]):
            one, other = twins.one[block], twins.other[block]
            allowed = self._chosen.allowed[one] & (others[block] >= 0)
            images = np.maximum(others[block], 0)
            found = self._costs(self._joints[one], one) + self._costs(images, other)
            weights = self._solved(found / 2, allowed, one)
            self._weights[one] = self._weights[other] = weights
            self._joints[other] = images
            self._advance(2 * len(block))

    def copy(self, vertices: NDArray[np.intp], leading: NDArray[np.intp]) -> None:
        """Give vertices the weights of those that they follow."""
        self._joints[vertices], self._weights[vertices] = self._joints[leading], self._weights[leading]

    def skin(self) -> Skin:
        vertices, columns = np.nonzero(self._weights)
        return Skin.from_entries(
            vertices, self._joints[vertices, columns], self._weights[vertices, columns], len(self._weights)
        )

    def _costs(self, joints: NDArray[np.int32], vertices: NDArray[np.intp]) -> NDArray[np.float64]:
        each = None if self._counts is None else self._counts[vertices]
        return costs(self._wanted, joints, vertices, each)

    def _solved(
        self, found: NDArray[np.float64], allowed: NDArray[np.bool_], vertices: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        return sparse_weights(
            found,
            allowed,
            self._influences,
            towards=self._chosen.former[vertices],
            pull=np.full(len(vertices), self._pull),
            thorough=self._thorough,
        )

    def _advance(self, count: int) -> None:
        self._done += count
        if self._progress is not None:
            self._progress(self._done / max(1, len(self._weights)))
