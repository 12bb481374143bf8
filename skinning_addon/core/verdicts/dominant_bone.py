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


def moving_influences(one: Pass) -> MovingInfluences:
    """List the influences that move a vertex, by bone: all joints of a bendy bone are that bone."""
    skin = one.skin
    owner = skin.vertex_of_influence
    bones = one.joints.bone[skin.joints]
    kept = (skin.weight_sums[owner] > SMALLEST_MOVING_SUM) & (skin.weights != 0) & (bones >= 0)
    vertex = owner[kept]
    return MovingInfluences(vertex, bones[kept], skin.weights[kept] / skin.weight_sums[vertex])


def dominant_bones(passes: Sequence[Pass], vertex_count: int) -> DominantBones:
    """Find the bone with the largest share at each vertex, adding up the joints of bendy bones."""
    largest = np.zeros(vertex_count)
    pass_index = np.full(vertex_count, -1, dtype=np.intp)
    dominant = np.full(vertex_count, -1, dtype=np.intp)
    for index, one in enumerate(passes):
        vertex, bones, weight = moving_influences(one)
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
