"""Limits on influences per vertex: what exporters and importers drop, and whether the rest is normalised.

Each function returns another skin and leaves the order of a vertex's influences as it is, unless it says
otherwise.
"""

from __future__ import annotations

from enum import Enum
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..skinning.skin import BoneSkin, Influences
from ..text.errors import InvalidArrayError

AnySkin = TypeVar("AnySkin", bound=Influences)


class Keep(Enum):
    """Which influences to keep if there are too many."""

    LARGEST = "largest"
    FIRST = "first"
    """Those stored first, as kept by readers that only look at the first set of four."""
    LAST_SET = "last-set"
    """Those of the last set that the mesh has, as kept by readers that overwrite a set with the next one."""
    BONE_ORDER = "bone-order"
    """Those of the first bones, in that order: what a loader keeps when it loops over bones, then their
    vertices."""


class Normalise(Enum):
    """Which vertices to normalise."""

    NEVER = "never"
    ALWAYS = "always"
    CUT = "cut"
    """Only those that lost an influence."""


def without_small(skin: BoneSkin, smallest: float) -> BoneSkin:
    """Drop influences whose weight is `smallest` or less."""
    return _kept(skin, skin.weights > smallest)


def largest_first(skin: BoneSkin) -> BoneSkin:
    """Sort every vertex's influences, largest weight first; equal ones stay in order."""
    return skin.reordered(np.lexsort((-skin.weights, skin.vertex_of_influence)))


def limited(skin: BoneSkin, influences: int, keep: Keep) -> BoneSkin:
    """Keep at most `influences` (1 or more) a vertex. With BONE_ORDER they come out sorted by bone, even if
    none is cut.

    Raises:
        InvalidArrayError: the limit is below 1.
    """
    if keep is Keep.LARGEST:
        return skin.limited(influences)
    if influences < 1:
        raise InvalidArrayError(
            "A vertex can't be limited to {influences} influences; give 1 or more.", influences=influences
        )
    owner = skin.vertex_of_influence
    if keep is Keep.BONE_ORDER:
        skin = skin.reordered(np.lexsort((skin.bones, owner)))
    place = np.arange(len(owner)) - skin.starts[owner]
    if keep is Keep.LAST_SET:
        sets = int(place.max(initial=0)) // influences
        return _kept(skin, place >= sets * influences)
    return _kept(skin, place < influences)


def summing_to_one(skin: AnySkin, vertices: NDArray[np.bool_] | None = None) -> AnySkin:
    """Divide weights by their sum, for the vertices (V,) that are marked, or all; those without weight stay as
    they are.
    """
    sums = skin.weight_sums
    divided = sums != 0 if vertices is None else vertices & (sums != 0)
    divisor = np.where(divided, sums, 1.0)[skin.vertex_of_influence]
    return skin.with_weights(skin.weights / divisor)


def normalised_after(before: BoneSkin, after: BoneSkin, rule: Normalise) -> BoneSkin:
    """Normalise a skin that was limited from `before`, by an importer's rule."""
    if rule is Normalise.NEVER:
        return after
    return summing_to_one(after, after.counts < before.counts if rule is Normalise.CUT else None)


def _kept(skin: BoneSkin, kept: NDArray[np.bool_]) -> BoneSkin:
    return skin if kept.all() else skin.kept(kept)
