"""What plays between two keys: which of them, and how far on the way."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

EVEN = 1.0
"""Every turn keeps an even speed, as glTF wants (appendix C.4)."""

CHORD = -1.0
"""Every turn goes along the chord."""


def around(keys: Array, frames: ArrayLike) -> tuple[NDArray[np.intp], NDArray[np.intp], Array]:
    """Return the keys before and after frames (...), by their numbers, and the shares of the way between."""
    wanted = np.clip(np.asarray(frames, dtype=np.float64), keys[0], keys[-1])
    after = np.clip(np.searchsorted(keys, wanted), min(1, len(keys) - 1), len(keys) - 1)
    before = np.maximum(after - 1, 0)
    length = keys[after] - keys[before]
    share = np.where(length > 0, (wanted - keys[before]) / np.where(length > 0, length, 1), 0.0)
    return before, after, share


def turned(one: Array, other: Array, share: Array, straight: float) -> Array:
    """Return the rotations (N, 4) at a share (N, 1) of the short way from one to the other.

    The angle is that of the chord, since a cosine of nearly 1 has lost it. straight: turns
    whose half has a greater cosine go along the chord.
    """
    other = np.where(np.einsum("nc,nc->n", one, other)[:, None] < 0, -other, other)
    chord, sum_ = (np.linalg.norm(each, axis=1, keepdims=True) for each in (other - one, other + one))
    angle = 2 * np.arctan2(chord, sum_)
    sine = np.sin(angle)
    with np.errstate(invalid="ignore", divide="ignore"):
        start = np.where(sine > 0, np.sin((1 - share) * angle) / sine, 1 - share)
        end = np.where(sine > 0, np.sin(share * angle) / sine, share)
    evenly = start * one + end * other
    if straight >= EVEN:
        return evenly
    along = one + (other - one) * share
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    return np.where(np.cos(angle) > straight, along, evenly)
