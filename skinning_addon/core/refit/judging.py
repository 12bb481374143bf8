"""How far a skin lies from the wanted positions, and the return of former weights where they are better."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..blending.clip_skinning import PointsOfSkin
from ..maths.scratch import row_blocks, scratch
from ..skinning.deviation import EXACT_RELATIVE
from ..skinning.skin import Skin
from .alike import Alike
from .wanted import Wanted

NEARLY_ALL = 0.999

IN_POSES = np.float32(1 / 3)
"""What a distance in a pose beside clips counts against one in a clip."""

NOTICEABLE = 3e-5
"""Fraction of the mesh's diagonal, 0.05 mm on a human, by which former weights must be better to come back on
frames that are not played."""

ROUNDING = 1e-6
"""The same on frames that are played, where nothing may get worse."""


@dataclass(frozen=True)
class Figures:
    """Distances over vertices and frames, in the unit of the positions. nearly_all: 99.9% are within it."""

    largest: float
    nearly_all: float
    root_mean_square: float


def distances(wanted: Wanted, skin: Skin) -> NDArray[np.float32]:
    """Return how far each vertex lies from where it is wanted at each frame, (V, F)."""
    points = PointsOfSkin(skin.normalised(), wanted.rest)
    found = scratch((wanted.vertex_count, len(wanted.positions)), np.float32)
    step = max(1, 4_000_000 // max(1, 3 * wanted.vertex_count))
    for first in range(0, len(wanted.positions), step):
        frames = slice(first, first + step)
        moved = points.moved(wanted.finals[frames])
        off = wanted.stretched(moved - wanted.positions[frames].transpose(1, 0, 2))
        found[:, frames] = np.sqrt(np.einsum("vfc,vfc->vf", off, off))
    return found


def figures(found: NDArray[np.float32], frames: NDArray[np.bool_] | None = None) -> Figures:
    """Summarize distances (V, F) of some frames (F,), all if left out; all 0 if there are none."""
    count = len(found) * int(found.shape[1] if frames is None else frames.sum())
    if not count:
        return Figures(0.0, 0.0, 0.0)
    # As numpy's quantile has it, between two of the largest.
    place = NEARLY_ALL * (count - 1)
    kept = count - int(place)
    largest, squares = np.empty(0, dtype=np.float32), 0.0
    for rows in row_blocks(found):
        block = found[rows] if frames is None else found[rows][:, frames]
        squares += float(np.square(block, dtype=np.float64).sum())
        largest = np.concatenate([largest, block.reshape(-1)])
        if len(largest) > kept:
            largest = np.partition(largest, len(largest) - kept)[-kept:]
    largest = np.sort(largest)
    share = place - int(place)
    nearly_all = largest[0] + share * (largest[min(1, kept - 1)] - largest[0])
    return Figures(float(largest[-1]), float(nearly_all), float(np.sqrt(squares / count)))


def figures_by_source(
    wanted: Wanted, found: NDArray[np.float32], frames: NDArray[np.bool_] | None = None
) -> dict[str, Figures]:
    """Summarize the distances (V, F) of each source's frames, by its name. frames: (F,) those that are asked
    for, all if left out.
    """
    asked = np.ones(len(wanted.sources), dtype=np.bool_) if frames is None else frames
    return {
        name: figures(found, of_source)
        for index, name in enumerate(wanted.names)
        if (of_source := asked & (wanted.sources == index)).any()
    }


def furthest(found: NDArray[np.float32], frames: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Return each vertex's largest distance (V,) over some frames (F,), 0 without any."""
    result = np.zeros(len(found), dtype=np.float32)
    for rows in row_blocks(found):
        result[rows] = found[rows][:, frames].max(axis=1, initial=0.0)
    return result


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
    clips: NDArray[np.integer],
    size: float,
    *,
    alike: Alike | None = None,
) -> Judged:
    """Find the vertices whose former weights have to come back, since their largest distance grew.

    before, after: (V, F) distances with former and with fitted weights. held_out: (F,) frames that the fit has
    not seen, at least one: they decide, unless former weights were still worse on the others. clips: (F,) the
    number of the clip that plays each frame, -1 for poses that are only tried: no vertex is further off in all
    clips than before, and in none further than any vertex was; a distance in a pose counts `IN_POSES` of one in
    a clip. size: of the mesh. alike: vertices that get former weights back together, by the one that is
    furthest off; each by itself if left out.
    """
    played = clips >= 0

    def most(off: NDArray[np.float32], frames: NDArray[np.bool_]) -> NDArray[np.float32]:
        in_clips, in_poses = (furthest(off, frames & of_kind) for of_kind in (played, ~played))
        largest = np.maximum(in_clips, IN_POSES * in_poses)
        return largest if alike is None else alike.most(largest)

    every = np.ones_like(held_out)
    unseen = most(after, held_out) > most(before, held_out) + NOTICEABLE * size
    nearer = most(after, every) < most(before, every)
    returned = unseen & ~nearer
    for number in (None, *np.unique(clips[played]).tolist()):
        of_clip = played if number is None else clips == number
        former = most(before, of_clip)
        # In one clip a vertex may lose what it gains in another, but not more than the worst there loses.
        limit = former if number is None else former.max(initial=0.0)
        returned |= most(after, of_clip) > limit + ROUNDING * size
    return Judged(returned, unseen & ~returned)
