"""Bones that may leave their authored motion, and how strongly each is held to it.

A bone is held by points around its head that follow it alone, and are wanted where its authored motion takes
them: what a vertex is to the fit, six such points are to the hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..skinning.skin import Skin
from .rigid_bones import Axes, Moments, Tether, own_axes, scaled_along, scaled_along_under, turning_on_from

HELD_AUTHORED = 0.03
"""How strongly an authored bone is held to its motion, against all that follows it."""

HELD_HELPER = 1e-3
"""The same of a helper bone, which nobody has authored."""

SERVES = 0.02
"""An authored bone may move if at least this share of what follows it (by squared weights) is off."""


USUAL_DRIFT = 0.005
"""How far the head of an authored bone may leave its place, as a part of the rig's size."""

USUAL_TURN = 10.0
"""By how many degrees an authored bone may be turned."""


@dataclass(frozen=True)
class DriftLimit:
    """How far an authored bone may leave its motion at any frame. distance: of its head. degrees: of turn."""

    distance: float = np.inf
    degrees: float = 180.0


NO_LIMIT = DriftLimit()


@dataclass(frozen=True, eq=False)
class FreeBones:
    """N of J joints.

    joints: (N,). helper: (N,) bool. axes: (N, 3, 3), at rest; helpers may be scaled along them. heads: (N, 3),
    at rest. lengths: (N,), how far from its head the points stand that hold a bone, at least. authored: (F, N,
    4, 4), finals. limit: of authored bones; helpers have none. hanging: whether each helper hangs on what
    `authored` has for it, as clip bones do, and not on a parent that is chosen later.
    """

    joints: NDArray[np.intp]
    helper: NDArray[np.bool_]
    axes: NDArray[np.float64]
    heads: NDArray[np.float64]
    lengths: NDArray[np.float64]
    authored: NDArray[np.float64]
    limit: DriftLimit = NO_LIMIT
    hanging: bool = False

    def may(self) -> list[Axes]:
        """Return what each bone may do."""
        return [self._may(number, self.authored[:, number, :3, :3]) for number in range(len(self.joints))]

    def _may(self, number: int, authored: NDArray[np.float64]) -> Axes:
        if not self.helper[number]:
            return turning_on_from(authored, self.limit.degrees)
        if self.hanging:
            return scaled_along_under(self.axes[number], authored)
        return scaled_along(self.axes[number])

    def tethers(self) -> list[Tether | None]:
        """Return what holds each bone's head; none for helpers, and without a limit."""
        return [
            None
            if self.helper[number] or np.isinf(self.limit.distance)
            else Tether(
                self.heads[number],
                (np.append(self.heads[number], 1.0) @ self.authored[:, number])[:, :3],
                self.limit.distance,
            )
            for number in range(len(self.joints))
        ]

    def hold(self, found: Moments) -> None:
        """Add the points that hold the bones, in place."""
        for number in range(len(self.joints)):
            own = found.carried[number, :, number]
            mass = own[3, 3]
            if mass <= 0:
                continue
            middle = own[3, :3] / mass
            spread = np.trace(own[:3, :3]) / mass - middle @ middle
            away = max(np.sqrt(max(spread, 0.0) / 3), self.lengths[number])
            around = np.concatenate([self.axes[number], -self.axes[number]]) * away
            points = np.c_[self.heads[number] + around, np.ones(6)]
            strength = (HELD_HELPER if self.helper[number] else HELD_AUTHORED) * mass / 6
            held = strength * points.T @ points
            moved = (self.authored[:, number] - np.eye(4))[..., :3]
            found.carried[number, :, number] += held
            found.wanted[number] += np.einsum("ab,fbc->afc", held, moved)


def free_joints(
    skins: Sequence[Skin],
    off: Sequence[NDArray[np.bool_]],
    held: NDArray[np.bool_],
    helper: NDArray[np.bool_],
) -> NDArray[np.intp]:
    """Return the joints that may move: all helpers, and those that enough of what is off follows.

    skins: of each mesh. off: for each, (V,) the vertices that are off. held: (J,) joints that may not move.
    helper: (J,).
    """
    whole, serving = np.zeros(len(held)), np.zeros(len(held))
    for skin, marked in zip(skins, off, strict=True):
        squares = np.square(skin.weights, dtype=np.float64)
        np.add.at(whole, skin.joints, squares)
        np.add.at(serving, skin.joints, squares * marked[skin.vertex_of_influence])
    return np.flatnonzero(~held & (helper | ((serving > SERVES * whole) & (whole > 0))))


def axes_of_followers(
    skins: Sequence[Skin], rests: Sequence[NDArray[np.float64]], joint: int
) -> NDArray[np.float64] | None:
    """Return the axes (3, 3) of what follows a joint, see `own_axes`; None if that is too little for any.

    rests: (V, 3) of each mesh.
    """
    points: list[NDArray[np.float64]] = []
    for skin, rest in zip(skins, rests, strict=True):
        own = skin.joints == joint
        vertices = rest[skin.vertex_of_influence[own]]
        points.append(np.c_[vertices, np.ones(len(vertices))] * skin.weights[own, None])
    every = np.concatenate(points)
    return own_axes(every.T @ every) if len(every) > 3 else None
