"""`skinscope bone-texture` from the outside: its files, what it says, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import bpy
import numpy as np
import pytest

from tests.command_line.conftest import Program
from tests.command_line.crowding.walker_file import walker_file
from tests.engines.skinned_gltf import SkinnedGltf


@pytest.fixture
def walker(tmp_path: Path) -> Path:
    return walker_file(tmp_path / "walker.blend")


def changed(file: Path, code: str) -> Path:
    """Open a file, change it, and save it."""
    bpy.ops.wm.open_mainfile(filepath=str(file))
    armature = next(one for one in bpy.data.objects if one.type == "ARMATURE")
    mesh = next(one for one in bpy.data.objects if one.type == "MESH")
    exec(code, {"bpy": bpy, "armature": armature, "mesh": mesh})  # noqa: S102 - the test's own
    bpy.ops.wm.save_mainfile()
    return file


@pytest.mark.parametrize(
    ("pixel_format", "dtype", "pixels"), [("float32", "<f4", 3), ("half", "<f2", 3), ("unorm16", "<u2", 2)]
)
def test_files_say_how_they_are_read(walker, skinscope: Program, pixel_format, dtype, pixels):
    folder = walker.parent / "out"
    result = skinscope("bone-texture", walker, "--output", folder, "--format", pixel_format)
    assert result.status == 0, result.complaints
    assert {one.name for one in folder.iterdir()} == {"bone-texture.json", "bone-texture.bin", "mesh.glb"}
    manifest = json.loads((folder / "bone-texture.json").read_text(encoding="utf-8"))
    texture, bones, clips = manifest["texture"], manifest["bones"], manifest["clips"]
    numbers = np.frombuffer((folder / "bone-texture.bin").read_bytes(), dtype=dtype)
    assert texture["pixels_per_bone"] == pixels
    assert len(numbers) == 4 * texture["width"] * texture["height"]
    assert texture["width"] == len(bones) * pixels * texture["strips"]
    assert sum(one["samples"] for one in clips) == texture["height"]
    assert f"{texture['width']} x {texture['height']} pixels of {pixel_format}" in result.output
    # The mesh's joints are the texture's bones, and rest where it says.
    mesh = SkinnedGltf.read(folder / "mesh.glb")
    joints = [mesh.document["nodes"][one] for one in mesh.document["skins"][0]["joints"]]
    assert [one["name"] for one in joints] == [one["name"] for one in bones]
    np.testing.assert_allclose([one["matrix"] for one in joints], [one["rest"] for one in bones])


def test_the_mesh_rests_where_blender_has_it(walker, tmp_path, skinscope: Program):
    folder = tmp_path / "out"
    assert skinscope("bone-texture", walker, "--output", folder).status == 0
    found, _ = SkinnedGltf.read(folder / "mesh.glb").positions(None, 0.0)
    bpy.ops.wm.open_mainfile(filepath=str(walker))
    meshes = [one for one in bpy.data.objects if one.type == "MESH"]
    expected = np.array([(mesh.matrix_world @ one.co)[:] for mesh in meshes for one in mesh.data.vertices])
    placed = np.stack((found[:, 0], -found[:, 2], found[:, 1]), axis=1)
    distances = np.linalg.norm(placed[:, None] - expected, axis=-1)
    # Each where one of Blender's is, and none of these left out.
    assert distances.min(axis=1).max() < 1e-6
    assert distances.min(axis=0).max() < 1e-6


def test_bones_relative_to_parents_bring_all_that_they_hang_on(walker, tmp_path, skinscope: Program):
    folder = tmp_path / "out"
    result = skinscope("bone-texture", walker, "--output", folder, "--relative-to", "parent")
    assert result.status == 0, result.complaints
    manifest = json.loads((folder / "bone-texture.json").read_text(encoding="utf-8"))
    assert (manifest["version"], manifest["texture"]["relative_to"]) == (2, "parent")
    bpy.ops.wm.open_mainfile(filepath=str(walker))
    armature = next(one for one in bpy.data.objects if one.type == "ARMATURE")
    bones = {one["name"]: one for one in manifest["bones"]}
    for number, bone in enumerate(manifest["bones"]):
        parent = armature.data.bones[bone["name"]].parent
        assert (parent is None) == (bone["parent"] == -1)
        assert parent is None or bone["parent"] == list(bones).index(parent.name) < number
    # Where the armature stands, in glTF's axes.
    expected = (armature.matrix_world.translation.x, armature.matrix_world.translation.z)
    np.testing.assert_allclose(manifest["root"][12:14], expected, atol=1e-6)


def test_a_smaller_tolerance_takes_more_samples(walker, tmp_path, skinscope: Program):
    heights = []
    for millimetres in (200, 1, 0.01):
        folder = tmp_path / str(millimetres)
        result = skinscope("bone-texture", walker, "--output", folder, "--tolerance", millimetres)
        assert result.status == 0, result.complaints
        manifest = json.loads((folder / "bone-texture.json").read_text(encoding="utf-8"))
        heights.append(manifest["texture"]["height"])
    assert heights[0] < heights[1] < heights[2]


BAD = {
    "scale": (
        "armature.pose.bones[1].scale = (1, 2, 1); armature.pose.bones[1].keyframe_insert('scale', frame=1)",
        ("--format", "unorm16"),
        "unorm16 holds only rotation and translation; choose half or float32, or make a game-ready copy.",
    ),
    "bendy bones": (
        "armature.data.bones[1].bbone_segments = 4",
        (),
        "has bendy bones, which a bone texture has no rows for; make a game-ready copy.",
    ),
    "volume": (
        "next(one for one in mesh.modifiers if one.type == 'ARMATURE').use_deform_preserve_volume = True",
        (),
        "switch Preserve Volume off, or make a game-ready copy.",
    ),
    "size": (
        "",
        ("--largest", "16"),
        "and the largest is 16 x 16; choose fewer clips, or a larger tolerance.",
    ),
    "clip": ("", ("--clips", "Fly"), "There is no clip 'Fly';"),
    "relative to parents": (
        "",
        ("--relative-to", "parent", "--format", "unorm16"),
        "unorm16 holds movements from rest; choose --format float32 or half for --relative-to parent.",
    ),
    "tolerance": ("", ("--tolerance", "none"), "'none' is not a tolerance; write millimetres above 0"),
    "largest": (
        "",
        ("--largest", "5"),
        "'5' is not a size of a texture; write a whole number from 16 to 32768.",
    ),
}


@pytest.mark.parametrize("what", BAD)
def test_what_it_refuses(walker, tmp_path, skinscope: Program, what):
    code, options, sentence = BAD[what]
    if code:
        changed(walker, code)
    folder = tmp_path / "out"
    result = skinscope("bone-texture", walker, "--output", folder, *options)
    assert result.status == 2
    assert sentence in " ".join(result.complaints)
    assert not folder.exists()


def test_a_folder_that_cannot_be_written(walker, tmp_path, skinscope: Program):
    (tmp_path / "file").write_text("")
    result = skinscope("bone-texture", walker, "--output", tmp_path / "file")
    assert result.status == 2
    assert "can't be written to" in " ".join(result.complaints)


SPIKE = """
scene = bpy.context.scene
scene.render.fps = 120
action = bpy.data.actions["Idle"]
armature.animation_data.action = action
if hasattr(armature.animation_data, "action_slot"):
    armature.animation_data.action_slot = action.slots[0]
bone = armature.pose.bones["head"]
bone.rotation_mode = "XYZ"
for frame, angle in ((0, 0), (10, 0), (11, 1.2), (12, 0), (48, 0)):
    bone.rotation_euler.x = angle
    bone.keyframe_insert("rotation_euler", frame=frame)
"""


def test_a_movement_of_a_single_frame_is_not_overlooked(walker, tmp_path, skinscope: Program):
    changed(walker, SPIKE)
    result = skinscope("bone-texture", walker, "--output", tmp_path / "out", "--clips", "Idle")
    assert result.status == 0, result.complaints
    manifest = json.loads((tmp_path / "out" / "bone-texture.json").read_text(encoding="utf-8"))
    (clip,) = manifest["clips"]
    texture = manifest["texture"]
    pixels = np.frombuffer((tmp_path / "out" / texture["file"]).read_bytes(), dtype="<f4")
    rows = pixels.reshape(texture["height"], len(manifest["bones"]), 3, 4)
    head = next(number for number, one in enumerate(manifest["bones"]) if one["name"] == "head")
    # The largest turn of any sample, from the trace of its matrix.
    cosine = (np.trace(rows[:, head, :, :3], axis1=1, axis2=2) - 1) / 2
    assert np.arccos(cosine.min()) == pytest.approx(1.2, abs=0.02)
    assert clip["samples_per_second"] >= 100


def test_only_clips_that_end_as_they_begin_loop(walker, tmp_path, skinscope: Program):
    changed(
        walker,
        "action = bpy.data.actions['Idle'].copy(); action.name = 'Fall'; armature.animation_data.action = action\n"
        "if hasattr(armature.animation_data, 'action_slot'): armature.animation_data.action_slot = action.slots[0]\n"
        "bone = armature.pose.bones['head']; end = action.frame_range[1]\n"
        "bone.location.y = 0; bone.keyframe_insert('location', frame=action.frame_range[0])\n"
        "bone.location.y = -0.5; bone.keyframe_insert('location', frame=end)",
    )
    result = skinscope("bone-texture", walker, "--output", tmp_path / "out")
    assert result.status == 0, result.complaints
    manifest = json.loads((tmp_path / "out" / "bone-texture.json").read_text(encoding="utf-8"))
    loops = {one["name"]: one["loops"] for one in manifest["clips"]}
    assert loops["Walk"]
    assert not loops["Fall"]


def test_a_folder_without_a_name_is_not_the_current_one(walker, tmp_path, monkeypatch, skinscope: Program):
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    result = skinscope("bone-texture", walker, "--output", "")
    assert result.status == 2
    assert "--output names no folder; write one, such as 'out'." in " ".join(result.complaints)
    assert sorted(tmp_path.iterdir()) == before
