"""Many frames skinned at once: linear blending as a few large matrix products, only where two skins differ.

A vertex of k joints is moved through F frames by one product, (1, 4 k) @ (4 k, 3 F). With A for a skin's
points and M for its palettes, two skins of one mesh differ by

    A1 @ M1 - A0 @ M0 = A0 @ (M1 - M0) + (A1 - A0) @ M1

The first term is the same for all skins in one hierarchy, and zero if the hierarchy does not change the
poses; the second only affects vertices that are weighted differently. Small differences keep their precision.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..skinning.joints import Joints
from ..skinning.passes import Pass
from ..skinning.skin import Skin
from .dense_blocks import dense_blocks

SAME_WEIGHT = 1e-6
"""Weights within this of each other are the same weight, rounded differently."""

BLOCK_SIZES = (32, 64)
"""Vertices per product. Extra frames make a product large enough without extra vertices, which bring more
joints."""

ONE_THREAD = 2**18
"""Up to this many multiplications numpy's OpenBLAS computes a product on the calling thread (its
interface/gemm.c). Handing products of this size to other threads takes longer than computing them, much
longer if the other cores are busy with Blender."""

SEGMENTS = 1024
"""More segments than any bendy bone has."""


class PointsOfSkin:
    """Points (V, 3) and their normalised skin, laid out once for any number of poses."""

    def __init__(self, skin: Skin, points: NDArray[np.floating]) -> None:
        self._blocks = dense_blocks(skin, at_any_cost=True, sizes=BLOCK_SIZES)
        self._points = np.ascontiguousarray(points, dtype=np.float32)

    def moved(self, finals: NDArray[np.floating]) -> NDArray[np.float32]:
        """Skin the points through finals (F, J, 4, 4) -> (V, F, 3) float32."""
        frames, blocks = len(finals), self._blocks
        if blocks is None:
            return np.empty((0, frames, 3), dtype=np.float32)
        matrices = np.ascontiguousarray(finals[:, :, :, :3].transpose(1, 2, 0, 3), dtype=np.float32)
        matrices = matrices.reshape(len(matrices), 4, 3 * frames)
        out = np.empty((blocks.length, 3 * frames), dtype=np.float32)
        for chunk in blocks.chunks:
            count, joints, size = chunk.weights.shape
            table = chunk.point_table(self._points)
            by_block = matrices[chunk.joints].reshape(count, 4 * joints, -1)
            columns = max(1, ONE_THREAD // (size * 4 * joints))
            moved = np.empty((count, size, 3 * frames), dtype=np.float32)
            for first in range(0, 3 * frames, columns):
                some = slice(first, first + columns)
                np.matmul(table.transpose(0, 2, 1), by_block[:, :, some], out=moved[:, :, some])
            out.reshape(-1, size, 3 * frames)[chunk.blocks] = moved
        return blocks.in_vertex_order(out).reshape(-1, frames, 3)


def subset_of_skin(skin: Skin, vertices: NDArray[np.intp]) -> Skin:
    """Return the skin of some vertices, numbered from 0 in the given order, which must ascend."""
    number = np.full(skin.vertex_count, -1, dtype=np.intp)
    number[vertices] = np.arange(len(vertices))
    owner = number[skin.vertex_of_influence]
    kept = owner >= 0
    return Skin.from_entries(owner[kept], skin.joints[kept], skin.weights[kept], len(vertices))


def joint_keys(joints: Joints) -> NDArray[np.int64]:
    """Number joints by bone and segment, consistently across an armature's palettes."""
    return joints.bone.astype(np.int64) * SEGMENTS + joints.segment


def differing_vertices(one: Pass, other: Pass) -> NDArray[np.bool_]:
    """Mark the vertices (V,) that two passes of one mesh and armature weight differently, regardless of
    order.
    """
    first, second = (each.skin.normalised() for each in (one, other))
    differ = first.counts != second.counts
    entries = [
        _sorted_entries(skin, joint_keys(each.joints), ~differ)
        for skin, each in ((first, one), (second, other))
    ]
    (owner, keys, weights), (_, other_keys, other_weights) = entries
    unlike = (keys != other_keys) | (np.abs(weights - other_weights) > SAME_WEIGHT)
    differ[owner[unlike]] = True
    return differ


def _sorted_entries(
    skin: Skin, keys: NDArray[np.int64], vertices: NDArray[np.bool_]
) -> tuple[NDArray[np.intp], NDArray[np.int64], NDArray[np.float32]]:
    kept = vertices[skin.vertex_of_influence]
    owner, key, weight = skin.vertex_of_influence[kept], keys[skin.joints[kept]], skin.weights[kept]
    # One sort by a single number: sorting by two takes twice as long.
    first, last = int(key.min(initial=0)), int(key.max(initial=0))
    order = np.argsort(owner * (last - first + 1) + key)
    return owner[order], key[order], weight[order]


class WeightDifference:
    """A1 - A0: the difference in weights between two passes of a mesh, as points with signed weights.

    vertices: those that are weighted differently, ascending. extra: joints that only the other pass has.
    Matrices list the first pass's joints, then these.
    """

    def __init__(self, one: Pass, other: Pass, points: NDArray[np.floating]) -> None:
        """points: (V, 3)."""
        self.vertices = np.flatnonzero(differing_vertices(one, other))
        index_of = {key: number for number, key in enumerate(joint_keys(one.joints).tolist())}
        keys = joint_keys(other.joints).tolist()
        self.extra = np.array(
            [number for number, key in enumerate(keys) if key not in index_of], dtype=np.intp
        )
        index_of |= {keys[number]: len(one.joints) + more for more, number in enumerate(self.extra.tolist())}
        renumbered = np.array([index_of[key] for key in keys], dtype=np.int32)
        added, taken = (subset_of_skin(each.skin.normalised(), self.vertices) for each in (other, one))
        signed = Skin.from_entries(
            np.concatenate((added.vertex_of_influence, taken.vertex_of_influence)),
            np.concatenate((renumbered[added.joints], taken.joints)),
            np.concatenate((added.weights, -taken.weights)),
            len(self.vertices),
        )
        self._points = PointsOfSkin(signed, points[self.vertices])

    @property
    def nothing(self) -> bool:
        """Whether all vertices are weighted alike."""
        return not len(self.vertices)

    def offsets(self, finals: NDArray[np.floating]) -> NDArray[np.float32]:
        """Return (A1 - A0) @ M of the `vertices`, (V, F, 3); finals: (F, J, 4, 4)."""
        return self._points.moved(finals)
