"""`export`: the output suffices to recompute the result, and says what to expect."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.command_line.program.folder_names import folder_names
from tests.command_line.bundles import read_bundle, recomputed
from tests.command_line.conftest import Program
from tests.command_line.rig_files import blender_positions, rig_file
from tests.installed_package import CHECKOUT
from tests.scene.random_rig import RandomRig, RigOptions

DOCUMENT = CHECKOUT / "docs" / "export-format.md"


@pytest.mark.processes
def test_the_documented_example_recomputes_the_result(tmp_path: Path, skinscope: Program):
    path = rig_file(tmp_path / "rig.blend", RigOptions(transformed=True, constraints=True))
    result = skinscope("export", path, "--output", tmp_path / "out", "--device", "cpu")
    assert (result.status, result.complaints) == (0, ())
    assert result.output == f"{tmp_path / 'out'}: 1 mesh, 1 skeleton of 12 bones, 1 clip, 9 frames.\n"
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
    assert (bundle["version"], bundle["file"], bundle["profile"]) == (2, str(path), "blender")
    assert bundle["unit_scale"] == pytest.approx(1.0)
    assert bundle["axes"] == {"up": "Z", "forward": "-Y", "handedness": "right"}
    assert bundle["clips"] == [{"name": "Sway", "file": bundle["file"], "frames": [1.0, 3.0, 5.0, 7.0, 9.0]}]
    assert bundle["left_out"] == []
    (mesh,) = bundle["meshes"]
    assert mesh == {
        "object": "Random mesh",
        "library": None,
        "armature": "Random",
        "armature_library": None,
        "folder": "random-mesh",
        "vertices": 300,
        "joints": mesh["joints"],
        "exact": True,
        "reasons": [],
        "materials": [],
        "suppressions": None,
        "passes": [
            {
                "armature": "Random",
                "armature_library": None,
                "blend": "linear",
                "input": "previous",
                "masked": False,
            }
        ],
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
        "joint_bones": (J,),
        "parents": (J,),
        "rest_to_root": (J, 4, 4),
        "offset": (J, 4, 4),
        "packed_joints": (V, K),
        "packed_weights": (V, K),
        "drawn_vertex": (D,),
        "drawn_normals": (D, 3),
        "drawn_uv": (D, 2),
        "drawn_triangles": (T, 3),
        "triangle_materials": (T,),
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


def test_positions_are_blenders_and_matrices_fit_together(tmp_path: Path, skinscope: Program):
    path = rig_file(tmp_path / "rig.blend", RigOptions(transformed=True))
    skinscope("export", path, "--output", tmp_path / "out", "--device", "cpu")
    _, meshes = read_bundle(tmp_path / "out")
    skin, frames = meshes["Random mesh"]
    for index in (0, 3, 8):
        truth = blender_positions(path, "Random mesh", frames["frames"][index])
        assert np.array_equal(frames["blender_positions"][index], truth)
        assert frames["skinned_positions"][index] == pytest.approx(truth, abs=1e-5)
        assert recomputed(skin, frames, index, skin["positions"]) == pytest.approx(truth, abs=1e-5)
        root_to_mesh = np.linalg.inv(frames["mesh_to_root"][index])
        assert skin["offset"] @ frames["to_root"][index] @ root_to_mesh == pytest.approx(
            frames["final"][index], abs=1e-5
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


@pytest.mark.parametrize("setting", ["use_deform_preserve_volume", "invert_vertex_group"])
def test_a_skin_whose_settings_are_animated_is_left_out_by_name(
    tmp_path: Path, skinscope: Program, setting: str
):
    """One file holds one blend and one mask; what it would say of the other frames is not what Blender
    shows.
    """

    def change(rig: RandomRig) -> None:
        for frame, on in ((1, False), (5, True)):
            setattr(rig.mesh.modifiers[0], setting, on)
            rig.mesh.modifiers[0].keyframe_insert(setting, frame=frame)

    path = rig_file(tmp_path / "rig.blend", RigOptions(mask=True), change)
    result = skinscope("export", path, "--output", tmp_path / "out", "--device", "cpu", "--frames", "1:9:4")
    assert result.complaints[0].startswith(
        "'Random mesh' is left out: at frame 5 its weights or its blending"
    )


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
    assert "has no mesh to export" in result.complaints[0]
    assert not (tmp_path / "out" / "bundle.json").exists()


@pytest.mark.gpu
def test_the_gpus_result_is_what_is_written(tmp_path: Path, skinscope: Program):
    path = rig_file(tmp_path / "rig.blend")
    for device in ("gpu", "cpu"):
        skinscope("export", path, "--output", tmp_path / device, "--device", device)
    (_, on_gpu), (_, on_cpu) = (read_bundle(tmp_path / device)[1]["Random mesh"] for device in ("gpu", "cpu"))
    assert on_gpu["skinned_positions"] == pytest.approx(on_cpu["skinned_positions"], abs=1e-5)
    assert np.array_equal(on_gpu["final"], on_cpu["final"])
