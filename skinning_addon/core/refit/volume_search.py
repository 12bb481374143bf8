"""Which helper bones bring vertices nearer that Preserve Volume moves: blends as in `volume_blend`.

What such a blend does is no quadratic form of its drivers' shares, so they are not solved for, as those of
`helper_search` are. Tried are the authored weights of vertices, gathered on few joints (`few_drivers`), since
a vertex moves in Blender just as the blend by all of its weights does. Helpers are placed one after another,
each where it saves most, if vertices go part of the way from where they are to where it takes them. They are
placed in steps; in between weights are fitted, so that later ones see what earlier ones have left.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..blending.clip_skinning import PointsOfSkin
from ..skinning.skin import Skin
from .few_drivers import few_drivers
from .helper_bones import DRIVERS, Blends
from .volume_blend import JointMotions
from .wanted import Wanted

FURTHEST = 3000
"""Vertices that are looked at, those that are furthest off."""

SEEDS = 160
"""Vertices whose authored weights are tried in each step; a half of them are the furthest off."""

OF_VARIED = 4
"""One of so many poses beside clips is looked at."""

IMPORTANCE_OF_VARIED = 0.1
"""What distances in these count beside those in clips."""

SHARPNESS = 6
"""Distances count by this power: the largest far more than others."""

STEPS = 6
"""Helpers are placed in so many steps."""

NEAR = 0.1
"""Vertices that follow a helper's drivers by less than this are not looked at for it."""

SAME_SHARES = 1e-3


def frames_looked_at(wanted: Wanted) -> NDArray[np.intp]:
    """Return the frames (n,) that a search looks at: those of clips, and some poses beside them."""
    clips, poses = np.flatnonzero(wanted.in_clips), np.flatnonzero(~wanted.in_clips)
    return np.concatenate([clips, poses[::OF_VARIED]])


def importance(wanted: Wanted) -> NDArray[np.float64]:
    """Return what distances count at each frame, (F,)."""
    return np.where(wanted.in_clips, 1.0, IMPORTANCE_OF_VARIED)


class VolumeSearch:
    """Places helpers for one mesh.

    wanted: at the frames that are looked at, and `motions` of its joints there. off: (V,) how far off each
    vertex is without helpers; those with 0 are not looked at. mirrored_joints: (J,) the joint on the other
    side, -1 if there is none.
    """

    def __init__(
        self,
        wanted: Wanted,
        motions: JointMotions,
        authored: Skin,
        off: NDArray[np.floating],
        mirrored_joints: NDArray[np.integer],
    ) -> None:
        order = np.argsort(-off, kind="stable")[:FURTHEST]
        self._vertices = order[off[order] > 0]
        self._mirrored = np.asarray(mirrored_joints, dtype=np.intp)
        self._points = _Points(
            np.c_[wanted.rest[self._vertices], np.ones(len(self._vertices))],
            wanted.rows(self._vertices),
            importance(wanted),
            _dense(authored.normalised(), self._vertices, len(self._mirrored)),
        )
        self._motions, self._finals = motions, wanted.finals
        self._shares: list[NDArray[np.float64]] = []
        self._other: list[int] = []

    @property
    def blends(self) -> Blends:
        """What has been placed so far."""
        joints = len(self._mirrored)
        shares = np.array(self._shares).reshape(-1, joints)
        return Blends(shares, np.array(self._other, dtype=np.intp), np.ones(len(shares), dtype=np.bool_))

    def place(self, skin: Skin, wanted: Wanted, room: int) -> None:
        """Add helpers for at most `room` bones. skin: as it is played with those there are, over the joints of
        `wanted`, at the frames that are looked at.
        """
        if not len(self._vertices) or room <= 0:
            return
        moved = PointsOfSkin(skin.normalised(), wanted.rest).moved(wanted.finals)[self._vertices]
        trial = _Trial(self._points, moved.reshape(len(moved), -1))
        tried = [self._blend(shares) for shares in self._tried(trial.left)]
        for blend in tried:
            trial.look(blend, blend.near)
        while tried:
            best = max(tried, key=lambda one: one.saves)
            image = self._image(best.shares)
            room -= 1 if image is None else 2
            if best.saves <= 0 or room < 0:
                return
            number = len(self._shares)
            self._shares.append(best.shares)
            self._other.append(number)
            changed = trial.take(best)
            if image is not None:
                self._shares.append(image)
                self._other[number:] = [number + 1, number]
                changed |= trial.take(self._blend(image))
            for blend in tried:
                trial.look(blend, blend.near[changed[blend.near]])

    def _blend(self, shares: NDArray[np.float64]) -> _Blend:
        matrices = self._motions.blended(shares[None])[:, 0, :, :3]
        near = np.flatnonzero(self._points.weights[:, shares > 0].sum(axis=1) > NEAR)
        beside = matrices.transpose(1, 0, 2).reshape(4, -1)
        return _Blend(shares, beside, near, np.zeros(len(self._vertices)))

    def _tried(self, left: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the blends that are tried, (n, J). left: (n,), how far off vertices are."""
        order = np.argsort(-left, kind="stable")
        furthest = np.arange(min(len(order), SEEDS // 2))
        spread = np.linspace(0, len(order) - 1, min(len(order), SEEDS // 2)).astype(np.intp)
        picked = order[np.union1d(furthest, spread)]
        found = np.zeros((len(picked), len(self._mirrored)))
        for row, number in zip(found, picked.tolist(), strict=True):
            weights = self._points.weights[number]
            # What does not move can't drive.
            joints = 1 + np.flatnonzero(weights[1:])
            moved = (self._points.rest[number] @ self._finals[:, joints])[..., :3]
            row[joints] = few_drivers(weights[joints], moved, DRIVERS)
        found = found[(found > 0).sum(axis=1) > 1]
        return found / found.sum(axis=1, keepdims=True)

    def _image(self, shares: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """Return the blend of the other side; None if there is none, or it is the same."""
        drivers = np.flatnonzero(shares)
        if (self._mirrored[drivers] < 0).any():
            return None
        image = np.zeros_like(shares)
        image[self._mirrored[drivers]] = shares[drivers]
        return image if np.abs(image - shares).max() > SAME_SHARES else None


@dataclass(frozen=True, eq=False)
class _Points:
    """The n vertices that are looked at. rest: (n, 4), with a one behind. wanted: (n, 3 F). importance: (F,).
    weights: (n, J), as authored.
    """

    rest: NDArray[np.float64]
    wanted: NDArray[np.float64]
    importance: NDArray[np.float64]
    weights: NDArray[np.float64]

    def furthest(self, off: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the largest distance, as frames count, of vertices that are so far off, (m, 3 F)."""
        squares = np.square(off).reshape(len(off), len(self.importance), 3).sum(axis=2)
        return np.sqrt((squares * np.square(self.importance)).max(axis=1, initial=0.0))


@dataclass(frozen=True, eq=False)
class _Blend:
    """A helper that is tried. shares: (J,). beside: (4, 3 F), what it does to the rest mesh. near: (m,) the
    vertices that it may serve. saved: (n,), what it saves at each.
    """

    shares: NDArray[np.float64]
    beside: NDArray[np.float64]
    near: NDArray[np.intp]
    saved: NDArray[np.float64]

    @property
    def saves(self) -> float:
        """What it saves at all vertices."""
        return float(self.saved.sum())


class _Trial:
    """Where vertices are if they go part of the way to helpers, one after another.

    left: (n,), how far off they are at most, as frames count.
    """

    def __init__(self, points: _Points, moved: NDArray[np.floating]) -> None:
        self._points = points
        self._counts = np.repeat(np.square(points.importance), 3)
        self._off = moved - points.wanted
        self.left = points.furthest(self._off)

    def look(self, blend: _Blend, vertices: NDArray[np.intp]) -> None:
        """Find out what a blend saves at some vertices."""
        left = self._points.furthest(self._part_way(blend, vertices))
        blend.saved[vertices] = np.maximum(self.left[vertices] ** SHARPNESS - left**SHARPNESS, 0.0)

    def take(self, blend: _Blend) -> NDArray[np.bool_]:
        """Let vertices go where a blend brings them nearer; return which do, (n,)."""
        off = self._part_way(blend, blend.near)
        left = self._points.furthest(off)
        nearer = left < self.left[blend.near]
        changed = np.zeros(len(self.left), dtype=np.bool_)
        changed[blend.near[nearer]] = True
        self._off[changed], self.left[changed] = off[nearer], left[nearer]
        return changed

    def _part_way(self, blend: _Blend, vertices: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return how far off vertices are (m, 3 F) if they go as far towards a blend as is best."""
        now = self._off[vertices]
        way = self._points.rest[vertices] @ blend.beside - self._points.wanted[vertices] - now
        length = np.square(way) @ self._counts
        part = -((now * way) @ self._counts) / np.where(length > 0, length, 1.0)
        return now + np.clip(part, 0.0, 1.0)[:, None] * way


def _dense(skin: Skin, vertices: NDArray[np.intp], joints: int) -> NDArray[np.float64]:
    """Return the weights of some vertices, (n, J)."""
    place = np.full(skin.vertex_count, -1, dtype=np.intp)
    place[vertices] = np.arange(len(vertices))
    own = place[skin.vertex_of_influence] >= 0
    found = np.zeros((len(vertices), joints))
    np.add.at(found, (place[skin.vertex_of_influence[own]], skin.joints[own]), skin.weights[own])
    return found
