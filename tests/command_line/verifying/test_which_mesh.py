"""`check-file` on meshes that look alike: which of the file's vertices are which of the scene's."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest

from tests.command_line.conftest import Program, skinscope
from tests.command_line.verifying.tubes import empty_scene, tube

__all__ = ["skinscope"]

CLOSE = ("--clips", "all", "--tolerance", "1e-5", "--format", "json")


def saved(folder: Path) -> Path:
    """Save the open file; return its path."""
    rig = folder / "rig.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(rig))
    return rig


def test_two_of_one_shape_at_one_place(tmp_path: Path, skinscope: Program):
    """Only the second clip moves the second: at the first clip's frames, nothing tells its vertices apart."""
    empty_scene()
    tube("One", "Bend", 0.5)
    tube("Other", "Lean", -0.7)
    rig, file = saved(tmp_path), tmp_path / "rig.glb"
    bpy.ops.export_scene.gltf(filepath=str(file), export_all_influences=True)
    result = skinscope("check-file", file, "--against", rig, *CLOSE)
    assert result.status == 0, result.output
    (told,) = result.json["files"]
    assert [(one["object"], one["deviation"]["frames"]) for one in told["meshes"]] == [
        ("One", 9),
        ("Other", 9),
    ]


def leaning(armature: bpy.types.Object, axis: int) -> None:
    """Key a lean of each bone around its own X or Z."""
    for bone in armature.pose.bones:
        for frame, share in ((1, 0.2), (5, 0.8), (9, -0.5)):
            bone.rotation_euler = (0.0, 0.0, 0.0)
            bone.rotation_euler[axis] = 0.02 * share
            bone.keyframe_insert("rotation_euler", frame=frame)


def positions(mesh: bpy.types.Object) -> np.ndarray:
    """Return Blender's evaluated positions (F, V, 3) at frames 1 to 9; the mesh is where the world begins."""
    played = []
    for frame in range(1, 10):
        bpy.context.scene.frame_set(frame)
        evaluated = mesh.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
        played.append([tuple(one.co) for one in evaluated.vertices])
    return np.array(played)


def test_a_round_mesh_that_leans_to_another_side_than_in_the_file(tmp_path: Path, skinscope: Program):
    """Turned by a quarter, the file's would be exactly where Blender's is, but its vertices aren't Blender's then."""
    empty_scene()
    armature, mesh = tube("One", "Bend", 0.0)
    file = tmp_path / "rig.glb"
    leaning(armature, 0)
    before = positions(mesh)
    bpy.ops.export_scene.gltf(filepath=str(file), export_all_influences=True)
    leaning(armature, 2)
    largest = np.linalg.norm(positions(mesh) - before, axis=2).max()
    result = skinscope("check-file", file, "--against", saved(tmp_path), *CLOSE)
    (told,) = result.json["files"]
    (found,) = told["meshes"]
    assert found["deviation"]["max"] == pytest.approx(largest, rel=1e-3)


def test_renamed_meshes_are_told_apart_by_their_motion(tmp_path: Path, skinscope: Program):
    """Both have one mesh data-block, and other object names than in the file."""
    empty_scene()
    _, one = tube("One", "Bend", 0.5)
    _, other = tube("Other", "Lean", -0.7)
    other.data = one.data
    rig, file = saved(tmp_path), tmp_path / "rig.glb"
    one.name, other.name = "Zoe", "Anna"
    bpy.ops.export_scene.gltf(filepath=str(file), export_all_influences=True)
    result = skinscope("check-file", file, "--against", rig, *CLOSE)
    assert result.status == 0, result.output
    (told,) = result.json["files"]
    assert len(told["meshes"]) == 2
    assumed = {one["object"]: one["message"] for one in told["findings"] if one["rule"] == "mesh-assumed"}
    assert assumed.keys() == {"One", "Other"}
    assert "'Zoe' is assumed to be it" in assumed["One"]
    assert "'Anna' is assumed to be it" in assumed["Other"]


def test_another_mesh_of_that_shape_is_not_assumed(tmp_path: Path, skinscope: Program):
    """The one in the file moves in another way."""
    empty_scene()
    tube("One", "Bend", 0.5)
    tube("Other", "Lean", -0.7)
    third, mesh = tube("Third", "Bow", 0.9)
    rig, file = saved(tmp_path), tmp_path / "rig.glb"
    mesh.name = mesh.data.name = "Zoe"
    bpy.data.objects.remove(bpy.data.objects["Other"])
    bpy.data.objects.remove(bpy.data.objects["Other rig"])
    leaning(third, 0)
    bpy.ops.export_scene.gltf(filepath=str(file), export_all_influences=True)
    result = skinscope("check-file", file, "--against", rig, *CLOSE)
    (told,) = result.json["files"]
    assert [one["object"] for one in told["meshes"]] == ["One"]
    assert {"mesh-not-in-file", "mesh-not-in-scene"} <= {one["rule"] for one in told["findings"]}
