"""Weights whose largest distance is small, not only their mean square: the worst frames count most.

Least squares spreads what can't be reached over all frames. So a fit is repeated, and each vertex's frames
count more, the further off it is there (Lawson, *Contributions to the Theory of Linear Least Maximum
Approximation*, 1961). What a vertex keeps is the fit whose worst frame is best.

That goes for the frames of clips. Poses beside them are wilder than what is played, and the wildest would
decide alone; they go on counting in the mean square, in which they may not get much worse, and they count for
less where a vertex would otherwise lie further off in clips than with its largest authored weights.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..maths.scratch import row_blocks, scratch
from ..skinning.skin import Skin
from .alike import find_alike
from .candidates import Candidates, candidates
from .judging import ROUNDING, cut_to, distances, furthest, joined
from .wanted import Wanted
from .weight_fit import Sides, fit_weights

ROUNDS = 3
"""How often weights are fitted again; a Rigify human comes no nearer with more."""

STILL_COUNTS = 0.05
"""What of a frame's first share it keeps however near a vertex is there."""

FURTHER_IN_POSES = 1.5
"""How many times as far off in poses, in the root mean square, as by least squares a vertex may be."""

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
    counts = scratch((wanted.vertex_count, len(wanted.positions)), np.float32)
    counts[:] = wanted.counts
    # Without clips, poses are all that is played.
    clips = wanted.in_clips if wanted.in_clips.any() else np.ones(len(wanted.positions), dtype=np.bool_)
    rounding = ROUNDING * wanted.size
    limit = alike.most(furthest(distances(wanted, cut_to(skin, influences)), clips)) + rounding
    best, least = skin, np.full(wanted.vertex_count, np.inf)
    lost = np.ones(wanted.vertex_count, dtype=np.bool_)
    in_poses = np.full(wanted.vertex_count, np.inf)
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
        # The others have no weights here; what goes with them is not to be held for as far off.
        off[~only] = 0.0
        largest = alike.most(furthest(off, clips))
        posed = alike.most(_root_mean_square(off, ~clips))
        if number == 0:
            in_poses = FURTHER_IN_POSES * posed + rounding
        loses = largest > limit
        nearer = (largest < least) & (posed <= in_poses)
        better = only & np.where(loses == lost, nearer, lost)
        best, least = joined(best, found, better), np.where(better, largest, least)
        lost &= loses
        _count_urgent(counts, off, wanted.counts, clips)
        _let_poses_give_way(counts, loses, ~clips)
    return best.kept(only[best.vertex_of_influence])


def _root_mean_square(off: NDArray[np.float32], frames: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return how far off each vertex is (V,) in the mean over some frames (F,), 0 without any."""
    result = np.zeros(len(off))
    if frames.any():
        for rows in row_blocks(off):
            result[rows] = np.sqrt(np.square(off[rows][:, frames], dtype=np.float64).mean(axis=1))
    return result


def _count_urgent(
    counts: NDArray[np.float32],
    off: NDArray[np.float32],
    first: NDArray[np.float64],
    clips: NDArray[np.bool_],
) -> None:
    """Change how much frames of clips (F,) count (V, F), together as much as before, after a fit that is so far
    off (V, F). first: (F,), what frames count at first.
    """
    for rows in row_blocks(counts):
        more = counts[rows][:, clips] * np.maximum(off[rows][:, clips], np.finfo(np.float32).tiny)
        more *= first[clips].mean() / more.mean(axis=1, keepdims=True)
        counts[rows, clips] = STILL_COUNTS * first[clips] + (1 - STILL_COUNTS) * more


def _let_poses_give_way(
    counts: NDArray[np.float32], loses: NDArray[np.bool_], poses: NDArray[np.bool_]
) -> None:
    """Let poses (F,) count less (V, F) for the vertices (V,) that lose by them."""
    for rows in row_blocks(counts):
        counts[rows] *= np.where(loses[rows, None] & poses, np.float32(TOO_MUCH), np.float32(1.0))
