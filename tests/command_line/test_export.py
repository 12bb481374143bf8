"""`export`: what is written is enough to recompute the result, and says what to expect."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.command_line.export import folder_names
from skinning_addon.core.profiles.catalogue import load_profile, profile_ids
from skinning_addon.core.profiles.profile import AllZero
from tests.installed_package import CHECKOUT
from tests.scene.random_rig import RandomRig, RigOptions

from .conftest import Program
from .rig_files import blender_positions, rig_file

DOCUMENT = CHECKOUT / "docs" / "export-format.md"

Arrays = dict[str, np.ndarray]


def read_bundle(folder: Path) -> tuple[dict, dict[str, tuple[Arrays, Arrays]]]:
    bundle = json.loads((folder / "bundle.json").read_text(encoding="utf-8"))
    meshes = {
        mesh["object"]: tuple(
            dict(np.load(folder / mesh["folder"] / name)) for name in ("skin.npz", "frames.npz")
        )
        for mesh in bundle["meshes"]
    }
    return bundle, meshes


def recomputed(skin: Arrays, frames: Arrays, frame: int, start: np.ndarray, prefix: str = "") -> np.ndarray:
    """Skin by the definition, one vertex at a time, from everything but the palette."""
    mesh_to_root = frames[f"{prefix}mesh_to_root"][frame]
    result = np.empty((len(start), 3))
    amount = skin.get(f"{prefix}amount")
    starts = skin[f"{prefix}starts"]
    for vertex, position in enumerate(start):
        total = np.zeros(4)
        for entry in range(starts[vertex], starts[vertex + 1]):
            joint = skin[f"{prefix}joints"][entry]
            offset = mesh_to_root @ np.linalg.inv(skin[f"{prefix}rest_to_root"][joint])
            to_root = frames[f"{prefix}to_root"][frame, joint]
            moved = np.append(position, 1) @ offset @ to_root @ np.linalg.inv(mesh_to_root)
            total += skin[f"{prefix}weights"][entry] * moved
        result[vertex] = total[:3] if amount is None else position + amount[vertex] * (total[:3] - position)
    return result


def test_the_documented_example_recomputes_the_result(tmp_path: Path, skinscope: Program):
    path = rig_file(tmp_path / "rig.blend", RigOptions(transformed=True, constraints=True))
    result = skinscope("export", path, "--output", tmp_path / "out", "--device", "cpu")
    assert (result.status, result.complaints) == (0, ())
    assert result.output == f"{tmp_path / 'out'}: 1 mesh, 1 clip, 9 frames.\n"
    (example,) = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    program = sys.executable if not bpy.app.binary_path else "python3"
    printed = subprocess.run(
        [program, "-c", example, str(tmp_path / "out")], capture_output=True, text=True, check=True
    ).stdout
    name, worst = printed.rsplit(maxsplit=1)
    assert name == "Random mesh"
    assert 0 < float(worst) < 1e-5


def test_what_is_written_has_the_documented_shape(tmp_path: Path, skinscope: Program):
    path = rig_file(tmp_path / "rig.blend")
    skinscope(
        "export",
        path,
        "--output",
        tmp_path / "out",
        "--device",
        "cpu",
        "--clips",
        "Sway",
        "--frames",
        "1:9:2",
    )
    bundle, meshes = read_bundle(tmp_path / "out")
    assert (bundle["version"], bundle["file"], bundle["profile"]) == (1, str(path), "blender")
    assert bundle["unit_scale"] == pytest.approx(1.0)
    assert bundle["axes"] == {"up": "Z", "forward": "-Y", "handedness": "right"}
    assert bundle["clips"] == [{"name": "Sway", "frames": [1.0, 3.0, 5.0, 7.0, 9.0]}]
    assert bundle["left_out"] == []
    (mesh,) = bundle["meshes"]
    assert mesh == {
        "object": "Random mesh",
        "armature": "Random",
        "folder": "random-mesh",
        "vertices": 300,
        "joints": mesh["joints"],
        "exact": True,
        "reasons": [],
        "passes": [{"armature": "Random", "blend": "linear", "input": "previous", "masked": False}],
    }
    skin, frames = meshes["Random mesh"]
    V, J, F = 300, mesh["joints"], 5
    T, N = len(skin["triangles"]), len(skin["weights"])
    D, K = len(skin["drawn_vertex"]), int(np.diff(skin["starts"]).max())
    assert {name: values.shape for name, values in skin.items()} == {
        "positions": (V, 3),
        "normals": (V, 3),
        "triangles": (T, 3),
        "starts": (V + 1,),
        "joints": (N,),
        "weights": (N,),
        "joint_names": (J,),
        "parents": (J,),
        "rest_to_root": (J, 4, 4),
        "offset": (J, 4, 4),
        "packed_joints": (V, K),
        "packed_weights": (V, K),
        "drawn_vertex": (D,),
        "drawn_normals": (D, 3),
        "drawn_uv": (D, 2),
        "drawn_triangles": (T, 3),
    }
    assert {name: values.shape for name, values in frames.items()} == {
        "clip": (F,),
        "frames": (F,),
        "mesh_to_root": (F, 4, 4),
        "to_root": (F, J, 4, 4),
        "final": (F, J, 4, 4),
        "palette": (F, J, 4, 4),
        "mesh_to_world": (F, 4, 4),
        "skinned_positions": (F, V, 3),
        "skinned_normals": (F, V, 3),
        "blender_positions": (F, V, 3),
        "blender_normals": (F, V, 3),
    }
    assert frames["clip"].tolist() == ["Sway"] * F
    assert frames["frames"].tolist() == [1, 3, 5, 7, 9]
    assert np.add.reduceat(skin["weights"], skin["starts"][:-1]) == pytest.approx(1, abs=1e-5)
    assert np.linalg.norm(frames["skinned_normals"], axis=2) == pytest.approx(1, abs=1e-4)


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
    place = 4
    assert recomputed(skin, frames, place, skin["positions"]) == pytest.approx(
        frames["skinned_positions"][place], abs=1e-5
    )
    assert np.abs(frames["skinned_positions"] - frames["blender_positions"]).max() > 1e-3


def test_positions_are_blenders_and_matrices_fit_together(tmp_path: Path, skinscope: Program):
    path = rig_file(tmp_path / "rig.blend", RigOptions(transformed=True))
    skinscope("export", path, "--output", tmp_path / "out", "--device", "cpu")
    _, meshes = read_bundle(tmp_path / "out")
    skin, frames = meshes["Random mesh"]
    for place in (0, 3, 8):
        truth = blender_positions(path, "Random mesh", frames["frames"][place])
        assert np.array_equal(frames["blender_positions"][place], truth)
        assert frames["skinned_positions"][place] == pytest.approx(truth, abs=1e-5)
        assert recomputed(skin, frames, place, skin["positions"]) == pytest.approx(truth, abs=1e-5)
        root_to_mesh = np.linalg.inv(frames["mesh_to_root"][place])
        assert skin["offset"] @ frames["to_root"][place] @ root_to_mesh == pytest.approx(
            frames["final"][place], abs=1e-5
        )


def test_joints_are_the_armatures_bones(tmp_path: Path, skinscope: Program):
    path = rig_file(tmp_path / "rig.blend")
    skinscope("export", path, "--output", tmp_path / "out", "--device", "cpu", "--frames", "5")
    _, meshes = read_bundle(tmp_path / "out")
    skin, frames = meshes["Random mesh"]
    names, parents = skin["joint_names"].tolist(), skin["parents"].tolist()
    bpy.ops.wm.open_mainfile(filepath=str(path), load_ui=False)
    bpy.context.scene.frame_set(5)
    rig = bpy.data.objects["Random"]
    posed = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
    assert (names[0], parents[0]) == ("", -1)
    for joint, name in enumerate(names[1:], start=1):
        assert pytest.approx(np.array(posed[name].matrix), abs=1e-5) == frames["to_root"][0, joint].T
        assert (
            pytest.approx(np.array(rig.data.bones[name].matrix_local), abs=1e-6)
            == skin["rest_to_root"][joint].T
        )
        nearest = next((one.name for one in rig.data.bones[name].parent_recursive if one.name in names), None)
        assert parents[joint] == (names.index(nearest) if nearest else -1)


def test_passes_after_the_first_have_their_number(tmp_path: Path, skinscope: Program):
    path = rig_file(tmp_path / "rig.blend", RigOptions(modifiers=2, mask=True))
    skinscope("export", path, "--output", tmp_path / "out", "--device", "cpu", "--frames", "5")
    bundle, meshes = read_bundle(tmp_path / "out")
    skin, frames = meshes["Random mesh"]
    assert [one["masked"] for one in bundle["meshes"][0]["passes"]] == [True, True]
    between = recomputed(skin, frames, 0, skin["positions"])
    result = recomputed(skin, frames, 0, between, "pass_2_")
    assert result == pytest.approx(frames["blender_positions"][0], abs=1e-5)


def _shape_keys(rig: RandomRig) -> None:
    rig.mesh.shape_key_add(name="Basis")
    key = rig.mesh.shape_key_add(name="Swell")
    for point in key.data:
        point.co = point.co * 1.2
    for frame, value in ((1, 0.0), (9, 1.0)):
        key.value = value
        key.keyframe_insert("value", frame=frame)


def test_positions_before_skinning_are_there_where_they_change(tmp_path: Path, skinscope: Program):
    path = rig_file(tmp_path / "rig.blend", change=_shape_keys)
    skinscope("export", path, "--output", tmp_path / "out", "--device", "cpu", "--frames", "1:9:4")
    _, meshes = read_bundle(tmp_path / "out")
    skin, frames = meshes["Random mesh"]
    assert np.array_equal(frames["input_positions"][0], skin["positions"])
    assert frames["input_positions"][2] == pytest.approx(1.2 * skin["positions"], abs=1e-5)
    truth = blender_positions(path, "Random mesh", 9)
    assert recomputed(skin, frames, 2, frames["input_positions"][2]) == pytest.approx(truth, abs=1e-5)


def test_bendy_bones_are_joints_by_segment(tmp_path: Path, skinscope: Program):
    path = rig_file(tmp_path / "rig.blend", RigOptions(bendy=4))
    result = skinscope("export", path, "--output", tmp_path / "out", "--device", "cpu", "--frames", "5")
    assert result.status == 0
    _, meshes = read_bundle(tmp_path / "out")
    skin, frames = meshes["Random mesh"]
    names = skin["joint_names"].tolist()
    assert {"bone 0[0]", "bone 0[4]", "bone 2"} <= set(names)
    assert len(set(names)) == len(names)
    assert recomputed(skin, frames, 0, skin["positions"]) == pytest.approx(
        frames["blender_positions"][0], abs=1e-5
    )


def test_a_skin_that_changes_with_the_frame_is_left_out_by_name(tmp_path: Path, skinscope: Program):
    def change(rig: RandomRig) -> None:
        plain = rig.mesh.copy()
        plain.name = "Plain"
        bpy.context.scene.collection.objects.link(plain)
        plain.modifiers[0].use_bone_envelopes = False
        _shape_keys(rig)

    path = rig_file(tmp_path / "rig.blend", RigOptions(envelopes=True), change)
    result = skinscope("export", path, "--output", tmp_path / "out", "--device", "cpu")
    bundle, meshes = read_bundle(tmp_path / "out")
    assert result.status == 1
    assert list(meshes) == ["Plain"]
    assert result.complaints == (bundle["left_out"][0]["reason"],)
    assert result.complaints[0].startswith("'Random mesh' is left out: at frame ")


def test_folders_are_ascii_and_numbered_where_they_collide():
    names = ["Body", "body.001", "Body 001", "몸", "옷", "Été/..", "body"]
    assert folder_names(names) == ["body", "body-001", "body-001-2", "mesh", "mesh-2", "ete", "body-2"]


def test_a_folder_that_cannot_be_written_to_is_told(tmp_path: Path, skinscope: Program):
    (tmp_path / "file").touch()
    result = skinscope("export", tmp_path / "any.blend", "--output", tmp_path / "file" / "out")
    assert result.status == 2
    assert result.complaints[0].startswith(f"The folder '{tmp_path}/file/out' can't be written to (")


def test_a_file_without_a_character_is_told(tmp_path: Path, skinscope: Program):
    path = rig_file(tmp_path / "rig.blend", change=lambda rig: bpy.data.objects.remove(rig.mesh))
    result = skinscope("export", path, "--output", tmp_path / "out", "--device", "cpu")
    assert result.status == 2
    assert "has no mesh that can be exported" in result.complaints[0]
    assert not (tmp_path / "out" / "bundle.json").exists()


@pytest.mark.gpu
def test_the_gpus_result_is_what_is_written(tmp_path: Path, skinscope: Program):
    path = rig_file(tmp_path / "rig.blend")
    for device in ("gpu", "cpu"):
        skinscope("export", path, "--output", tmp_path / device, "--device", device)
    (_, on_gpu), (_, on_cpu) = (read_bundle(tmp_path / device)[1]["Random mesh"] for device in ("gpu", "cpu"))
    assert on_gpu["skinned_positions"] == pytest.approx(on_cpu["skinned_positions"], abs=1e-5)
    assert np.array_equal(on_gpu["final"], on_cpu["final"])


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
    # What is missing pulls to the origin, of the armature or of the world: that is where its joint takes everything.
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
    path = rig_file(tmp_path / "rig.blend", RigOptions(seed=6, bones=60, vertices=900, influences=4))
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
        joints = skin["call_slot_joints"][call][skin["call_packed_joints"][vertices]]
        weights = skin["packed_weights"][source]
        carries = np.zeros(joints.shape, dtype=bool)
        carries[:, : weights.shape[1]] = weights > 0
        assert np.array_equal(joints[carries], skin["packed_joints"][source][carries])
        drawn.append(numbers)
    every = np.sort(np.concatenate([*drawn, skin["oversized_triangles"]]))
    assert np.array_equal(every, np.arange(len(skin["triangles"])))
    if name == "bevy":
        assert calls == 1


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
