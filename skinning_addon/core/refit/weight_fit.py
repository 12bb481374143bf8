"""Weights fitted to wanted positions, while the joints move as they were authored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..maths.sparse_weights import sparse_weights
from ..maths.threads import each_on_some_thread
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

THREADS = 2
"""Weights are found on up to so many threads. With two, a fit with many helper bones takes a tenth to a fifth
less time: what the interpreter does in between, it does for one thread at a time."""


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
        self._done: list[int] = []
        # Once, not by each thread.
        _ = wanted.by_joint

    def solve(self, vertices: NDArray[np.intp]) -> None:
        """Solve each vertex by itself."""
        allowed = self._chosen.allowed[vertices]

        def solve_some(rows: NDArray[np.intp]) -> None:
            block, columns = vertices[rows], _columns(allowed[rows])
            found = self._costs(self._joints[block], block, columns)
            self._weights[block] = self._solved(found, allowed[rows], block, columns)
            self._done.append(len(block))

        self._each(solve_some, allowed.sum(axis=1), 1)

    def solve_twins(self, twins: Twins, others: NDArray[np.int32]) -> None:
        """Solve both vertices of each pair as one. others: see `mirrored_candidates`."""
        allowed = self._chosen.allowed[twins.one] & (others >= 0)

        def solve_some(rows: NDArray[np.intp]) -> None:
            one, other, columns = twins.one[rows], twins.other[rows], _columns(allowed[rows])
            images = np.maximum(others[rows], 0)
            found = self._costs(self._joints[one], one, columns) + self._costs(images, other, columns)
            weights = self._solved(found / 2, allowed[rows], one, columns)
            self._weights[one] = self._weights[other] = weights
            self._joints[other] = images
            self._done.append(2 * len(rows))

        self._each(solve_some, allowed.sum(axis=1), 2)

    def copy(self, vertices: NDArray[np.intp], leading: NDArray[np.intp]) -> None:
        """Give vertices the weights of those that they follow."""
        self._joints[vertices], self._weights[vertices] = self._joints[leading], self._weights[leading]

    def skin(self) -> Skin:
        vertices, columns = np.nonzero(self._weights)
        return Skin.from_entries(
            vertices, self._joints[vertices, columns], self._weights[vertices, columns], len(self._weights)
        )

    def _costs(
        self, joints: NDArray[np.int32], vertices: NDArray[np.intp], columns: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        each = None if self._counts is None else self._counts[vertices]
        return costs(self._wanted, np.take_along_axis(joints, columns, axis=1), vertices, each)

    def _solved(
        self,
        found: NDArray[np.float64],
        allowed: NDArray[np.bool_],
        vertices: NDArray[np.intp],
        columns: NDArray[np.intp],
    ) -> NDArray[np.float64]:
        """Return weights (n, C). found: costs (n, c, c) of these columns (n, c) of the candidates."""
        weights = np.zeros(allowed.shape)
        of_columns = sparse_weights(
            found,
            np.take_along_axis(allowed, columns, axis=1),
            self._influences,
            towards=np.take_along_axis(self._chosen.former[vertices], columns, axis=1),
            pull=np.full(len(vertices), self._pull),
            thorough=self._thorough,
        )
        np.put_along_axis(weights, columns, of_columns, axis=1)
        return weights

    def _each(
        self, job: Callable[[NDArray[np.intp]], None], candidates_each: NDArray[np.intp], vertices_each: int
    ) -> None:
        """Call `job` for blocks of rows that have about as many candidates (n,), perhaps on other threads."""

        def tell() -> None:
            if self._progress is not None:
                self._progress(sum(self._done) / max(1, len(self._weights)))

        order = np.argsort(-candidates_each, kind="stable")
        blocks: list[NDArray[np.intp]] = []
        while len(order):
            count = self._wanted.at_once(vertices_each * int(candidates_each[order[0]]))
            blocks.append(order[:count])
            order = order[count:]
        each_on_some_thread(job, blocks, THREADS, after_each=tell)


def _columns(allowed: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return the columns (n, c) of allowed candidates (n, C), then of others; c is the most of any row."""
    most = int(allowed.sum(axis=1).max(initial=0))
    return np.argsort(~allowed, axis=1, kind="stable")[:, :most]
