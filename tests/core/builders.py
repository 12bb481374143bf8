"""Small rigs, meshes and matrices for tests of the core, and textbook skinning.

Matrices are row-vector matrices, as everywhere: `v' = v @ M`, and a product reads left to right.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from skinning_addon.core.blending.software_skinning import SoftwareSkinner
from skinning_addon.core.skinning.joints import Joints
from skinning_addon.core.skinning.mesh import SourceMesh
from skinning_addon.core.skinning.palette import Palette
from skinning_addon.core.skinning.passes import Pass
from skinning_addon.core.skinning.pose import Pose
from skinning_addon.core.skinning.skeleton import Skeleton
from skinning_addon.core.skinning.skin import BoneSkin, Influences, Skin

property_test = settings(deadline=None, max_examples=25)
"""For hypothesis tests. No deadline: slowness is the machine's."""

AT_THE_ROOT = np.eye(4)
"""The mesh object has the armature object's transform."""

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)

Row = Sequence[tuple[int, float]]
"""The influences of one vertex: (joint, weight), in stored order."""


def translation(x, y, z):
    matrix = np.eye(4)
    matrix[3, :3] = x, y, z
    return matrix


def scaling(x, y, z):
    return np.diag([x, y, z, 1.0])


def rotation(axis, degrees):
    """Rotate counter-clockwise about an axis through the origin (Rodrigues' formula)."""
    x, y, z = np.asarray(axis, dtype=np.float64) / np.linalg.norm(axis)
    angle = math.radians(degrees)
    across = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    columns = np.eye(3) + math.sin(angle) * across + (1 - math.cos(angle)) * across @ across
    matrix = np.eye(4)
    matrix[:3, :3] = columns.T
    return matrix


def random_transform(rng, smallest_scale=0.5, largest_scale=2.0, distance=3.0):
    """Scale each axis independently, rotate about any axis, move: what a bone's location, rotation and scale
    do.
    """
    scale = np.exp(rng.uniform(math.log(smallest_scale), math.log(largest_scale), 3))
    turned = rotation(rng.normal(size=3) + 1e-9, rng.uniform(-180, 180))
    return scaling(*scale) @ turned @ translation(*rng.uniform(-distance, distance, 3))


def random_transforms(rng, count, **limits):
    return np.array([random_transform(rng, **limits) for _ in range(count)]).reshape(count, 4, 4)


seeds = st.integers(0, 2**32 - 1)
"""Seeds for numpy's generator: hypothesis draws the structure, numpy fills it with numbers."""


@st.composite
def forests(draw, most_bones=24):
    """Parents of up to `most_bones` bones, in any order, with any number of roots."""
    count = draw(st.integers(0, most_bones))
    parents_first = [draw(st.integers(-1, bone - 1)) for bone in range(count)]
    place = draw(st.permutations(range(count)))
    parents = [-1] * count
    for bone, parent in enumerate(parents_first):
        parents[place[bone]] = place[parent] if parent >= 0 else -1
    return parents


def bone_names(count):
    return [f"bone.{bone:03}" for bone in range(count)]


def skeleton_of(parents, rest_to_root=None):
    """Make bones, parents first; all rest matrices default to the identity."""
    if rest_to_root is None:
        rest_to_root = np.tile(np.eye(4), (len(parents), 1, 1))
    return Skeleton(tuple(bone_names(len(parents))), np.array(parents, dtype=np.int32), rest_to_root)


def bound(rest_to_root, mesh_to_root=AT_THE_ROOT):
    """Make one joint for each rest matrix, of bones without parents."""
    skeleton = skeleton_of([-1] * len(rest_to_root), np.array(rest_to_root))
    return Joints.of_bones(skeleton, range(len(rest_to_root)), mesh_to_root)


def palette_of_moves(build, moves, rest=None, mesh_to_root=AT_THE_ROOT):
    """Call `build`, a palette's constructor, for bones moved in root space from `rest`, or from the root."""
    rest = np.tile(np.eye(4), (len(moves), 1, 1)) if rest is None else np.asarray(rest)
    posed = np.concatenate((np.eye(4)[None], rest @ np.asarray(moves)))
    return build(bound(rest, mesh_to_root), Pose(posed), mesh_to_root, np.linalg.inv(mesh_to_root))


def skinned_by_moves(build, positions, rows, moves, normals=None, **where):
    """Skin a mesh whose bones rest at the root by `palette_of_moves`."""
    one = Pass(skin_of(rows), bound([np.eye(4)] * len(moves)), "Armature")
    palette = palette_of_moves(build, moves, **where)
    return SoftwareSkinner((one,), mesh_of(positions, normals=normals)).skin((palette,))


def skin_of(rows: Sequence[Row]) -> Skin:
    return _influences_of(Skin, rows)


def bone_skin_of(rows: Sequence[Row]) -> BoneSkin:
    return _influences_of(BoneSkin, rows)


def _influences_of(kind, rows):
    starts = np.cumsum([0, *(len(row) for row in rows)])
    indices = np.array([index for row in rows for index, _ in row], dtype=np.int32)
    weights = np.array([weight for row in rows for _, weight in row], dtype=np.float32)
    return kind(starts.astype(np.int32), indices, weights)


def rows_of(skin: Influences) -> list[list[tuple[int, float]]]:
    """Undo `skin_of` and `bone_skin_of`."""
    entries = [(int(index), float(weight)) for index, weight in zip(skin.indices, skin.weights, strict=True)]
    return [entries[start:end] for start, end in pairwise(skin.starts.tolist())]


@st.composite
def skin_rows(draw, joints=8, most_influences=6, most_vertices=12):
    """Draw influences as people paint them: weights of zero, tiny sums, sums above one, vertices in
    no group.
    """
    painted = st.one_of(
        st.floats(0, 1, width=32),
        st.sampled_from([0.0, 0.25, 0.5, 1.0, 4e-5, 1e-4]),
    )
    row = st.lists(st.tuples(st.integers(0, joints - 1), painted), max_size=most_influences)
    return draw(st.lists(row, max_size=most_vertices))


def mesh_of(positions, triangles=(), normals=None):
    """Make vertices, and triangles over them; normals point up by default."""
    positions = np.array(positions, dtype=np.float32).reshape(-1, 3)
    if normals is None:
        normals = np.tile(np.float32([0, 0, 1]), (len(positions), 1))
    triangles = np.array(triangles, dtype=np.int32).reshape(-1, 3)
    return SourceMesh(positions, normals, np.empty((0, 2), dtype=np.int32), triangles)


def grid(columns, rows, spacing=1.0):
    """A flat sheet of columns x rows square cells: positions and triangles."""
    positions = [(spacing * x, spacing * y, 0.0) for y in range(rows + 1) for x in range(columns + 1)]
    triangles = []
    for y in range(rows):
        for x in range(columns):
            corner = y * (columns + 1) + x
            above = corner + columns + 1
            triangles += [(corner, corner + 1, above + 1), (corner, above + 1, above)]
    return positions, triangles


CUBE_POSITIONS = [(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)]
"""A cube with sides of length 2; the signs of vertex i are the bits of i, x first."""

CUBE_QUADS = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
"""Its sides, counterclockwise seen from outside."""

CUBE_SIDE_NORMALS = [(-1, 0, 0), (1, 0, 0), (0, -1, 0), (0, 1, 0), (0, 0, -1), (0, 0, 1)]

CUBE_TRIANGLES = [triangle for a, b, c, d in CUBE_QUADS for triangle in ((a, b, c), (a, c, d))]


def skin_by_the_book(skin: Skin, final, positions):
    """v' = sum_k weight_k * (v @ final(index_k)) / sum_k weight_k, bone by bone in double precision.

    A vertex whose weights add up to at most 1e-4 stays in place, as in Blender.
    """
    final = np.asarray(final, dtype=np.float64)
    result = []
    for position, row in zip(np.asarray(positions, dtype=np.float64), rows_of(skin), strict=True):
        total = sum(weight for _, weight in row)
        if total <= 1e-4:
            result.append(position)
            continue
        moved = np.zeros(3)
        for joint, weight in row:
            moved += weight / total * (np.append(position, 1.0) @ final[joint])[:3]
        result.append(moved)
    return np.array(result).reshape(-1, 3)


def palette_of(*matrices):
    """Make joint 0, then one joint for each matrix."""
    return Palette(np.array([np.eye(4), *matrices]))


def pass_of(skin, **options):
    """Make one pass over bones without parents that rest at the root."""
    bones = int(skin.joints.max(initial=0))
    return Pass(
        skin, Joints.of_bones(skeleton_of([-1] * bones), range(bones), np.eye(4)), "Armature", **options
    )


def skinned(mesh, skin, palette, **options):
    """Skin positions and normals by one pass."""
    return SoftwareSkinner((pass_of(skin, **options),), mesh).skin((palette,))


def random_palette(rng, joints):
    return palette_of(*random_transforms(rng, joints - 1))


def random_skin(rng, counts, joints):
    return skin_of([list(zip(rng.integers(0, joints, n), rng.random(n), strict=True)) for n in counts])
