"""`export` under a profile: the engine's own buffers suffice for skinning and drawing."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.core.profiles.catalogue import load_profile, profile_ids
from skinning_addon.core.profiles.profile import AllZero
from tests.command_line.bundles import Arrays, read_bundle, recomputed
from tests.command_line.conftest import Program
from tests.command_line.rig_files import rig_file
from tests.scene.random_rig import RandomRig, RigOptions


def test_under_a_profile_the_engines_result_is_written(tmp_path: Path, skinscope: Program):
    path = rig_file(tmp_path / "rig.blend", RigOptions(influences=7))
    result = skinscope("export", path, "--output", tmp_path / "out", "--device", "cpu", "--profile", "godot4")
    assert result.status == 0
    bundle, meshes = read_bundle(tmp_path / "out")
    assert bundle["profile"] == "godot4"
    ((skin, frames),) = meshes.values()
    names = skin["joint_names"].tolist()
    assert names[0] == ""
    assert names[-1] == "(origin)"
    own = skin["joints"] != len(names) - 1
    vertex = np.repeat(np.arange(300), np.diff(skin["starts"]))
    assert np.bincount(vertex[own]).max() <= 4
    steps = skin["weights"][own & (skin["joints"] > 0)].astype(float) * 65535
    assert np.abs(steps - steps.round()).max() < 0.01
    assert np.bincount(vertex, weights=skin["weights"]) == pytest.approx(np.ones(300), abs=1e-6)
    index = 4
    assert recomputed(skin, frames, index, skin["positions"]) == pytest.approx(
        frames["skinned_positions"][index], abs=1e-5
    )
    assert np.abs(frames["skinned_positions"] - frames["blender_positions"]).max() > 1e-3


def shader(skin: Arrays, frames: Arrays, frame: int, packing: dict) -> np.ndarray:
    """Skin as an engine's shader does: from its buffers alone."""
    joints = skin["packed_joints"].astype(int)
    weights = skin["packed_weights"].astype(np.float64)
    weights /= {np.float32: 1, np.uint16: 65535, np.uint8: 255}[skin["packed_weights"].dtype.type]
    if packing["last_implied"] and weights.shape[1] < joints.shape[1]:
        weights = np.column_stack((weights, 1 - weights.sum(axis=1)))
    palette = frames["palette"][frame].astype(np.float64)
    if packing["palette_rows"] == 4:
        palette = palette[:, :, :3].transpose(0, 2, 1)
    assert palette.shape[1:] == (3, 4)
    start = np.pad(skin["positions"], ((0, 0), (0, 1)), constant_values=1)
    moved = np.einsum("vk,vkrc,vc->vr", weights, palette[joints], start)
    total = weights.sum(axis=1, keepdims=True)
    if packing["normalised_by"] != "never":
        return moved / np.where(total > 0, total, 1)
    # What is missing pulls to the origin, of the armature or of the world: that is where its joint takes
    # everything.
    names = skin["joint_names"].tolist()
    if "(origin)" in names:
        moved += (1 - total) * (np.array([0, 0, 0, 1]) @ frames["final"][frame, names.index("(origin)")])[:3]
    return moved


@pytest.mark.parametrize("name", profile_ids())
def test_an_engines_buffers_are_enough_to_skin(name: str, tmp_path: Path, skinscope: Program):
    path = rig_file(tmp_path / "rig.blend", RigOptions(seed=5, influences=9, transformed=True))
    result = skinscope("export", path, "--output", tmp_path / "out", "--device", "cpu", "--frames", "1:9:4", "--profile", name)  # fmt: skip
    assert result.status == 0
    bundle, meshes = read_bundle(tmp_path / "out")
    profile = load_profile(name)
    (skin, frames) = meshes["Random mesh"]
    assert bundle["packing"]["weights"] == profile.weights.format.value
    expected_types = {"f32": np.float32, "unorm16": np.uint16, "unorm8": np.uint8}
    assert skin["packed_weights"].dtype == expected_types[profile.weights.format.value]
    assert skin["packed_joints"].dtype.itemsize == {8: 1, 16: 2, 32: 4}[profile.palette.index_bits]
    for frame, expected in enumerate(frames["skinned_positions"]):
        made = shader(skin, frames, frame, bundle["packing"])
        moving = skin["packed_weights"].any(axis=1) | (profile.importer.all_zero is AllZero.ORIGIN)
        assert np.abs(made - expected)[moving].max() < 2e-5


@pytest.mark.parametrize("name", ["d3d9-26", "d3d9-indexed-12", "d3d9-four-matrix", "unreal-mobile", "bevy"])
def test_the_table_of_bone_combinations_draws_the_mesh(name: str, tmp_path: Path, skinscope: Program):
    def paint(rig: RandomRig) -> None:
        """Every third face is steel; the last one names a slot that there is not, and Blender shows the
        last.
        """
        for material in ("Leather", "Steel"):
            rig.mesh.data.materials.append(bpy.data.materials.new(material))
        for face in list(rig.mesh.data.polygons)[::3]:
            face.material_index = 1
        rig.mesh.data.polygons[-1].material_index = 7

    path = rig_file(tmp_path / "rig.blend", RigOptions(seed=6, bones=60, vertices=900, influences=4), paint)
    skinscope(
        "export", path, "--output", tmp_path / "out", "--device", "cpu", "--frames", "5", "--profile", name
    )
    _, meshes = read_bundle(tmp_path / "out")
    skin, _ = meshes["Random mesh"]
    entries = load_profile(name).palette.entries
    assert entries is not None
    calls = len(skin["call_slot_joints"])
    assert skin["call_slot_joints"].shape[1] <= entries
    used = len(np.unique(skin["packed_joints"]))
    assert calls >= -(-used // entries) - 1
    drawn = []
    for call in range(calls):
        vertices = slice(*skin["call_vertex_starts"][call : call + 2])
        triangles = slice(*skin["call_triangle_starts"][call : call + 2])
        source, numbers = skin["call_vertices"][vertices], skin["call_triangles"][triangles]
        assert np.array_equal(source[skin["call_corners"][triangles]], skin["triangles"][numbers])
        assert set(skin["triangle_materials"][numbers].tolist()) == {int(skin["call_materials"][call])}
        joints = skin["call_slot_joints"][call][skin["call_packed_joints"][vertices]]
        weights = skin["packed_weights"][source]
        carries = np.zeros(joints.shape, dtype=bool)
        carries[:, : weights.shape[1]] = weights > 0
        assert np.array_equal(joints[carries], skin["packed_joints"][source][carries])
        drawn.append(numbers)
    every = np.sort(np.concatenate([*drawn, skin["oversized_triangles"]]))
    assert np.array_equal(every, np.arange(len(skin["triangles"])))
    assert skin["call_materials"].tolist() == sorted(skin["call_materials"].tolist())
    assert set(skin["call_materials"].tolist()) == {0, 1}
    mesh = bpy.data.objects["Random mesh"].data
    slots = [min(mesh.polygons[one.polygon_index].material_index, 1) for one in mesh.loop_triangles]
    assert skin["triangle_materials"].tolist() == slots
    if name == "bevy":
        assert calls == 2


def test_drawn_vertices_are_split_where_blender_splits_them(tmp_path: Path, skinscope: Program):
    def add_seams(rig: RandomRig) -> None:
        layer = rig.mesh.data.uv_layers.new(name="UVMap")
        layer.uv.foreach_set("vector", np.random.default_rng(1).random(2 * len(layer.uv)).astype(np.float32))

    path = rig_file(tmp_path / "rig.blend", RigOptions(seed=7), add_seams)
    skinscope("export", path, "--output", tmp_path / "out", "--device", "cpu", "--frames", "5")
    _, meshes = read_bundle(tmp_path / "out")
    skin, frames = meshes["Random mesh"]
    mesh = bpy.data.objects["Random mesh"].data
    assert len(skin["drawn_vertex"]) == len(mesh.loops)
    assert np.array_equal(skin["drawn_vertex"][skin["drawn_triangles"]], skin["triangles"])
    corner = mesh.loop_triangles[3].loops[1]
    drawn = skin["drawn_triangles"][3, 1]
    assert skin["drawn_uv"][drawn] == pytest.approx(mesh.uv_layers.active.uv[corner].vector)
    assert skin["drawn_normals"][drawn] == pytest.approx(mesh.corner_normals[corner].vector, abs=1e-6)
    to_world = np.array(bpy.data.objects["Random mesh"].matrix_world).T
    assert frames["mesh_to_world"][0] == pytest.approx(to_world, abs=1e-6)


Vector = list[float]


def times(vector: Vector, matrix: list[Vector]) -> Vector:
    return [sum(vector[row] * matrix[row][column] for row in range(3)) for column in range(3)]


def cofactors(matrix: list[Vector]) -> list[Vector]:
    """Each entry's 2 x 2 minor with its sign: the inverse transpose times the determinant."""
    return [
        [
            matrix[(r + 1) % 3][(c + 1) % 3] * matrix[(r + 2) % 3][(c + 2) % 3]
            - matrix[(r + 1) % 3][(c + 2) % 3] * matrix[(r + 2) % 3][(c + 1) % 3]
            for c in range(3)
        ]
        for r in range(3)
    ]


def unit(vector: Vector) -> Vector:
    length = sum(one * one for one in vector) ** 0.5
    return [one / length for one in vector]


def turned_normal(rule: str, normal: Vector, influences: list[tuple[float, list[Vector]]]) -> Vector:
    """One vertex' normal by the rule of its shader. influences: weights, and the upper 3 x 3 of their
    matrices.
    """
    blended = [
        [sum(weight * matrix[r][c] for weight, matrix in influences) for c in range(3)] for r in range(3)
    ]
    if rule == "matrix":
        return unit(times(normal, blended))
    if rule == "cofactors":
        return unit(times(normal, cofactors(blended)))
    if rule == "last-joint":
        return unit(times(normal, influences[-1][1]))
    turned = [(weight, unit(times(normal, cofactors(matrix)))) for weight, matrix in influences if weight > 0]
    return unit([sum(weight * one[c] for weight, one in turned) for c in range(3)])


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("d3d9-26", "matrix"),
        ("learnopengl", "last-joint"),
        ("filament", "joint-cofactors"),
        ("bevy", "cofactors"),
    ],
)
def test_normals_are_those_of_the_engines_own_rule(name: str, rule: str, tmp_path: Path, skinscope: Program):
    path = rig_file(tmp_path / "rig.blend", RigOptions(seed=8, vertices=80, bones=6, influences=3))
    skinscope(
        "export",
        path,
        "--output",
        tmp_path / "out",
        "--device",
        "cpu",
        "--frames",
        "1:9:4",
        "--profile",
        name,
    )
    bundle, meshes = read_bundle(tmp_path / "out")
    assert bundle["packing"]["normals"] == rule
    skin, frames = meshes["Random mesh"]
    compared = {"skinned_normals": rule}
    if rule != "cofactors":
        compared["cofactor_normals"] = "cofactors"
    assert {one for one in frames if one.endswith("_normals")} == {*compared, "blender_normals"}
    angles = []
    for frame in range(3):
        for vertex in range(80):
            entries = range(skin["starts"][vertex], skin["starts"][vertex + 1])
            influences = [
                (float(skin["weights"][one]), frames["final"][frame, skin["joints"][one], :3, :3].tolist())
                for one in entries
            ]
            for array, its_rule in compared.items():
                expected = turned_normal(its_rule, skin["normals"][vertex].tolist(), influences)
                assert frames[array][frame, vertex].tolist() == pytest.approx(expected, abs=2e-5)
            true = turned_normal("cofactors", skin["normals"][vertex].tolist(), influences)
            across = np.clip(np.dot(frames["skinned_normals"][frame, vertex], true), -1, 1)
            angles.append(np.degrees(np.arccos(across)))
    assert (max(angles) > 10) == (rule != "cofactors")
