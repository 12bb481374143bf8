"""Each of the texts' formulas as written, in plain loops, against the program's result for the same numbers.

Luna: F. D. Luna, Introduction to 3D Game Programming with DirectX, "Character Animation". SkinnedMesh,
MultiAnimation: the DirectX SDK's samples. LearnOpenGL: "Skeletal Animation". Expected values are lists of
numbers computed with nothing but `math`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from skinning_addon.core.blending.software_skinning import SoftwareSkinner
from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.core.profiles.packing import bone_combinations, packed_skin
from skinning_addon.core.profiles.weight_rules import WeightRule
from skinning_addon.core.skinning.joints import Joints
from skinning_addon.core.skinning.normals import Normals
from skinning_addon.core.skinning.palette import Palette, final_matrices
from skinning_addon.core.skinning.passes import Pass
from skinning_addon.core.skinning.pose import Pose
from skinning_addon.core.skinning.skeleton import Skeleton
from skinning_addon.core.skinning.skin import BoneSkin, Skin
from tests.core.builders import bone_names, bound, mesh_of, random_transforms
from tests.evidence_log import log_evidence

Matrix = list[list[float]]
BONES = 60


def times(a: Matrix, b: Matrix) -> Matrix:
    """XMMatrixMultiply(a, b)."""
    return [[sum(a[i][k] * b[k][j] for k in range(4)) for j in range(4)] for i in range(4)]


def inverse(m: Matrix) -> Matrix:
    """XMMatrixInverse, by Gauss and Jordan."""
    rows = [[*row, *(1.0 if i == j else 0.0 for j in range(4))] for i, row in enumerate(m)]
    for column in range(4):
        pivot = max(range(column, 4), key=lambda row: abs(rows[row][column]))
        rows[column], rows[pivot] = rows[pivot], rows[column]
        rows[column] = [one / rows[column][column] for one in rows[column]]
        for row in range(4):
            if row != column:
                factor = rows[row][column]
                rows[row] = [a - factor * b for a, b in zip(rows[row], rows[column], strict=True)]
    return [row[4:] for row in rows]


def transposed(m: Matrix) -> Matrix:
    return [list(column) for column in zip(*m, strict=True)]


def transform(v: Sequence[float], m: Matrix, w: float = 1.0) -> list[float]:
    """XMVector3TransformCoord of a row vector; with w = 0, XMVector3TransformNormal."""
    return [sum(one * m[i][j] for i, one in enumerate((*v, w))) for j in range(3)]


def unit(v: Sequence[float]) -> list[float]:
    length = math.sqrt(sum(one * one for one in v))
    return [one / length for one in v]


def furthest(program: np.ndarray, text: Sequence[object]) -> float:
    return float(np.abs(np.asarray(program, dtype=np.float64) - np.array(text)).max())


def hierarchy(seed: int) -> tuple[list[int], list[Matrix], list[Matrix]]:
    """Parents, and each bone to its parent at rest and posed; unevenly scaled, as no artist would."""
    rng = np.random.default_rng(seed)
    parents = [-1, *(int(rng.integers(max(0, bone - 4), bone)) for bone in range(1, BONES))]
    limits = {"smallest_scale": 0.8, "largest_scale": 1.25, "distance": 1.0}
    return parents, *(random_transforms(rng, BONES, **limits).tolist() for _ in range(2))


def luna_to_root(parents: list[int], to_parent: list[Matrix]) -> list[Matrix]:
    """SkinnedData::GetFinalTransforms: "the root bone has index 0; its toRoot is just its toParent", then one
    loop.
    """
    to_root = [to_parent[0]]
    for i in range(1, len(parents)):
        to_root.append(times(to_parent[i], to_root[parents[i]]))
    return to_root


def skeleton_of(parents: list[int], rest: list[Matrix]) -> Skeleton:
    return Skeleton(tuple(bone_names(BONES)), np.array(parents, dtype=np.int32), np.array(rest))


@pytest.mark.parametrize("seed", [1])
def test_luna_to_root(seed: int):
    parents, rest, posed = hierarchy(seed)
    text = luna_to_root(parents, posed)
    off = furthest(skeleton_of(parents, rest).to_root(np.array(posed)), text)
    assert off < 1e-12
    log_evidence("to-root", "test_luna_to_root", f"{BONES} bones", off)


def test_d3dx_combined_transformation_matrices():
    """SkinnedMesh, UpdateFrameMatrices: a frame is multiplied by its parent's; then its sibling and its first
    child follow.
    """
    parents, rest, posed = hierarchy(2)
    first_child: dict[int, int] = {}
    sibling: dict[int, int] = {}
    for bone in reversed(range(1, BONES)):
        if parents[bone] in first_child:
            sibling[bone] = first_child[parents[bone]]
        first_child[parents[bone]] = bone
    combined: dict[int, Matrix] = {}

    def update(frame: int, parent: Matrix | None) -> None:
        combined[frame] = times(posed[frame], parent) if parent is not None else posed[frame]
        if frame in sibling:
            update(sibling[frame], parent)
        if frame in first_child:
            update(first_child[frame], combined[frame])

    update(0, None)
    off = furthest(
        skeleton_of(parents, rest).to_root(np.array(posed)), [combined[bone] for bone in range(BONES)]
    )
    assert off < 1e-12
    log_evidence("frames", "test_d3dx_combined_transformation_matrices", f"{BONES} frames", off)


def placed(seed: int) -> tuple[list[int], list[Matrix], Skeleton, Joints, Pose, Matrix]:
    """A rig in a pose, its mesh elsewhere than its armature: parents, posed to_parent, and the program's own of
    it.
    """
    parents, rest, posed = hierarchy(seed)
    skeleton = skeleton_of(parents, luna_to_root(parents, rest))
    (mesh_to_root,) = random_transforms(np.random.default_rng(seed + 100), 1)
    joints = Joints.of_bones(skeleton, range(BONES), mesh_to_root)
    pose = joints.posed(skeleton.to_root(np.array(posed)))
    return parents, posed, skeleton, joints, pose, mesh_to_root.tolist()


def test_luna_offset():
    """Its section "The offset transformation": the inverse of the bone's transformation to the root in bind
    pose.
    """
    _, _, skeleton, joints, _, mesh_to_root = placed(3)
    text = [times(mesh_to_root, inverse(rest)) for rest in skeleton.rest_to_root.tolist()]
    off = furthest(joints.offset[1:], text)
    assert off < 1e-10
    log_evidence("offset", "test_luna_offset", f"{BONES} bones", off)


def test_luna_final():
    """GetFinalTransforms: offset * toRoot; root_to_mesh is ours, since the mesh stands elsewhere."""
    parents, posed, skeleton, joints, pose, mesh_to_root = placed(4)
    to_root = luna_to_root(parents, posed)
    text = [
        times(times(times(mesh_to_root, inverse(rest)), to_root[bone]), inverse(mesh_to_root))
        for bone, rest in enumerate(skeleton.rest_to_root.tolist())
    ]
    program = final_matrices(joints, pose, np.linalg.inv(mesh_to_root)).final[1:]
    off = furthest(program, text) / max(abs(one) for m in text for row in m for one in row)
    assert off < 1e-6
    log_evidence("final", "test_luna_final", f"{BONES} bones, relative to the largest number, float32", off)


def test_learnopengl_final_bone_matrices():
    """Animator::CalculateBoneTransform: globalTransformation = parentTransform * nodeTransform; final = global
    * offset.

    Columns: all of it transposed. Nodes have lists of children.
    """
    parents, posed, skeleton, joints, pose, mesh_to_root = placed(5)
    offsets = [transposed(times(mesh_to_root, inverse(rest))) for rest in skeleton.rest_to_root.tolist()]
    final: dict[int, Matrix] = {}

    def calculate(node: int, parent_transform: Matrix) -> None:
        global_transformation = times(parent_transform, transposed(posed[node]))
        final[node] = times(global_transformation, offsets[node])
        for child in (bone for bone in range(BONES) if parents[bone] == node):
            calculate(child, global_transformation)

    # Its m_GlobalInverseTransform, in the tutorials that it follows.
    calculate(0, transposed(inverse(mesh_to_root)))
    text = [transposed(final[bone]) for bone in range(BONES)]
    program = final_matrices(joints, pose, np.linalg.inv(mesh_to_root)).final[1:]
    off = furthest(program, text) / max(abs(one) for m in text for row in m for one in row)
    assert off < 1e-6
    log_evidence(
        "nodes",
        "test_learnopengl_final_bone_matrices",
        f"{BONES} nodes, relative to the largest number, float32",
        off,
    )


def weighted(seed: int, vertices: int, bones: int) -> list[list[tuple[int, float]]]:
    """One to four influences a vertex, the largest first, whose weights add up to one in float32 as near as it
    goes.
    """
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(vertices):
        chosen = rng.choice(bones, int(rng.integers(1, 5)), replace=False)
        weights = np.sort(rng.uniform(0.1, 1, len(chosen)))[::-1]
        weights = (weights / weights.sum()).astype(np.float32)
        rows.append(list(zip(chosen.tolist(), weights.tolist(), strict=True)))
    return rows


def skin_over_bones(rows: list[list[tuple[int, float]]]) -> BoneSkin:
    entries = [(vertex, bone, weight) for vertex, row in enumerate(rows) for bone, weight in row]
    owner, bone, weight = (np.array(column) for column in zip(*entries, strict=True))
    return BoneSkin.from_entries(owner, bone, weight, len(rows))


def over_joints(skin: BoneSkin) -> Skin:
    """The same over palette entries: entry 0 is no bone."""
    return Skin(skin.starts, skin.bones + 1, skin.weights)


def samples_vertex(v: Sequence[float], n: Sequence[float], row: list[tuple[int, float]], world: list[Matrix]):
    """The VShade function of skinnedmesh.fx: NumBones - 1 weights are read, the last is what they leave of
    one.
    """
    num_bones = len(row)
    pos, normal, last_weight = [0.0] * 3, [0.0] * 3, 0.0
    for i_bone in range(num_bones - 1):
        index, weight = row[i_bone]
        last_weight += weight
        pos = [a + weight * b for a, b in zip(pos, transform(v, world[index]), strict=True)]
        normal = [a + weight * b for a, b in zip(normal, transform(n, world[index], 0.0), strict=True)]
    last_weight = 1.0 - last_weight
    index = row[num_bones - 1][0]
    pos = [a + last_weight * b for a, b in zip(pos, transform(v, world[index]), strict=True)]
    normal = [a + last_weight * b for a, b in zip(normal, transform(n, world[index], 0.0), strict=True)]
    return pos, unit(normal)


@pytest.mark.parametrize("profile_id", ["d3d9-26", "d3d9-35", "d3d9-indexed-12", "d3d9-four-matrix"])
def test_the_samples_vertex_shader(profile_id: str):
    rows = weighted(6, 400, 30)
    rng = np.random.default_rng(6)
    positions, normals = rng.uniform(-1, 1, (400, 3)), rng.normal(size=(400, 3))
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    final = random_transforms(rng, 30, smallest_scale=0.8, largest_scale=1.25, distance=0.5)
    mesh = mesh_of(positions, normals=normals)
    profile = load_profile(profile_id)
    skin = over_joints(WeightRule(profile)(skin_over_bones(rows)).skin)
    one = Pass(skin, bound([np.eye(4)] * 30), "Rig")
    palette = Palette(np.concatenate((np.eye(4)[None], final)).astype(np.float32))
    turned = SoftwareSkinner((one,), mesh, Normals.MATRIX).skin((palette,))
    text = [
        samples_vertex(v, n, row, final.tolist())
        for v, n, row in zip(mesh.positions.tolist(), mesh.normals.tolist(), rows, strict=True)
    ]
    off = furthest(turned.positions, [one for one, _ in text])
    angle = max(
        math.degrees(2 * math.asin(min(1, math.dist(a, unit(b)) / 2)))
        for (_, a), b in zip(text, turned.normals.tolist(), strict=True)
    )
    assert off < 2e-6
    assert angle < 1e-3
    log_evidence("shader", "test_the_samples_vertex_shader", f"400 vertices, {profile_id}", off)
    log_evidence(
        "sample-normals", "test_the_samples_vertex_shader", f"400 normals, {profile_id}; degrees", angle
    )


@pytest.mark.parametrize(
    ("profile_id", "registers"),
    [("d3d9-indexed-12", 12), ("d3d9-26", 26), ("d3d9-35", 35), ("d3d9-four-matrix", 4)],
)
def test_bone_combination_table(profile_id: str, registers: int):
    """ConvertToIndexedBlendedMesh: each face in one group, of its own AttribId and within the registers, and
    drawn the same.

    A strip along a chain of 60 bones; each group is drawn as the sample draws it: its matrices are set one by
    one by the table's bone ids, then its own vertices look into those.
    """
    profile = load_profile(profile_id)
    vertices, triangles, rows = 2 * (BONES + 1), [], []
    for rung in range(BONES + 1):
        for _ in range(2):
            first, second = min(rung, BONES - 1), max(rung - 1, 0)
            rows.append([(first, 0.75), (second, 0.25)] if first != second else [(first, 1.0)])
        if rung < BONES:
            a = 2 * rung
            triangles += [(a, a + 1, a + 3), (a, a + 3, a + 2)]
    rng = np.random.default_rng(7)
    positions = rng.uniform(-1, 1, (vertices, 3)).tolist()
    final = random_transforms(rng, BONES, distance=0.5).tolist()
    whole = [samples_vertex(v, (0, 0, 1), row, final)[0] for v, row in zip(positions, rows, strict=True)]

    skin = over_joints(WeightRule(profile)(skin_over_bones(rows)).skin)
    packed = packed_skin(skin, profile)
    # Two materials: every tenth bone has the other one.
    attributes = [number // 2 % 10 == 0 for number in range(len(triangles))]
    mesh = replace(mesh_of(positions, triangles), material=np.array(attributes, dtype=np.int32))
    table = bone_combinations(skin, packed, mesh, profile)
    assert table.materials.tolist() == sorted(table.materials.tolist())
    off, drawn = 0.0, []
    for call, bone_ids in enumerate(table.slot_joints.tolist()):
        assert len([one for one in bone_ids if one >= 0]) <= registers
        world = [final[one - 1] if one > 0 else np.eye(4).tolist() for one in bone_ids]
        first = int(table.vertex_starts[call])
        for face in range(int(table.triangle_starts[call]), int(table.triangle_starts[call + 1])):
            number = int(table.triangles[face])
            drawn.append(number)
            assert attributes[number] == bool(table.materials[call])
            for corner, vertex in zip(table.corners[face].tolist(), triangles[number], strict=True):
                stored = first + corner
                assert int(table.vertices[stored]) == vertex
                weights = packed.weights[vertex].tolist()
                if profile.weights.last_implied:
                    weights = [*weights, 1.0 - sum(weights)]
                slots = table.slots[stored].tolist()
                place = [
                    sum(
                        w * transform(positions[vertex], world[slot])[axis]
                        for slot, w in zip(slots, weights, strict=True)
                    )
                    for axis in range(3)
                ]
                off = max(off, math.dist(place, whole[vertex]))
    assert sorted(drawn) == list(range(len(triangles)))
    assert not len(table.oversized)
    assert off < 1e-6
    log_evidence(
        "combinations",
        "test_bone_combination_table",
        f"{profile_id}: {len(triangles)} triangles of {BONES} bones and 2 materials in "
        f"{len(table.slot_joints)} calls",
        off,
    )
