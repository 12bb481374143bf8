"""`refit` of files that have game-ready copies already, and of clips whose names are longer than Blender's tracks
take.
"""

from __future__ import annotations

import json
from pathlib import Path

import bpy
import pytest

from skinning_addon.scene.clips.actions import GAME_READY
from skinning_addon.scene.files import open_file
from tests.command_line.conftest import Program, skinscope
from tests.command_line.rig_files import rig_file, without_flaws
from tests.engines.skinned_gltf import SkinnedGltf
from tests.scene.random_rig import RandomRig, RigOptions

__all__ = ["skinscope"]

EIGHT = RigOptions(seed=12, influences=8, scale="none")
CLEAN = RigOptions(seed=12, influences=3, scale="none")


def copied(skinscope: Program, source: Path, output: Path, *given: str) -> tuple[str, dict]:
    """Return what is printed, and the report's only copy."""
    report = output.with_suffix(".json")
    result = skinscope(
        "refit", source, "--profile", "threejs", "--output", output, "--report", report, *given
    )
    assert result.status == 0, result.complaints
    (copy,) = json.loads(report.read_text(encoding="utf-8"))["copies"]
    return result.output, copy


@pytest.mark.parametrize("kind", ["runtime", "baked"])
def test_the_originals_are_copied_again(tmp_path: Path, skinscope: Program, kind: str):
    rig = rig_file(tmp_path / "rig.blend", EIGHT, without_flaws)
    said, first = copied(skinscope, rig, tmp_path / "once.blend", "--kind", kind)
    assert "are not copied" not in said
    said, second = copied(skinscope, tmp_path / "once.blend", tmp_path / "twice.blend", "--clips", "Sway")
    name = first["armature"]
    assert f"Game-ready copies that were there already are not copied: '{name} game-ready'.\n" in said
    told = json.loads((tmp_path / "twice.json").read_text(encoding="utf-8"))
    assert told["left_out"] == [f"{name} game-ready"]
    assert second["armature"] == name
    assert second["clips"] == first["clips"] == ["Sway"]
    assert second["before"] == pytest.approx(first["before"], rel=1e-6)
    if kind == "runtime":
        assert second["after"] == pytest.approx(first["after"], rel=1e-6)
    open_file(tmp_path / "twice.blend")
    armatures = {one.name for one in bpy.data.objects if one.type == "ARMATURE"}
    assert armatures == {name, f"{name} game-ready", f"{name} game-ready.001"}
    for copy in armatures - {name}:
        assert [one.name for one in bpy.data.objects[copy].animation_data.nla_tracks] == ["Sway"]


def clips_in_file(path: Path) -> list[str]:
    """Return the clips of a file, and open it."""
    if path.suffix == ".glb":
        return SkinnedGltf.read(path).clips
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.import_scene.fbx(filepath=str(path))
    return [one.name.split("|")[-1] for one in bpy.data.actions]


@pytest.mark.parametrize("extension", [".glb", ".fbx"])
def test_a_file_of_the_copies_alone_has_none_of_the_older_ones(
    tmp_path: Path, skinscope: Program, extension: str
):
    rig = rig_file(tmp_path / "rig.blend", CLEAN, without_flaws)
    copied(skinscope, rig, tmp_path / "once.blend")
    again = tmp_path / f"again{extension}"
    copied(skinscope, tmp_path / "once.blend", again)
    assert clips_in_file(again) == ["Sway"]
    checked = skinscope("check-file", again, "--against", rig, "--clips", "all", "--format", "json")
    assert checked.status == 0, checked.output
    (mesh,) = checked.json["files"][0]["meshes"]
    assert mesh["object"] == "Random mesh"


def test_a_file_of_copies_is_refused(tmp_path: Path, skinscope: Program):
    rig = rig_file(tmp_path / "rig.blend", CLEAN, without_flaws)
    copied(skinscope, rig, tmp_path / "once.blend")
    open_file(tmp_path / "once.blend")
    bpy.data.batch_remove(
        [one for one in bpy.data.objects if not any(GAME_READY in each for each in one.users_collection)]
    )
    alone = tmp_path / "alone.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(alone))
    result = skinscope("refit", alone, "--profile", "threejs", "--output", tmp_path / "copy.glb")
    assert result.status == 2
    assert result.complaints[-1] == (
        f"The characters of '{alone}' are game-ready copies already; choose the file with their originals."
    )
    assert not (tmp_path / "copy.glb").exists()


def test_clips_with_names_that_blender_cuts(tmp_path: Path, skinscope: Program):
    """Tracks take 63 bytes; with these, the names of two clips are the same."""

    def rename(rig: RandomRig) -> None:
        without_flaws(rig)
        action = rig.armature.animation_data.action
        other = action.copy()
        other.use_fake_user = True
        action.name, other.name = (f"{'x' * 200}{ending}" for ending in ("one", "two"))

    rig = rig_file(tmp_path / "rig.blend", CLEAN, rename)
    _, copy = copied(skinscope, rig, tmp_path / "copy.glb")
    assert copy["after"] < 1e-4
    assert len(set(copy["clips"])) == 2
    found = SkinnedGltf.read(tmp_path / "copy.glb").clips
    assert len(set(found)) == 2
