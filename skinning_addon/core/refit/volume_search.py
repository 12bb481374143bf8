"""Which helper bones bring vertices nearer that Preserve Volume moves: blends as in `volume_blend`.

What such a blend does is no quadratic form of its drivers' shares, so they are not solved for, as those of
`helper_search` are. Tried are the authored weights of vertices, gathered on few joints (`few_drivers`), since
a vertex moves in Blender just as the blend by all of its weights does. Helpers are placed in steps; in between
weights are fitted, so that later ones see what earlier ones have left.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..skinning.skin import Skin
from .few_drivers import few_drivers
from .helper_bones import DRIVERS, Blends
from .volume_blend import JointMotions
from .wanted import Wanted

FURTHEST = 3000
"""Vertices that are looked at, those that are furthest off."""

SEEDS = 400
"""Vertices whose authored weights are tried; a third of them are the furthest off."""

OF_VARIED = 4
"""One of so many poses beside clips is looked at."""

IMPORTANCE_OF_VARIED = 1 / 3
"""What distances in these count beside those in clips."""

SHARPNESS = 8
"""Distances count by this power: nearly the largest alone."""

STEPS = 4
"""Helpers are placed in so many steps."""

SAME_SHARES = 1e-3


def importance(wanted: Wanted) -> NDArray[np.float64]:
    """Return what distances count at each frame, (F,)."""
    return np.where(wanted.in_clips, 1.0, IMPORTANCE_OF_VARIED)


class VolumeSearch:
    """Places helpers for one mesh.

    wanted: at frames that the fit may see, and `motions` of its joints there. off: (V,) how far off each vertex
    is without helpers; those with 0 are not looked at. mirrored_joints: (J,) the joint on the other side, -1 if
    there is none.
    """

    def __init__(
        self,
        wanted: Wanted,
        motions: JointMotions,
        authored: Skin,
        off: NDArray[np.floating],
        mirrored_joints: NDArray[np.integer],
    ) -> None:
        clips, poses = np.flatnonzero(wanted.in_clips), np.flatnonzero(~wanted.in_clips)
        frames = np.concatenate([clips, poses[::OF_VARIED]])
        order = np.argsort(-off, kind="stable")[:FURTHEST]
        self._vertices = order[off[order] > 0]
        self._rest = np.c_[wanted.rest[self._vertices], np.ones(len(self._vertices))]
        self._wanted = wanted.positions[frames][:, self._vertices].astype(np.float64)
        self._importance = importance(wanted)[frames]
        self._motions = motions.of_frames(frames)
        self._mirrored = np.asarray(mirrored_joints, dtype=np.intp)
        self._seeds = self._tried(authored, wanted.finals[frames])
        self._reached = np.array([self._reach(one) for one in self._seeds])
        self._shares: list[NDArray[np.float64]] = []
        self._other: list[int] = []

    @property
    def blends(self) -> Blends:
        """What has been placed so far."""
        joints = len(self._mirrored)
        shares = np.array(self._shares).reshape(-1, joints)
        return Blends(shares, np.array(self._other, dtype=np.intp), np.ones(len(shares), dtype=np.bool_))

    def place(self, left: NDArray[np.floating], room: int) -> None:
        """Add helpers for at most `room` bones. left: (V,) how far off vertices are with those there are."""
        now = left[self._vertices].astype(np.float64)
        while room > 0 and len(self._seeds):
            saved = np.maximum(now**SHARPNESS - np.minimum(now, self._reached) ** SHARPNESS, 0.0).sum(axis=1)
            best = int(saved.argmax())
            if saved[best] <= 0:
                return
            now = np.minimum(now, self._reached[best])
            shares = self._seeds[best]
            image = self._image(shares)
            room -= 1 if image is None else 2
            if room < 0:
                return
            number = len(self._shares)
            self._shares.append(shares)
            self._other.append(number)
            if image is not None:
                self._shares.append(image)
                self._other[number:] = [number + 1, number]
                now = np.minimum(now, self._reach(image))

    def _tried(self, authored: Skin, finals: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the blends that are tried, (n, J). finals: (F, J, 4, 4), at the frames that are looked at."""
        count = len(self._vertices)
        spread = (
            np.linspace(0, count - 1, min(count, SEEDS)).astype(np.intp) if count else np.empty(0, np.intp)
        )
        picked = np.union1d(np.arange(min(count, SEEDS // 3)), spread)
        skin = authored.normalised()
        found = np.zeros((len(picked), len(self._mirrored)))
        for row, number in zip(found, picked.tolist(), strict=True):
            vertex = self._vertices[number]
            own = slice(skin.starts[vertex], skin.starts[vertex + 1])
            joints, weights = skin.joints[own], skin.weights[own].astype(np.float64)
            # What does not move can't drive.
            weights = np.where(joints > 0, weights, 0.0)
            moved = (self._rest[number] @ finals[:, joints])[..., :3]
            row[joints] = few_drivers(weights, moved, DRIVERS)
        found = found[(found > 0).sum(axis=1) > 1]
        return found / found.sum(axis=1, keepdims=True)

    def _reach(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how far off the vertices would be at most if they followed a blend alone, (n,)."""
        blended = self._motions.blended(shares[None])[:, 0]
        off = np.linalg.norm((self._rest @ blended)[..., :3] - self._wanted, axis=2)
        return (off * self._importance[:, None]).max(axis=0)

    def _image(self, shares: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """Return the blend of the other side; None if there is none, or it is the same."""
        drivers = np.flatnonzero(shares)
        if (self._mirrored[drivers] < 0).any():
            return None
        image = np.zeros_like(shares)
        image[self._mirrored[drivers]] = shares[drivers]
        return image if np.abs(image - shares).max() > SAME_SHARES else None
