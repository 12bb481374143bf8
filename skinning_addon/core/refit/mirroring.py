"""Vertices on both sides of a symmetric character, which get mirrored weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..maths.arrays import sealed
from .candidates import Candidates

SAME_PLACE = 1e-5
"""Fraction of the mesh's diagonal within which a vertex is another one's mirror image."""

SAME_WEIGHT = 1e-3
"""Weights on both sides that differ by less are meant to be equal."""

MIRRORED = np.array([-1.0, 1.0, 1.0])


@dataclass(frozen=True, eq=False)
class Twins:
    """Pairs of vertices, each one the other's mirror image. one, other: (P,), no vertex twice."""

    one: NDArray[np.intp]
    other: NDArray[np.intp]


def find_twins(
    rest: NDArray[np.float64], size: float, chosen: Candidates, mirrored_joints: NDArray[np.integer]
) -> Twins:
    """Find the pairs of vertices that lie, and are weighted, symmetrically about X = 0.

    rest: (V, 3), in the armature's space. size: of the mesh. mirrored_joints: (J,) the joint on the other
    side, itself in the middle, -1 if a joint has no counterpart.
    """
    other = _nearest_mirrored(rest, size * SAME_PLACE or 1.0)
    one = np.flatnonzero((other >= 0) & (other > np.arange(len(rest))))
    both = one[other[other[one]] == one]
    kept = both[_same_weights(chosen, both, other[both], mirrored_joints)]
    return Twins(sealed(kept), sealed(other[kept]))


def mirrored_candidates(
    chosen: Candidates, twins: Twins, mirrored_joints: NDArray[np.integer]
) -> NDArray[np.int32]:
    """Return the joints of `twins.other` in the order of `twins.one`'s, (P, C); where a joint of these has no
    counterpart, -1.
    """
    return np.asarray(mirrored_joints, dtype=np.int32)[chosen.joints[twins.one]]


def _nearest_mirrored(rest: NDArray[np.float64], grid: float) -> NDArray[np.intp]:
    """Return the vertex at each vertex's mirrored place, -1 if there is none or several."""
    found = np.full(len(rest), -1, dtype=np.intp)
    # A place near the border of a cell may be rounded to the next: two grids, shifted by half a cell.
    for shift in (0.0, 0.5):
        cells, mirrored = (np.floor(one / grid + shift).astype(np.int64) for one in (rest, rest * MIRRORED))
        both = np.concatenate([cells, mirrored])
        _, inverse, counts = np.unique(both, axis=0, return_inverse=True, return_counts=True)
        number = inverse.reshape(-1)
        holder = np.full(len(counts), -1, dtype=np.intp)
        holder[number[: len(rest)]] = np.arange(len(rest))
        several = np.bincount(number[: len(rest)], minlength=len(counts)) > 1
        holder[several] = -1
        found = np.where(found < 0, holder[number[len(rest) :]], found)
    return found


def _same_weights(
    chosen: Candidates,
    one: NDArray[np.intp],
    other: NDArray[np.intp],
    mirrored_joints: NDArray[np.integer],
) -> NDArray[np.bool_]:
    """Whether the authored weights of `other` are those of `one`, mirrored, (P,)."""
    images = np.asarray(mirrored_joints)[chosen.joints[one]]
    same = (images[:, :, None] == chosen.joints[other][:, None, :]) & chosen.allowed[other][:, None, :]
    there = np.einsum("pij,pj->pi", same, chosen.former[other])
    wanted = np.where(chosen.allowed[one], chosen.former[one], 0.0)
    there = np.where(chosen.allowed[one], there, 0.0)
    # What is left of the other side's weights belongs to joints that this side does not have.
    return (np.abs(wanted - there).max(axis=1) < SAME_WEIGHT) & (there.sum(axis=1) > 1 - SAME_WEIGHT)
