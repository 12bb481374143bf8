"""Derivatives of per-vertex quantities, such as weights and masks, along the surface.

In a triangle a quantity is linear; a vertex averages its triangles, weighted by their angles there, as
Blender averages normals. Along two tangents of the surface that gives two numbers per vertex and quantity.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..maths.vectors import cross, dot
from ..skinning.mesh import SourceMesh
from ..skinning.skin import Skin

CORNERS_AT_ONCE = 1 << 18
"""Triangle corners processed at once, a few dozen numbers each."""


@dataclass(frozen=True, eq=False)
class _Shares:
    """The derivative of any quantity q along the tangents of a vertex is the sum of share * (q of neighbour - q
    of vertex).

    first, last: covers the vertices first to last - 1.
    vertex: (K,), counted from `first`. neighbour: (K,). share: (2, K) float64.
    """

    first: int
    last: int
    vertex: NDArray[np.intp]
    neighbour: NDArray[np.intp]
    share: NDArray[np.float64]

    def sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add up (K,) values by vertex, (last - first,)."""
        summed = np.bincount(self.vertex, values, minlength=self.last - self.first)
        # Without values bincount returns integers.
        return np.asarray(summed, dtype=np.float64)


class SurfaceDerivative:
    """Differentiates along the surface of one mesh.

    tangents: (V, 2, 3) float32, mesh space, unit vectors at right angles to each other and to the vertex
        normal; tangents[:, 0] x tangents[:, 1] = normal.
    """

    def __init__(self, mesh: SourceMesh) -> None:
        """Compute each neighbour's share. Costs about 0.15 s for 100,000 vertices."""
        self._vertex_count = mesh.vertex_count
        tangents = _tangents(mesh.normals.astype(np.float64))
        self.tangents: NDArray[np.float32] = tangents.astype(np.float32)
        # Coordinates first, see `vectors`.
        points = np.ascontiguousarray(mesh.positions.T, dtype=np.float64)
        along = np.ascontiguousarray(tangents.transpose(1, 2, 0))
        self._shares = tuple(_shares_of_blocks(mesh, points, along))

    def of_weights(self, skin: Skin) -> NDArray[np.float32]:
        """Differentiate the weights of a normalised skin: (N, 2), those of a vertex add up to 0.

        Costs about 0.2 s for 100,000 vertices of 4 influences.
        """
        by_slot = _Slots.of(skin)
        derivative = np.empty((len(skin.joints), 2), dtype=np.float32)
        for shares in self._shares:
            own = slice(int(skin.starts[shares.first]), int(skin.starts[shares.last]))
            slot = np.arange(own.start, own.stop) - skin.starts[skin.vertex_of_influence[own]]
            change = _change_of_weights(by_slot, shares)
            derivative[own] = change[:, slot, skin.vertex_of_influence[own] - shares.first].T
        return derivative

    def of_amount(self, amount: NDArray[np.float32]) -> NDArray[np.float32]:
        """Differentiate one number per vertex, (V,): (V, 2)."""
        derivative = np.empty((self._vertex_count, 2), dtype=np.float32)
        for shares in self._shares:
            here = amount[shares.first : shares.last]
            apart = amount[shares.neighbour].astype(np.float64) - here[shares.vertex]
            for axis, share in enumerate(shares.share):
                derivative[shares.first : shares.last, axis] = shares.sums(share * apart)
        return derivative


@dataclass(frozen=True, eq=False)
class _Slots:
    """Influences by slot, every vertex's first, then every second: (K, V) each; counts: (V,), influences per
    vertex.
    """

    joints: NDArray[np.int32]
    weights: NDArray[np.float32]
    counts: NDArray[np.int32]

    @classmethod
    def of(cls, skin: Skin) -> _Slots:
        shape = max(1, skin.largest_count), skin.vertex_count
        joints, weights = np.full(shape, -1, dtype=np.int32), np.zeros(shape, dtype=np.float32)
        owner = skin.vertex_of_influence
        slot = np.arange(len(owner)) - skin.starts[owner]
        joints[slot, owner], weights[slot, owner] = skin.joints, skin.weights
        return cls(joints, weights, skin.counts)


def _change_of_weights(slots: _Slots, shares: _Shares) -> NDArray[np.float64]:
    """Differentiate the weights of these vertices, slot by slot: (2, K, last - first)."""
    own_joints = slots.joints[:, shares.first : shares.last]
    weights = slots.weights[:, shares.first : shares.last]
    own_count = slots.counts[shares.first : shares.last]
    # Neighbours with many influences first: a slot that few have costs little, and so for the vertices' own
    # slots.
    order = np.argsort(-slots.counts[shares.neighbour], kind="stable")
    vertex, neighbour, share = shares.vertex[order], shares.neighbour[order], shares.share[:, order]
    change = np.zeros((2, *own_joints.shape))
    for slot, joints in enumerate(own_joints):
        having = own_count[vertex] > slot
        vertex, neighbour, share = vertex[having], neighbour[having], share[:, having]
        met = _met_weights(slots, joints.take(vertex), neighbour)
        for axis in range(2):
            change[axis, slot] = np.bincount(vertex, share[axis] * met, minlength=own_joints.shape[1])
    for axis, each in enumerate(shares.share):
        change[axis] -= shares.sums(each) * weights
        # Changes in joints that the vertex itself lacks are left out; the rest is made to add up to 0, or the
        # normal would depend on the character's distance from the origin.
        change[axis] -= change[axis].sum(axis=0) * weights
    return change


def _met_weights(
    slots: _Slots, joints: NDArray[np.int32], neighbour: NDArray[np.intp]
) -> NDArray[np.float32]:
    """Return each neighbour's weight for a joint, (K,); neighbours with many influences come first."""
    met = np.zeros(len(joints), dtype=np.float32)
    having = np.searchsorted(-slots.counts[neighbour], -np.arange(len(slots.joints)))
    for their_joints, their_weights, count in zip(slots.joints, slots.weights, having.tolist(), strict=True):
        here = neighbour[:count]
        met[:count] += their_weights.take(here) * (their_joints.take(here) == joints[:count])
    return met


def _tangents(normals: NDArray[np.float64]) -> NDArray[np.float64]:
    """Choose two tangents (V, 2, 3) for each normal (V, 3); any two if there is no normal."""
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = np.where(length > 0, normals / np.where(length > 0, length, 1), np.array([0.0, 0.0, 1.0]))
    # The coordinate axis farthest from the normal.
    axis = np.eye(3)[np.argmin(np.abs(normals), axis=1)]
    first = np.cross(axis, normals)
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    return np.stack((first, np.asarray(np.cross(normals, first), dtype=np.float64)), axis=1)


def _shares_of_blocks(
    mesh: SourceMesh, points: NDArray[np.float64], tangents: NDArray[np.float64]
) -> Iterator[_Shares]:
    turned: list[NDArray[np.int32]] = [np.roll(mesh.triangles, -turn, axis=1) for turn in range(3)]
    corners = np.concatenate(turned)
    by_vertex = np.argsort(corners[:, 0], kind="stable")
    corners = np.ascontiguousarray(corners[by_vertex].T, dtype=np.intp)
    ends = np.searchsorted(corners[0], np.arange(mesh.vertex_count + 1))
    first = 0
    while first < mesh.vertex_count:
        last = int(np.searchsorted(ends, int(ends[first]) + CORNERS_AT_ONCE, side="right")) - 1
        last = min(max(last, first + 1), mesh.vertex_count)
        yield _shares(points, tangents, corners[:, ends[first] : ends[last]], first, last)
        first = last


def _shares(
    points: NDArray[np.float64],
    tangents: NDArray[np.float64],
    corners: NDArray[np.intp],
    first: int,
    last: int,
) -> _Shares:
    """Compute each triangle's gradient, and average it over the triangles around a vertex.

    points: (3, V). tangents: (2, 3, V). corners: (3, C) vertices of triangles, all those that begin with the
    given vertices.
    """
    vertex = corners[0]
    at, following, before = (points[:, corners[index]] for index in range(3))
    to_next, to_last = following - at, before - at
    normal = cross(to_next, to_last)
    squared = dot(normal, normal)
    angle = np.arctan2(np.sqrt(squared), dot(to_next, to_last))
    # A triangle without area has neither a gradient nor a usable angle.
    angle[squared == 0] = 0
    angles = np.bincount(vertex - first, angle, minlength=last - first)[vertex - first]
    factor = np.divide(angle, squared * angles, out=np.zeros_like(angle), where=angle > 0)
    # In the triangle's plane, a quantity that is 1 at one vertex and 0 at the others grows perpendicular to
    # the opposite side.
    growth = (cross(to_last, normal), cross(normal, to_next))
    share = np.empty((2, 2, len(vertex)))
    for axis, tangent in enumerate(tangents):
        along = tangent.take(vertex, axis=1)
        for side, direction in enumerate(growth):
            np.multiply(dot(along, direction), factor, out=share[axis, side])
    return _Shares(
        first,
        last,
        np.concatenate((vertex, vertex)) - first,
        np.concatenate((corners[1], corners[2])),
        share.reshape(2, -1),
    )
