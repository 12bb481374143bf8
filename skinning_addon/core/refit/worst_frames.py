"""Weights whose largest distance is small, not only their mean square: the worst frames count most.

Least squares spreads what can't be reached over all frames. So a fit is repeated, and each vertex's frames
count more, the further off it is there (Lawson, *Contributions to the Theory of Linear Least Maximum
Approximation*, 1961). What a vertex keeps is the fit whose worst frame is best. Poses beside clips are wilder
than what is played, and would decide alone; a distance there counts for less, and still less where a vertex
would otherwise lie further off in clips than with its largest authored weights.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..maths.scratch import row_blocks, scratch
from ..skinning.skin import Skin
from .alike import find_alike
from .candidates import Candidates, candidates
from .judging import IN_POSES, ROUNDING, cut_to, distances, furthest, joined
from .wanted import Wanted
from .weight_fit import Sides, fit_weights

ROUNDS = 3
"""How often weights are fitted again; a Rigify human comes no nearer with more."""

STILL_COUNTS = 0.05
"""What of a frame's first share it keeps however near a vertex is there."""

TOO_MUCH = 0.1
"""How much poses count from then on, of what they did, where clips lose by them."""


def fit_worst_frames(
    wanted: Wanted,
    skin: Skin,
    edges: NDArray[np.integer],
    influences: int,
    *,
    only: NDArray[np.bool_],
    sides: Sides,
    chosen: Candidates | None = None,
    progress: Callable[[float], None] | None = None,
) -> Skin:
    """Return what `fit_weights` does, with the largest distance of each vertex made small. The same
    arguments.
    """
    if not only.any():
        return fit_weights(wanted, skin, edges, influences, only=only)
    chosen = chosen or candidates(skin, edges)
    alike = find_alike(wanted, chosen, sides.mirrored_joints)
    matters = np.where(wanted.in_clips, 1.0, IN_POSES).astype(np.float32)
    counts = scratch((wanted.vertex_count, len(matters)), np.float32)
    counts[:] = wanted.counts
    clips = wanted.in_clips
    limit = alike.most(furthest(distances(wanted, cut_to(skin, influences)), clips)) + ROUNDING * wanted.size
    best, least = skin, np.full(wanted.vertex_count, np.inf)
    lost = np.ones(wanted.vertex_count, dtype=np.bool_)
    for number in range(1 + ROUNDS):

        def part(done: float, number: int = number) -> None:
            if progress is not None:
                progress((number + done) / (1 + ROUNDS))

        found = fit_weights(
            wanted,
            skin,
            edges,
            influences,
            only=only,
            sides=sides,
            chosen=chosen,
            counts=counts,
            progress=part,
        )
        off = distances(wanted, found)
        loses = alike.most(furthest(off, clips)) > limit
        off *= matters
        largest = alike.most(off.max(axis=1))
        better = only & np.where(loses == lost, largest < least, lost)
        best, least = joined(best, found, better), np.where(better, largest, least)
        lost &= loses
        _count_urgent(counts, off, wanted.counts)
        _let_poses_give_way(counts, loses, ~clips)
    return best.kept(only[best.vertex_of_influence])


def _count_urgent(counts: NDArray[np.float32], off: NDArray[np.float32], first: NDArray[np.float64]) -> None:
    """Change how much frames count (V, F) after a fit that is so far off there (V, F). first: (F,)."""
    for rows in row_blocks(counts):
        more = counts[rows] * np.maximum(off[rows], np.finfo(np.float32).tiny)
        more /= more.mean(axis=1, keepdims=True)
        counts[rows] = STILL_COUNTS * first + (1 - STILL_COUNTS) * more


def _let_poses_give_way(
    counts: NDArray[np.float32], loses: NDArray[np.bool_], poses: NDArray[np.bool_]
) -> None:
    """Let poses (F,) count less (V, F) for the vertices (V,) that lose by them."""
    for rows in row_blocks(counts):
        counts[rows] *= np.where(loses[rows, None] & poses, np.float32(TOO_MUCH), np.float32(1.0))
