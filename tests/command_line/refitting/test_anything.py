"""`refit --bones N`: meshes without an armature get bones. The judges are the written files, read with no code of
ours, and Blender's evaluated mesh.
"""

from __future__ import annotations

import json
from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.scene.files import open_file
from tests.command_line.conftest import Program, skinscope
from tests.engines.exported_rig import from_y_up, seconds
from tests.engines.skinned_gltf import SkinnedGltf
from tests.measurement.refit.moving_scenes import SCENES, cloth, limb
from tests.measurement.refit.played_meshes import PLAYED, frames_of, played, saved, vertices_of

__all__ = ["skinscope"]

NEAR = {"cloth": 0.02, "limb": 0.004, "face": 0.006, "nodes": 0.01}
"""Metres that ten bones leave of shapes a metre wide, measured, and a half more."""


@pytest.mark.parametrize("name", SCENES)
def test_a_glb_moves_as_blender_moves_the_mesh(tmp_path: Path, skinscope: Program, name: str):
    source = saved(name, tmp_path / "scene.blend")
    wanted = played(source)
    before = source.read_bytes()
    result = skinscope(
        "refit", source, "--profile", "threejs", "--bones", 10,
        "--output", tmp_path / "bones.glb", "--report", tmp_path / "report.json",
    )  # fmt: skip
    assert result.status == 0, result.complaints
    assert source.read_bytes() == before
    file = SkinnedGltf.read(tmp_path / "bones.glb")
    assert file.clips == ["Scene"]
    captured = [file.positions("Scene", seconds(frame)) for frame in PLAYED]
    moved = from_y_up(np.array([one for one, _ in captured]))
    (told,) = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["meshes"]
    of_vertex = vertices_of(moved, wanted)
    off = np.linalg.norm(moved - wanted[:, of_vertex], axis=2)
    assert set(of_vertex.tolist()) == set(range(wanted.shape[1])), "no vertex is missing"
    assert off.max() == pytest.approx(told["after"]["largest"], rel=0.02, abs=1e-5)
    assert off.max() < NEAR[name]
    assert told["bones"] == 10
    assert told["influences"] <= 4
    assert len(file.document["skins"][0]["joints"]) >= 10


@pytest.mark.parametrize("name", SCENES)
def test_check_file_finds_what_refit_says(tmp_path: Path, skinscope: Program, name: str):
    source = saved(name, tmp_path / "scene.blend")
    copy, report = tmp_path / "bones.glb", tmp_path / "report.json"
    result = skinscope(
        "refit", source, "--profile", "threejs", "--bones", 10, "--output", copy, "--report", report
    )
    assert result.status == 0, result.complaints
    (told,) = json.loads(report.read_text(encoding="utf-8"))["meshes"]
    checked = skinscope("check-file", copy, "--against", source, "--format", "json", "--tolerance", "1m")
    assert checked.status == 0, checked.output + str(checked.complaints)
    (file,) = checked.json["files"]
    assert file["findings"] == []
    (mesh,) = file["meshes"]
    assert mesh["deviation"]["frames"] == len(PLAYED)
    assert mesh["deviation"]["max"] == pytest.approx(told["after"]["largest"], rel=0.02, abs=1e-5)


def test_check_file_compares_bones_beside_a_character(tmp_path: Path, skinscope: Program):
    """The file has the cloth alone, and so has the comparison."""
    limb()
    armature = bpy.data.objects.new("Bones", bpy.data.armatures.new("Bones"))
    body = bpy.data.objects.new("Body", bpy.data.objects["Limb"].data.copy())
    for one in (armature, body):
        bpy.context.scene.collection.objects.link(one)
    body.modifiers.new("Armature", "ARMATURE").object = armature
    source, copy = tmp_path / "scene.blend", tmp_path / "bones.glb"
    bpy.ops.wm.save_as_mainfile(filepath=str(source))
    assert skinscope("refit", source, "--profile", "threejs", "--bones", 10, "--output", copy).status == 0
    arguments = ("check-file", copy, "--against", source, "--format", "json", "--tolerance", "1m")
    for clips in ((), ("--clips", "all"), ("--clips", "Scene")):
        (file,) = skinscope(*arguments, *clips).json["files"]
        assert [one["object"] for one in file["meshes"]] == ["Limb"]
        assert 0 < file["meshes"][0]["deviation"]["max"] < NEAR["limb"]
    refused = skinscope(*arguments, "--clips", "Walk")
    assert refused.status == 2
    assert refused.complaints[0].startswith("There is no clip 'Walk'")


def test_check_file_of_bones_in_an_fbx_file(tmp_path: Path, skinscope: Program):
    source, copy = saved("limb", tmp_path / "scene.blend"), tmp_path / "bones.fbx"
    assert skinscope("refit", source, "--profile", "threejs", "--bones", 10, "--output", copy).status == 0
    checked = skinscope("check-file", copy, "--against", source, "--format", "json", "--tolerance", "1m")
    assert checked.status == 0, checked.output + str(checked.complaints)
    (file,) = checked.json["files"]
    assert 0 < file["meshes"][0]["deviation"]["max"] < NEAR["limb"]


def test_a_blend_file_keeps_the_original_and_what_stands_still(tmp_path: Path, skinscope: Program):
    """A shape key that is set and not animated stays on the copy; animated ones are in the bones."""
    source = saved("face", tmp_path / "scene.blend")
    wanted = played(source)
    output = tmp_path / "bones.blend"
    assert skinscope("refit", source, "--profile", "threejs", "--bones", 10, "--output", output).status == 0
    open_file(output)
    original, copy = (bpy.data.objects[name] for name in ("Face", "Face game-ready"))
    assert len(original.data.shape_keys.key_blocks) == 10
    assert [one.name for one in copy.data.shape_keys.key_blocks] == ["Basis", "Stays"]
    assert copy.data.shape_keys.key_blocks["Stays"].value == 0.5
    assert frames_of(original) == pytest.approx(wanted, abs=1e-6)
    assert np.linalg.norm(frames_of(copy) - wanted, axis=2).max() < NEAR["face"]
    armature = copy.find_armature()
    assert "do not blend or retarget" in armature["skinscope_game_ready"]
    assert {one.name for one in bpy.data.objects} == {
        "Face", "Face game-ready", armature.name
    }, "what stood in for the copy meanwhile is gone"  # fmt: skip


def test_what_only_its_object_moves_needs_no_bones(tmp_path: Path, skinscope: Program):
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.mesh.primitive_cube_add()
    cube = bpy.context.object
    for frame in (1, 9):
        cube.location.x = frame
        cube.keyframe_insert("location", frame=frame)
    refused(tmp_path, skinscope, "has no mesh without an armature whose vertices move from frame 1 to 250")


def test_a_mesh_that_gets_other_vertices_is_refused(tmp_path: Path, skinscope: Program):
    sheet = cloth()
    build = sheet.modifiers.new("Build", "BUILD")
    build.frame_start, build.frame_duration = 1, 10
    refused(tmp_path, skinscope, "bones need the same vertices in every frame")


def test_too_few_vertices_are_refused(tmp_path: Path, skinscope: Program):
    cloth(4)
    refused(tmp_path, skinscope, "16 vertices are too few for 10 bones; ask for 5 at most")


@pytest.mark.parametrize("count", ["0", "-3", "many", "1001"])
def test_no_number_of_bones(tmp_path: Path, skinscope: Program, count: str):
    cloth(4)
    refused(tmp_path, skinscope, "is not a number of bones; write a whole number from 1 to 1000", count)


def refused(folder: Path, skinscope: Program, sentence: str, bones: str = "10") -> None:
    """Save the scene; expect a sentence, and no file."""
    source, written = folder / "scene.blend", folder / "written"
    written.mkdir()
    bpy.ops.wm.save_as_mainfile(filepath=str(source))
    output = written / "bones.glb"
    result = skinscope("refit", source, "--profile", "threejs", f"--bones={bones}", "--output", output)
    assert result.status == 2
    assert sentence in result.complaints[-1]
    assert list(written.iterdir()) == []
