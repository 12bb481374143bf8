"""Limits on influences per vertex: what exporters and importers drop, and whether the rest is normalised.

Each function returns another skin and leaves the order of a vertex's influences as it is, unless it says
otherwise.
"""

from __future__ import annotations

from enum import Enum

import numpy as np
from numpy.typing import NDArray

from ..skinning.skin import Skin, from_entries
from ..text.errors import InvalidArrayError


class Keep(Enum):
    """Which influences to keep if there are too many."""

    LARGEST = "largest"
    FIRST = "first"
    """Those stored first, as kept by readers that only look at the first set of four."""
    BONE_ORDER = "bone-order"
    """Those of the first bones, in that order: what a loader keeps when it loops over bones, then their
    vertices."""


class Normalise(Enum):
    """Which vertices to normalise."""

    NEVER = "never"
    ALWAYS = "always"
    CUT = "cut"
    """Only those that lost an influence."""


def without_small(skin: Skin, smallest: float) -> Skin:
    """Drop influences whose weight is `smallest` or less."""
    return _kept(skin, skin.weights > smallest)


def largest_first(skin: Skin) -> Skin:
    """Sort every vertex's influences, largest weight first; equal ones stay in order."""
    order = np.lexsort((-skin.weights, skin.vertex_of_influence))
    return Skin(skin.starts, skin.joints[order], skin.weights[order])


def limited(skin: Skin, influences: int, keep: Keep) -> Skin:
    """Keep at most `influences` (1 or more) a vertex. With BONE_ORDER they come out sorted by joint, even if
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
        order = np.lexsort((skin.joints, owner))
        skin = Skin(skin.starts, skin.joints[order], skin.weights[order])
    return _kept(skin, np.arange(len(owner)) - skin.starts[owner] < influences)


def summing_to_one(skin: Skin, vertices: NDArray[np.bool_] | None = None) -> Skin:
    """Divide weights by their sum, for the vertices (V,) that are marked, or all; those without weight stay as
    they are.
    """
    sums = skin.weight_sums
    divided = sums != 0 if vertices is None else vertices & (sums != 0)
    divisor = np.where(divided, sums, 1.0)[skin.vertex_of_influence]
    return Skin(skin.starts, skin.joints, (skin.weights / divisor).astype(np.float32))


def normalised_after(before: Skin, after: Skin, rule: Normalise) -> Skin:
    """Normalise a skin that was limited from `before`, by an importer's rule."""
    if rule is Normalise.NEVER:
        return after
    return summing_to_one(after, after.counts < before.counts if rule is Normalise.CUT else None)


def _kept(skin: Skin, kept: NDArray[np.bool_]) -> Skin:
    if kept.all():
        return skin
    return from_entries(
        skin.vertex_of_influence[kept], skin.joints[kept], skin.weights[kept], skin.vertex_count
    )
