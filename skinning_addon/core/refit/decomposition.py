"""Anything that moves, as bones: smooth skinning decomposition.

After Le and Deng, *Smooth Skinning Decomposition with Rigid Bones* (2012): from positions over frames alone,
find bones, their motion and weights. Begin in several ways (`first_bones`); from each find the best weights
for the motion, and the best motion for the weights, in turn (`bone_search`), neither of which makes the error
larger; keep the best.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..maths.sparse_weights import PAIRS
from ..skinning.skin import Skin
from .bone_search import BoneSearch
from .first_bones import first_bones, more_bones
from .judging import figures
from .mesh_motion import MeshMotion, mesh_motion
from .progress import part
from .wanted import Wanted

ROUNDS = 40
"""Rounds of weights and motion at most."""

TRIED = 10
"""Rounds after which only the best of several beginnings go on."""

CLOSE = 1.25
"""Those go on whose root mean square is at most so many times the least."""


@dataclass(frozen=True, eq=False)
class Decomposition:
    """Bones found for a mesh over F frames.

    skin: over joints 1 to N; joint 0 moves nothing and is not used. rest_to_root: (N, 4, 4) float64, without
    scale; the axes are those along which the bones may be scaled. finals: (F, 1 + N, 4, 4) float64, row
    vectors, what each joint does to the rest mesh.
    """

    skin: Skin
    rest_to_root: NDArray[np.float64]
    finals: NDArray[np.float64]


def decompose(
    wanted: Wanted,
    bones: int,
    influences: int,
    *,
    scale: bool = True,
    progress: Callable[[float], None] = lambda _: None,
) -> Decomposition:
    """Find `bones` bones and at most `influences` of them for each vertex.

    wanted: its rest and positions count; its joints do not. scale: whether bones may be scaled along their own
    axes; otherwise they turn and move. progress: called with the finished fraction; it may raise to stop.

    Raises:
        UsageError: too few vertices for so many bones, or nothing moves.
    """
    motion = mesh_motion(wanted, bones)
    first, *more = numbers = _numbers(bones, influences)
    parts = [part(progress, place, len(numbers)) for place in range(len(numbers))]
    search = _searched(motion, first, influences, None, scale=scale, progress=parts[0])
    for number, within in zip(more, parts[1:], strict=True):
        search = _searched(motion, number, influences, search, scale=scale, progress=within)
    return _found(motion, search)


def _numbers(bones: int, influences: int) -> list[int]:
    """Return the numbers of bones to find one after another: see `first_bones`."""
    numbers = [bones]
    while influences == PAIRS and numbers[0] > PAIRS:
        numbers.insert(0, -(-numbers[0] // 2))
    return numbers


def _searched(
    motion: MeshMotion,
    bones: int,
    influences: int,
    fewer: BoneSearch | None,
    *,
    scale: bool,
    progress: Callable[[float], None],
) -> BoneSearch:
    """Search from several beginnings, and keep the best. fewer: a search that has found half of the bones."""
    begun = list(
        first_bones(motion, bones, influences, scale=scale, progress=lambda done: progress(0.2 * done))
    )
    if fewer is not None:
        begun.append(more_bones(fewer, bones))
    for place, one in enumerate(begun):
        one.run(TRIED, part(lambda done: progress(0.2 + 0.3 * done), place, len(begun)))
    least = min(one.error for one in begun)
    left = [one for one in begun if one.error <= CLOSE**2 * least]
    for place, one in enumerate(left):
        one.run(ROUNDS - TRIED, part(lambda done: progress(0.5 + 0.5 * done), place, len(left)))
    return min(left, key=_left) if len(left) > 1 else left[0]


def _left(search: BoneSearch) -> float:
    """Return what a search leaves: in the mean square and at its worst, both of which count."""
    found = figures(search.distances())
    return found.root_mean_square**2 * found.nearly_all * found.largest


def _found(motion: MeshMotion, search: BoneSearch) -> Decomposition:
    bones, frames = len(search.matrices), motion.frame_count
    rest_to_root = np.tile(np.eye(4), (bones, 1, 1))
    rest_to_root[:, :3, :3] = search.axes
    carried = search.weights * motion.shares[:, None]
    rest_to_root[:, 3, :3] = carried.T @ motion.rest / np.maximum(carried.sum(axis=0), 1e-12)[:, None]
    rest_to_root[:, 3, :3] += motion.middle
    finals = np.tile(np.eye(4), (frames, 1 + bones, 1, 1))
    around = finals[:, 1:].copy()
    # A bone that carries nothing stays, wherever it was while it carried something.
    used = (search.weights > 0).any(axis=0)
    around[:, used, :, :3] += search.matrices[used].transpose(2, 0, 1, 3)
    to_middle, from_middle = np.eye(4), np.eye(4)
    to_middle[3, :3], from_middle[3, :3] = -motion.middle, motion.middle
    finals[:, 1:] = to_middle @ around @ motion.whole[:, None] @ from_middle
    of_vertices = search.weights[motion.leading]
    vertices, columns = np.nonzero(of_vertices)
    skin = Skin.from_entries(vertices, 1 + columns, of_vertices[vertices, columns], len(of_vertices))
    return Decomposition(skin, rest_to_root, finals)
