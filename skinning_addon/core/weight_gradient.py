"""Normals that know how the weights change over the surface.

Linear blending moves a point v to v' = sum_b w_b F_b v, and the weights w_b depend on where the point lies. A tangent t of
the surface at rest therefore becomes

    J t = B t + sum_b (F_b v) (dw_b / dt)        B = sum_b w_b F_b, its 3 x 3 part

and the normal of the posed surface goes with the cofactors of J. The textbook leaves the sum out, so its normals lean
the wrong way wherever weights change, which is where a limb bends: by 6 degrees on average at a bend of 60.

What is static is two floats an influence and a frame of tangents a vertex. In a shader: add up
`derivative[k].x * (F_k v)` and `.y` while blending, and turn the normal by the cofactors of
B + outer(sum_x, tangent 0) + outer(sum_y, tangent 1). A custom normal, which is not that of the surface, is turned alike.

Accuracy: as Blender, which averages the normals of the posed faces, up to the size of the faces squared; halving the
faces quarters the difference. Only joints that a vertex already has are counted; where neighbours have others, as at a
hard edge between two bones, nothing can know of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .arrays import read_only, set_field
from .mesh import SourceMesh
from .normals import turned_by_cofactors
from .palette import Palette
from .skin import Skin
from .slots import slot_table
from .vectors import cross, dot, transformed

LARGEST_TABLE = 1 << 21
"""Entries of the table in which influences are looked up by vertex and joint; it stays within the processor's cache."""


@dataclass(frozen=True, eq=False)
class WeightGradient:
    """How weights change over the rest surface.

    tangents: (V, 2, 3) float32, mesh space, unit vectors at right angles to each other and to the vertex normal;
        tangents[:, 0] x tangents[:, 1] = normal.
    derivative: (N, 2) float32, change of each influence's normalised weight per unit of length along the two; those of a
        vertex add up to 0. In the order of the influences of `Skin.normalised`.
    """

    tangents: NDArray[np.float32]
    derivative: NDArray[np.float32]

    def __post_init__(self) -> None:
        set_field(self, "tangents", read_only("tangents", self.tangents, np.float32, (None, 2, 3)))
        set_field(self, "derivative", read_only("derivative", self.derivative, np.float32, (None, 2)))


def weight_gradient(skin: Skin, mesh: SourceMesh) -> WeightGradient:
    """Differentiate the weights of a normalised skin over the triangles around each vertex.

    In a triangle weights are linear; a vertex takes the average of its triangles, by their angles there, as Blender
    averages normals. Costs about a second for 100,000 vertices of 4 influences.
    """
    tangents = _tangents(mesh.normals.astype(np.float64))
    derivative = np.zeros((len(skin.joints), 2))
    turned = [np.roll(mesh.triangles, -turn, axis=1) for turn in range(3)]
    corners = np.concatenate(turned)
    corners = corners[np.argsort(corners[:, 0], kind="stable")]
    step = max(1, LARGEST_TABLE // (int(skin.joints.max(initial=0)) + 1))
    for first in range(0, mesh.vertex_count, step):
        last = min(first + step, mesh.vertex_count)
        own = slice(*np.searchsorted(corners[:, 0], (first, last)).tolist())
        shares = _neighbour_shares(mesh, tangents, corners[own])
        derivative[skin.starts[first] : skin.starts[last]] = _derivative(skin, first, last, shares)
    return WeightGradient(tangents.astype(np.float32), derivative.astype(np.float32))


def gradient_normals(
    gradient: WeightGradient, skin: Skin, palette: Palette, mesh: SourceMesh
) -> NDArray[np.float32]:
    """Return the normals (V, 3) float32 of a mesh skinned from rest by one pass of linear blending.

    skin: normalised, the one that `gradient` was made from. No other blend is linear in the weights: under dual
    quaternions turn normals by the blended rotation, which is what `SoftwareSkinner.skin` does. A second pass would need
    the tangents that the first one leaves; there, too, `SoftwareSkinner.skin` is the answer.
    """
    rows = palette.rows().reshape(-1, 12)
    along = [slot_table(Skin(skin.starts, skin.joints, change)) for change in gradient.derivative.T]
    result = np.empty((mesh.vertex_count, 3), dtype=np.float32)
    with np.errstate(all="ignore"):
        for part, *changes in zip(slot_table(skin).parts, *(table.parts for table in along), strict=True):
            positions = np.ascontiguousarray(mesh.positions[part.vertices].T)
            normals = np.ascontiguousarray(mesh.normals[part.vertices].T)
            linear = part.blended(rows).reshape(3, 4, -1)[:, :3]
            for axis, change in enumerate(changes):
                sheared = transformed(change.blended(rows).reshape(3, 4, -1), positions)
                linear += sheared[:, None] * gradient.tangents[part.vertices, axis].T
            part.store(turned_by_cofactors(linear, normals), result)
    return result


def _tangents(normals: NDArray[np.float64]) -> NDArray[np.float64]:
    """Choose two tangents (V, 2, 3) for each normal (V, 3); any two where there is no normal."""
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = np.where(length > 0, normals / np.where(length > 0, length, 1), np.array([0.0, 0.0, 1.0]))
    # The coordinate axis that lies farthest from the normal.
    axis = np.eye(3)[np.argmin(np.abs(normals), axis=1)]
    first = np.cross(axis, normals)
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    return np.stack((first, np.asarray(np.cross(normals, first), dtype=np.float64)), axis=1)


@dataclass(frozen=True, eq=False)
class _Shares:
    """The derivative of any quantity q along the tangents of a vertex is the sum of share * (q of neighbour - q of vertex).

    vertex, neighbour: (K,). share: (2, K) float64.
    """

    vertex: NDArray[np.int32]
    neighbour: NDArray[np.int32]
    share: NDArray[np.float64]


def _neighbour_shares(mesh: SourceMesh, tangents: NDArray[np.float64], corners: NDArray[np.int32]) -> _Shares:
    """Take the gradient in each triangle, and average it over those around a vertex.

    corners: (C, 3) vertices of triangles, all those that begin with the vertices in question.
    """
    vertex = corners[:, 0]
    at, following, last = (mesh.positions[place].T.astype(np.float64) for place in corners.T)
    to_next, to_last = following - at, last - at
    normal = cross(to_next, to_last)
    squared = dot(normal, normal)
    angle = np.arctan2(np.sqrt(squared), dot(to_next, to_last))
    # A triangle without area has no gradient, and no angle that counts.
    angle[squared == 0] = 0
    angles = np.bincount(vertex, angle)[vertex] if len(vertex) else angle
    factor = np.divide(angle, squared * angles, out=np.zeros_like(angle), where=angle > 0)
    # In its plane, a quantity that is 1 at one vertex and 0 at the others grows at right angles to the side opposite.
    growth = (cross(to_last, normal), cross(normal, to_next))
    along = [tangents[vertex, axis].T for axis in range(2)]
    share = np.array([[dot(tangent, direction) * factor for direction in growth] for tangent in along])
    both = np.concatenate((vertex, vertex))
    return _Shares(both, np.concatenate((corners[:, 1], corners[:, 2])), share.reshape(2, -1))


def _derivative(skin: Skin, first: int, last: int, shares: _Shares) -> NDArray[np.float64]:
    """Differentiate the weights of the vertices `first` to `last` - 1, (n, 2), in the order of their influences."""
    begin, end = int(skin.starts[first]), int(skin.starts[last])
    owner = skin.vertex_of_influence[begin:end] - first
    influence = np.full((last - first, int(skin.joints.max()) + 1), -1, dtype=np.int32)
    influence[owner, skin.joints[begin:end]] = np.arange(end - begin)
    counts = skin.counts[shares.neighbour]
    pair = np.repeat(np.arange(len(counts)), counts)
    within = np.arange(len(pair)) - np.repeat(np.cumsum(counts) - counts, counts)
    theirs = skin.starts[shares.neighbour][pair] + within
    ours = influence[shares.vertex[pair] - first, skin.joints[theirs]]
    shared = ours >= 0
    pair, ours, their_weight = pair[shared], ours[shared], skin.weights[theirs[shared]]
    weights = skin.weights[begin:end]
    columns: list[NDArray[np.float64]] = []
    for share in shares.share:
        change = _sums(ours, share[pair] * their_weight, end - begin)
        change -= _sums(shares.vertex - first, share, last - first)[owner] * weights
        # What neighbours lose or gain in joints that the vertex lacks is left out; the rest is made to add up to 0, or
        # the normal would depend on how far from the origin the character stands.
        change -= _sums(owner, change, last - first)[owner] * weights
        columns.append(change)
    return np.stack(columns, axis=1)


def _sums(place: NDArray[np.integer], values: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    # Without values numpy counts in whole numbers.
    return np.asarray(np.bincount(place, values, minlength=count), dtype=np.float64)
