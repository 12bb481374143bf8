"""Which bone moves a vertex most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..skinning.passes import Pass
from ..skinning.skin import SMALLEST_MOVING_SUM, Skin


class MovingInfluences(NamedTuple):
    """The influences of a pass that move anything.

    vertex: (N,). bone: (N,) index into the skeleton. share: (N,) float64; those of a vertex add up to 1.
    """

    vertex: NDArray[np.intp]
    bone: NDArray[np.int32]
    share: NDArray[np.float64]


class DominantBones(NamedTuple):
    """The bone with the largest share in moving each vertex, over all passes.

    pass_index, bone: (V,); -1 where no bone moves the vertex.
    """

    pass_index: NDArray[np.intp]
    bone: NDArray[np.intp]


def moving_influences(one: Pass, vertex: int | None = None) -> MovingInfluences:
    """List the influences that move a vertex, by bone: all joints of a bendy bone are that bone.

    vertex: the only one to look at; all if left out.
    """
    skin = one.skin
    part = slice(None) if vertex is None else slice(*skin.starts[vertex : vertex + 2].tolist())
    owner, weights = skin.vertex_of_influence[part], skin.weights[part]
    bones = one.joints.bone[skin.joints[part]]
    kept = (skin.weight_sums[owner] > SMALLEST_MOVING_SUM) & (weights != 0) & (bones >= 0)
    moved = owner[kept]
    return MovingInfluences(moved, bones[kept], weights[kept] / skin.weight_sums[moved])


def dominant_bones(passes: Sequence[Pass], vertex_count: int) -> DominantBones:
    """Find the bone with the largest share at each vertex, adding up the joints of bendy bones."""
    return _dominant([moving_influences(one) for one in passes], vertex_count)


def dominant_bone(passes: Sequence[Pass], vertex: int) -> tuple[int, int]:
    """Return the number of a pass and of its bone that `dominant_bones` finds for a single vertex, -1 for none,
    without a look at the others.
    """
    found = (moving_influences(one, vertex) for one in passes)
    alone = _dominant([one._replace(vertex=one.vertex - vertex) for one in found], 1)
    return int(alone.pass_index[0]), int(alone.bone[0])


def _dominant(influences: Sequence[MovingInfluences], vertex_count: int) -> DominantBones:
    """influences: of each pass."""
    largest = np.zeros(vertex_count)
    pass_index = np.full(vertex_count, -1, dtype=np.intp)
    dominant = np.full(vertex_count, -1, dtype=np.intp)
    for index, (vertex, bones, weight) in enumerate(influences):
        bone_count = int(bones.max(initial=0)) + 1
        pair, which = np.unique(vertex * bone_count + bones, return_inverse=True)
        share = np.bincount(which.reshape(-1), weight, minlength=len(pair))
        # Ascending, so that the largest share at a vertex is written last.
        order = np.argsort(share, kind="stable")
        top = np.zeros(vertex_count)
        bone = np.full(vertex_count, -1, dtype=np.intp)
        top[pair[order] // bone_count] = share[order]
        bone[pair[order] // bone_count] = pair[order] % bone_count
        more = top > largest
        largest[more], dominant[more], pass_index[more] = top[more], bone[more], index
    return DominantBones(pass_index, dominant)


def at_vertex(one: Pass, vertex: int) -> Pass:
    """Return the pass for a mesh of just this vertex."""
    begin, end = one.skin.starts[vertex : vertex + 2].tolist()
    starts = np.array((0, end - begin), dtype=np.int32)
    skin = Skin(starts, one.skin.joints[begin:end], one.skin.weights[begin:end])
    amount = None if one.amount is None else one.amount[vertex : vertex + 1]
    return replace(one, skin=skin, amount=amount, following=None)
