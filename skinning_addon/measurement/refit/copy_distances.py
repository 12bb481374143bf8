"""How far a copy's meshes would be from where Blender has them, laid out and moved together: a character of a
hundred small meshes takes as long as one of few.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ...core.blending.clip_skinning import PointsOfSkin
from ...core.skinning.skin import Skin

VERTICES_AT_ONCE = 16_384
"""Of all the moments and meshes that are skinned together: above this, calls cost little beside the sums."""


@dataclass(frozen=True, eq=False)
class Places:
    """A mesh at a moment: before its armature and at its end, both (V, 3) in the armature's space, and the
    matrix (3, 3) from there to the scene's units.
    """

    rest: NDArray[np.float64]
    wanted: NDArray[np.float64]
    to_world: NDArray[np.float64]

    @classmethod
    def joined(cls, places: Sequence[Places]) -> Places:
        """Put the vertices of an armature's meshes one behind the other."""
        return cls(
            np.concatenate([one.rest for one in places]),
            np.concatenate([one.wanted for one in places]),
            places[0].to_world,
        )


class Shown(Protocol):
    """A moment of a character."""

    def places(self, name: str) -> Places:
        """Return where a mesh is."""
        ...


def largest_distances(
    played: Sequence[Shown], skins: Mapping[str, Skin], finals: NDArray[np.float64]
) -> dict[str, float]:
    """Return the largest distance of each mesh over F moments, scene units, without the meshes whose vertices
    are not one to one.

    skins: over the same joints, by mesh. finals: (F, J, 4, 4), of these joints, in the armature's space.
    """
    result: dict[str, float] = {}
    for some in _some_at_once(_one_to_one(played, skins)):
        result |= _distances_together(played, some, finals)
    return result


def _one_to_one(played: Sequence[Shown], skins: Mapping[str, Skin]) -> dict[str, Skin]:
    """Return the meshes whose vertices are one to one at every moment."""

    def matches(name: str, count: int) -> bool:
        places = [one.places(name) for one in played]
        return all(len(one.rest) == len(one.wanted) == count for one in places)

    return {name: skin for name, skin in skins.items() if matches(name, skin.vertex_count)}


def _some_at_once(skins: Mapping[str, Skin]) -> Iterator[dict[str, Skin]]:
    """Yield meshes in groups of few vertices, or alone: each layout takes a few calls, however small."""
    some: dict[str, Skin] = {}
    for name, skin in skins.items():
        if some and sum(one.vertex_count for one in (*some.values(), skin)) > VERTICES_AT_ONCE:
            yield some
            some = {}
        some[name] = skin
    if some:
        yield some


def _distances_together(
    played: Sequence[Shown], skins: Mapping[str, Skin], finals: NDArray[np.float64]
) -> dict[str, float]:
    """Return the largest distances of meshes that are laid out as one."""
    layouts = _Layouts(Skin.joined(list(skins.values())))
    starts = np.cumsum([0, *(one.vertex_count for one in skins.values())])
    at_once = max(1, VERTICES_AT_ONCE // int(starts[-1]))
    places = [Places.joined([one.places(name) for name in skins]) for one in played]
    largest = np.zeros(len(skins))
    for points, same in groupby(range(len(played)), lambda index: layouts.of(places[index].rest)):
        moments = list(same)
        for first in range(0, len(moments), at_once):
            some = moments[first : first + at_once]
            moved = points.moved(finals[some]).swapaxes(0, 1)
            off = np.ascontiguousarray(moved - np.array([places[one].wanted for one in some]))
            in_world = off @ np.array([places[one].to_world for one in some])
            of_vertex = np.linalg.norm(in_world, axis=2).max(axis=0)
            largest = np.maximum(largest, np.maximum.reduceat(of_vertex, starts[:-1]))
    return dict(zip(skins, largest.tolist(), strict=True))


class _Layouts:
    """A skin, laid out for its points before the armature: once while they stay where they are."""

    def __init__(self, skin: Skin) -> None:
        self.skin = skin.normalised()
        self._last: tuple[NDArray[np.float64], PointsOfSkin] | None = None

    def of(self, points: NDArray[np.float64]) -> PointsOfSkin:
        """Return the layout of points (V, 3)."""
        if self._last is None or not np.array_equal(self._last[0], points):
            self._last = points, PointsOfSkin(self.skin, points)
        return self._last[1]
