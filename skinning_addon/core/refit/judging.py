"""How far a skin lies from the wanted positions, and the return of former weights where they are better."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..blending.clip_skinning import PointsOfSkin
from ..skinning.deviation import EXACT_RELATIVE
from ..skinning.skin import Skin
from .alike import Alike
from .wanted import Wanted

NOTICEABLE = 3e-5
"""Fraction of the mesh's diagonal, 0.05 mm on a human, by which former weights must be better to come back."""


@dataclass(frozen=True)
class Figures:
    """Distances over vertices and frames, in the unit of the positions. nearly_all: 99.9% are within it."""

    largest: float
    nearly_all: float
    root_mean_square: float


def distances(wanted: Wanted, skin: Skin) -> NDArray[np.float32]:
    """Return how far each vertex lies from where it is wanted at each frame, (V, F)."""
    points = PointsOfSkin(skin.normalised(), wanted.rest)
    found = np.empty((wanted.vertex_count, len(wanted.positions)), dtype=np.float32)
    step = max(1, 4_000_000 // max(1, 3 * wanted.vertex_count))
    for first in range(0, len(wanted.positions), step):
        frames = slice(first, first + step)
        moved = points.moved(wanted.finals[frames])
        off = moved - wanted.positions[frames].transpose(1, 0, 2)
        found[:, frames] = np.sqrt(np.einsum("vfc,vfc->vf", off, off))
    return found


def figures(found: NDArray[np.float32]) -> Figures:
    """Summarize distances; all 0 if there are none."""
    if not found.size:
        return Figures(0.0, 0.0, 0.0)
    return Figures(
        float(found.max()),
        float(np.quantile(found, 0.999)),
        float(np.sqrt(np.mean(np.square(found, dtype=np.float64)))),
    )


def figures_by_source(wanted: Wanted, found: NDArray[np.float32]) -> dict[str, Figures]:
    """Summarize the distances (V, F) of each source's frames, by its name."""
    return {
        name: figures(found[:, wanted.sources == index])
        for index, name in enumerate(wanted.names)
        if (wanted.sources == index).any()
    }


@dataclass(frozen=True, eq=False)
class Judged:
    """returned: (V,) bool, vertices whose former weights are better, also if only in clips. worse: (V,) bool,
    vertices that lie further off than before on frames that the fit has not seen, but nearer where they are
    furthest off over all frames: they keep the fitted weights.
    """

    returned: NDArray[np.bool_]
    worse: NDArray[np.bool_]


def needs_fit(wanted: Wanted, former: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Mark the vertices (V,) that their former weights leave off. former: distances (V, F)."""
    return former.max(axis=1) > EXACT_RELATIVE * wanted.size


def joined(one: Skin, other: Skin, from_other: NDArray[np.bool_]) -> Skin:
    """Return the influences of one skin, and of the other at the vertices (V,) that are marked."""
    kept, taken = (
        skin.kept(marked[skin.vertex_of_influence])
        for skin, marked in ((one, ~from_other), (other, from_other))
    )
    return Skin.from_entries(
        np.concatenate([kept.vertex_of_influence, taken.vertex_of_influence]),
        np.concatenate([kept.indices, taken.indices]),
        np.concatenate([kept.weights, taken.weights]),
        one.vertex_count,
    )


def cut_to(skin: Skin, influences: int) -> Skin:
    """Return the skin with its largest weights, which add up to one where some were cut."""
    cut = skin.limited(influences)
    return joined(skin, cut.normalised(), skin.counts > influences)


def better_of(
    before: NDArray[np.float32],
    after: NDArray[np.float32],
    held_out: NDArray[np.bool_],
    in_clips: NDArray[np.bool_],
    size: float,
    *,
    alike: Alike | None = None,
) -> Judged:
    """Find the vertices whose former weights have to come back, since their largest distance grew.

    before, after: (V, F) distances with former and with fitted weights. held_out: (F,) frames that the fit has
    not seen, at least one: they decide, unless former weights were still worse on the others. in_clips: (F,)
    frames that are played, not only tried: no vertex is further off there than before. size: of the mesh.
    alike: vertices that get former weights back together, by the one that is furthest off; each by itself if
    left out.
    """

    def furthest(off: NDArray[np.float32], frames: NDArray[np.bool_]) -> NDArray[np.float32]:
        largest = off[:, frames].max(axis=1, initial=0.0)
        return largest if alike is None else alike.most(largest)

    def grown(frames: NDArray[np.bool_]) -> NDArray[np.bool_]:
        return furthest(after, frames) > furthest(before, frames) + NOTICEABLE * size

    every = np.ones_like(held_out)
    unseen, nearer = grown(held_out), furthest(after, every) < furthest(before, every)
    returned = (unseen & ~nearer) | grown(in_clips)
    return Judged(returned, unseen & ~returned)
