"""`check` under engines' profiles."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line.conftest import Program
from tests.command_line.rig_files import rig_file, without_flaws
from tests.scene.random_rig import RigOptions


def test_engines_are_measured_side_by_side(tmp_path: Path, skinscope: Program):
    path = rig_file(tmp_path / "rig.blend", RigOptions(influences=7))
    own = tmp_path / "mine.toml"
    own.write_text('extends = "unity-1"\nlabel = "Mine"\n', encoding="utf-8")
    arguments = (
        "check",
        path,
        "--device",
        "cpu",
        "--profile",
        "blender",
        "--profile",
        "threejs",
        "--profile",
        own,
    )
    result = skinscope(*arguments, "--format", "json")
    assert result.status == 1
    (file,) = result.json["files"]
    assert [mesh["profile"] for mesh in file["meshes"]] == ["blender", "threejs", "mine"]
    exact, threejs, mine = (mesh["deviation"] for mesh in file["meshes"])
    assert exact["passed"]
    assert exact["tolerance_unit"] == "relative"
    assert 1e-3 < threejs["max"] < mine["max"]
    assert (threejs["passed"], threejs["tolerance_unit"]) == (False, "m")
    rules = {(finding["rule"], finding["profile"]) for finding in file["findings"]}
    assert {
        ("influence-limit", "threejs"),
        ("influence-limit", "mine"),
        ("non-deform-bones", "threejs"),
    } <= rules
    finding = next(one for one in file["findings"] if one["rule"] == "influence-limit")
    assert finding["count"] > 0
    assert 1 <= finding["frame"] <= 9
    text = skinscope(*arguments).output
    assert "under the profile mine is" in text
    assert "profile threejs (verified); tolerance" in " ".join(text.split())
    assert "profile mine (assumed); tolerance" in " ".join(text.split())
    assert "three.js supports 4 influences per vertex, but 'Random mesh' has more: up to" in " ".join(
        text.split()
    )


def test_a_tolerance_of_ones_own_counts_under_every_profile(tmp_path: Path, skinscope: Program):
    path = rig_file(tmp_path / "rig.blend", RigOptions(influences=4, scale="none"))
    arguments = ("check", path, "--device", "cpu", "--profile", "godot4", "--format", "json")
    meshes = [
        skinscope(*arguments, *more).json["files"][0]["meshes"][0]["deviation"]
        for more in ((), ("--tolerance", "1um"), ("--tolerance", "50%"))
    ]
    assert [mesh["tolerance_unit"] for mesh in meshes] == ["m", "m", "relative"]
    assert [mesh["passed"] for mesh in meshes[1:]] == [False, True]


def test_a_wrong_profile_is_told_before_the_work(tmp_path: Path, skinscope: Program):
    wrong = tmp_path / "wrong.toml"
    wrong.write_text('extends = "threejs"\n[importer]\ninfluences = 0\n', encoding="utf-8")
    result = skinscope("check", tmp_path / "missing.blend", "--profile", wrong)
    assert (result.status, result.output) == (2, "")
    (complaint,) = result.complaints
    assert complaint == (
        f"'{wrong}': importer.influences is 0; it must be a whole number from 1 to 255, or \"all\"."
    )
    other = tmp_path / "other"
    other.mkdir()
    for folder in (tmp_path, other):
        (folder / "same.toml").write_text('extends = "threejs"\n', encoding="utf-8")
    result = skinscope(
        "check", "missing.blend", "--profile", tmp_path / "same.toml", "--profile", other / "same.toml"
    )
    assert result.status == 2
    assert result.complaints[0].startswith("Two profiles are called 'same': ")


@pytest.mark.rigs
def test_a_rig_that_is_fine_in_an_engine_passes_without_a_finding(rigs_folder: Path, skinscope: Program):
    arguments = ("--clips", "Run,Walk", "--frames", "0:10", "--device", "cpu", "--profile", "threejs")
    result = skinscope("check", rigs_folder / "Fox.glb", *arguments, "--format", "json")
    assert result.status == 0
    (file,) = result.json["files"]
    assert file["findings"] == []
    assert file["meshes"][0]["deviation"]["relative"] < 3e-6


@pytest.mark.rigs
def test_a_character_of_many_clips(rigs_folder: Path, skinscope: Program):
    result = skinscope(
        "check", rigs_folder / "Fox.glb", "--clips", "Run,Walk", "--device", "cpu", "--format", "json"
    )
    assert result.status == 0
    (mesh,) = result.json["files"][0]["meshes"]
    assert (mesh["object"], mesh["vertices"], mesh["armature"]) == ("fox", 1728, "root")
    assert mesh["deviation"]["frames"] == 29 + 18
    assert mesh["deviation"]["relative"] < 3e-6


def test_how_somebody_exports_is_predicted_and_told(tmp_path: Path, skinscope: Program):
    path = rig_file(tmp_path / "rig.blend", RigOptions(influences=7, scale="none"), without_flaws)
    (tmp_path / "skinscope.toml").write_text(
        '[check]\nprofiles = ["godot4-8"]\nexport_option = { export_influence_nb = 5 }\n', encoding="utf-8"
    )
    arguments = ("check", path, "--device", "cpu")
    by_hand = ("--profile", "godot4-8", "--export-option", "export_influence_nb=8")
    asked, configured = (
        skinscope(*arguments, *more, "--format", "json").json["files"][0]["meshes"][0]
        for more in (by_hand, ())
    )
    assert asked["exporter_settings"] == {"export_influence_nb": 8}
    assert configured["exporter_settings"] == {"export_influence_nb": 5}
    assert asked["deviation"]["max"] < configured["deviation"]["max"]
    text = skinscope(*arguments, *by_hand).output
    assert "playback assumed), exported with export_influence_nb=8; tolerance" in " ".join(text.split())
