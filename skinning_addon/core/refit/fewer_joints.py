"""Fewer joints for a mesh than it was authored with: what an engine's palette has no room for moves as another.

A joint's vertices go to the joint that moves them most alike in all frames, one joint after another, the one
that is missed least first. Weights are fitted to the joints that are left afterwards.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..skinning.joints import NO_BONE
from ..skinning.skin import Skin
from .wanted import Wanted


def used_joints(skin: Skin) -> NDArray[np.intp]:
    """Return the joints (n,) that move any vertex, in order; joint 0 moves none."""
    joints = np.unique(skin.joints[skin.weights > 0]).astype(np.intp)
    return joints[joints != NO_BONE]


def with_fewer_joints(skin: Skin, wanted: Wanted, count: int, mirrored_joints: NDArray[np.integer]) -> Skin:
    """Return a skin that uses at most `count` joints, at least one; the same if it does already.

    mirrored_joints: see `find_twins`. Of both sides the same joints are left: weights of both are fitted alike.
    """
    if len(used_joints(skin)) <= count:
        return skin
    stands_for = _Merging(skin.normalised(), wanted, mirrored_joints).down_to(max(1, count))
    return _summed(Skin(skin.starts, stands_for[skin.joints].astype(np.int32), skin.weights))


class _Merging:
    """The n used joints, by their place among them, and the cost if the vertices of one followed another: the
    sum over frames of squared lengths, each times the square of its weight.
    """

    def __init__(self, skin: Skin, wanted: Wanted, mirrored_joints: NDArray[np.integer]) -> None:
        self._used = used_joints(skin)
        self._rest = np.c_[wanted.rest, np.ones(wanted.vertex_count)]
        self._weights = np.zeros((skin.vertex_count, len(self._used)))
        self._joint_count = wanted.finals.shape[1]
        place = np.full(self._joint_count, -1, dtype=np.intp)
        place[self._used] = np.arange(len(self._used))
        own = place[skin.joints] >= 0
        np.add.at(self._weights, (skin.vertex_of_influence[own], place[skin.joints[own]]), skin.weights[own])
        frames = np.repeat(np.sqrt(wanted.counts), 3)
        self._moves = wanted.by_joint[self._used] * frames
        image = np.asarray(mirrored_joints, dtype=np.intp)[self._used]
        self._mirrored = np.where(image >= 0, place[image], -1)

    def down_to(self, count: int) -> NDArray[np.intp]:
        """Return the joint (J,) that stands for each joint."""
        stands_for, there = np.arange(len(self._used)), np.ones(len(self._used), dtype=np.bool_)
        costs = np.array([self._costs(one) for one in stands_for.tolist()])
        while there.sum() > count:
            one, other = divmod(int(costs.argmin()), len(costs))
            if not np.isfinite(costs[one, other]):
                # What is left of both sides can only go to each other.
                self._mirrored[:] = -1
                for left in np.flatnonzero(there).tolist():
                    costs[left] = np.where(there, self._costs(left), np.inf)
                continue
            for gone, to in self._both_sides(one, other):
                self._weights[:, to] += self._weights[:, gone]
                self._weights[:, gone] = 0.0
                stands_for[stands_for == gone] = to
                there[gone] = False
                costs[gone] = costs[:, gone] = np.inf
                costs[to] = np.where(there, self._costs(to), np.inf)
        result = np.arange(self._joint_count, dtype=np.intp)
        result[self._used] = self._used[stands_for]
        return result

    def _both_sides(self, one: int, other: int) -> list[tuple[int, int]]:
        """Return which joint goes to which, with those of the other side."""
        image, to = int(self._mirrored[one]), int(self._mirrored[other])
        return [(one, other)] if image in (-1, one) else [(one, other), (image, other if to < 0 else to)]

    def _costs(self, one: int) -> NDArray[np.float64]:
        """Return what it costs if a joint's vertices follow each other joint instead, (n,)."""
        weights = self._weights[:, one]
        held = weights > 0
        shares = self._rest[held] * weights[held, None]
        # The squared distances of all vertices at once, by the 4 x 4 moments of their places at rest.
        values, axes = np.linalg.eigh(shares.T @ shares)
        root = np.sqrt(np.maximum(values, 0.0))[:, None] * axes.T
        apart = root @ (self._moves - self._moves[one])
        costs = np.einsum("nkf,nkf->n", apart, apart)
        costs[one] = np.inf
        image = int(self._mirrored[one])
        if image >= 0:
            # Neither of two sides stands for the other, nor one side for the middle.
            sides = (self._mirrored >= 0) & (self._mirrored != np.arange(len(costs)))
            costs[sides if image == one else image] = np.inf
        return costs


def _summed(skin: Skin) -> Skin:
    """Return a skin in which no vertex has a joint twice."""
    pairs = skin.vertex_of_influence.astype(np.int64) * (int(skin.joints.max(initial=0)) + 1) + skin.joints
    _, first, inverse = np.unique(pairs, return_index=True, return_inverse=True)
    weights = np.bincount(inverse.reshape(-1), skin.weights, minlength=len(first)).astype(skin.weights.dtype)
    return Skin.from_entries(skin.vertex_of_influence[first], skin.joints[first], weights, skin.vertex_count)
