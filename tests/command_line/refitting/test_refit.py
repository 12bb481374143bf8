"""`refit`: writes a file of game-ready copies, which `check-file` compares with the original."""

from __future__ import annotations

import json
from pathlib import Path

import bpy
import pytest

from skinning_addon.scene.clips.actions import fcurves
from skinning_addon.scene.files import open_file
from tests.command_line.conftest import Program, skinscope
from tests.command_line.rig_files import rig_file, without_flaws
from tests.scene.random_rig import RandomRig, RigOptions

__all__ = ["skinscope"]

CLEAN = RigOptions(seed=12, influences=3, scale="none")


@pytest.mark.parametrize("extension", [".glb", ".fbx"])
def test_the_file_deforms_as_the_original_does(tmp_path: Path, skinscope: Program, extension: str):
    rig = rig_file(tmp_path / "rig.blend", CLEAN, without_flaws)
    before = rig.read_bytes()
    copy, report = tmp_path / f"copy{extension}", tmp_path / "report.json"
    result = skinscope("refit", rig, "--profile", "threejs", "--output", copy, "--report", report)
    assert result.status == 0, result.complaints
    assert "game-ready' made with" in result.output
    assert "\nNo vertex needed a fit: all keep their weights.\n" in result.output
    assert result.output.splitlines()[-1] == f"Written to '{copy}'."
    assert rig.read_bytes() == before
    (told,) = json.loads(report.read_text(encoding="utf-8"))["copies"]
    assert len(told["clips"]) == 1
    assert told["after"] < 1e-4

    checked = skinscope("check-file", copy, "--against", rig, "--clips", "all", "--format", "json")
    assert checked.status == 0, checked.output
    (file,) = checked.json["files"]
    (mesh,) = file["meshes"]
    assert mesh["object"] == "Random mesh"
    assert 0 < mesh["deviation"]["relative"] < 1e-5


def with_moving_keys(rig: RandomRig) -> None:
    """Add a shape key that is keyed, and one that follows an object which no copy has."""
    without_flaws(rig)
    size = max(rig.mesh.dimensions)
    rig.mesh.shape_key_add(name="Basis")
    keyed, driven = (rig.mesh.shape_key_add(name=name) for name in ("Keyed", "Driven"))
    for key, axis in ((keyed, 0), (driven, 1)):
        for point in key.data:
            point.co[axis] += 0.2 * size
    leader = bpy.data.objects.new("Leader", None)
    bpy.context.scene.collection.objects.link(leader)
    for frame, value, place in ((1, 0.0, 0.0), (5, 0.75, 0.5), (8, 0.25, 1.0)):
        keyed.value = value
        keyed.keyframe_insert("value", frame=frame)
        leader.location.x = place
        leader.keyframe_insert("location", frame=frame)
    driver = driven.driver_add("value").driver
    driver.type = "SUM"
    variable = driver.variables.new()
    variable.type = "TRANSFORMS"
    variable.targets[0].id, variable.targets[0].transform_type = leader, "LOC_X"
    # Vertices of the two files are found by their places, while no key moves them.
    bpy.context.scene.frame_set(1)


@pytest.mark.parametrize("extension", [".glb", ".fbx"])
def test_shape_keys_move_in_the_file_as_they_do_in_blender(
    tmp_path: Path, skinscope: Program, extension: str
):
    rig = rig_file(tmp_path / "rig.blend", CLEAN, with_moving_keys)
    copy = tmp_path / f"copy{extension}"
    assert skinscope("refit", rig, "--profile", "threejs", "--output", copy).status == 0
    checked = skinscope("check-file", copy, "--against", rig, "--clips", "all", "--format", "json")
    assert checked.status == 0, checked.output
    (file,) = checked.json["files"]
    (mesh,) = file["meshes"]
    assert 0 < mesh["deviation"]["relative"] < 1e-5


def test_a_blend_file_has_the_originals_and_their_copies(tmp_path: Path, skinscope: Program):
    rig = rig_file(tmp_path / "rig.blend", CLEAN, without_flaws)
    copy = tmp_path / "copy.blend"
    assert skinscope("refit", rig, "--profile", "threejs", "--output", copy).status == 0
    assert {one.name for one in tmp_path.iterdir()} == {"rig.blend", "copy.blend"}
    open_file(copy)
    armatures = {one.name for one in bpy.context.scene.objects if one.type == "ARMATURE"}
    (original,) = (name for name in armatures if not name.endswith(" game-ready"))
    assert armatures == {original, f"{original} game-ready"}


def test_what_the_engine_itself_leaves_is_named(tmp_path: Path, skinscope: Program):
    """Godot samples at 30 frames a second what is keyed at 24."""
    rig = rig_file(tmp_path / "rig.blend", CLEAN, without_flaws)
    said = [
        skinscope("refit", rig, "--profile", profile, "--output", tmp_path / "copy.blend").output
        for profile in ("godot4-8", "threejs")
    ]
    named = (
        "Most of what is left: the engine samples animation at a rate that misses keys of the file; set the"
    )
    assert [named in one for one in said] == [True, False]


def test_keys_that_hide_a_mesh_change_nothing_and_stay(tmp_path: Path, skinscope: Program):
    def hide(rig: RandomRig) -> None:
        without_flaws(rig)
        for frame, hidden in ((1, False), (3, True), (8, False)):
            rig.mesh.hide_viewport = hidden
            rig.mesh.keyframe_insert("hide_viewport", frame=frame)

    copies = []
    for name, change in (("shown", without_flaws), ("hidden", hide)):
        rig = rig_file(tmp_path / f"{name}.blend", RigOptions(seed=12, influences=8, scale="none"), change)
        report = tmp_path / f"{name}.json"
        result = skinscope(
            "refit", rig, "--profile", "threejs", "--output", tmp_path / "copy.blend", "--report", report
        )
        assert result.status == 0, result.complaints
        copies += json.loads(report.read_text(encoding="utf-8"))["copies"]
    shown, hidden = copies
    assert hidden["fits"] == shown["fits"]
    assert hidden["after"] == pytest.approx(shown["after"], rel=1e-3)
    open_file(tmp_path / "copy.blend")
    original = bpy.data.objects["Random mesh"]
    (curve,) = (one for one in fcurves(original.animation_data.action) if one.data_path == "hide_viewport")
    assert not curve.mute


@pytest.mark.rigs
def test_what_different_vertices_lose_is_not_added_up(tmp_path: Path, skinscope: Program, rigs_folder: Path):
    """Two influences leave the hip as far off as before, and keys that the exporter leaves out the head."""
    report = tmp_path / "report.json"
    result = skinscope(
        "refit", rigs_folder / "Fox.glb", "--profile", "unity-2", "--clips", "Walk",
        "--output", tmp_path / "copy.blend", "--report", report,
    )  # fmt: skip
    assert result.status == 0, result.complaints
    (told,) = json.loads(report.read_text(encoding="utf-8"))["copies"]
    assert told["moved"] <= (1 + 1e-4) * told["before"], "in Blender nothing got worse"
    assert told["moved"] <= told["after"] < 1.05 * told["before"]


def test_weights_are_fitted_and_the_report_says_what_that_is_worth(tmp_path: Path, skinscope: Program):
    rig = rig_file(tmp_path / "rig.blend", RigOptions(seed=12, influences=8, scale="none"), without_flaws)
    report = tmp_path / "report.json"
    result = skinscope(
        "refit", rig, "--profile", "threejs", "--output", tmp_path / "copy.glb", "--report", report
    )
    assert result.status == 0, result.complaints
    (copy,) = json.loads(report.read_text(encoding="utf-8"))["copies"]
    (fit,) = copy["fits"]
    (clip,) = copy["clips"]
    assert fit["fitted"] > 0
    assert fit["after"][clip]["root_mean_square"] < 0.9 * fit["before"][clip]["root_mean_square"]
    assert fit["held_out"]


def test_baked_clips_are_marked_and_their_drift_is_told(tmp_path: Path, skinscope: Program):
    rig = rig_file(tmp_path / "rig.blend", RigOptions(seed=12, influences=8, scale="none"), without_flaws)
    copy, report = tmp_path / "copy.glb", tmp_path / "report.json"
    given = ("--kind", "baked", "--helper-bones", "4", "--output", copy, "--report", report)
    result = skinscope("refit", rig, "--profile", "threejs", *given)
    assert result.status == 0, result.complaints
    assert "These clips are baked: do not blend or retarget them." in result.output
    (told,) = json.loads(report.read_text(encoding="utf-8"))["copies"]
    assert told["kind"] == "baked"
    assert told["note"] == "A baked clip: do not blend or retarget."
    assert told["helpers"] == []
    names = {one["name"] for one in told["bones"] if not one["name"].startswith("helper.")}
    assert {one["bone"] for one in told["drifts"]} == names
    (worst, *_) = told["drifts"]
    assert f"({worst['bone']!r})" in result.output
    still = {one["bone"]: one for one in told["drifts"] if one["bone"] in told["anchored"]}
    assert still
    assert all(one["distance"] < 1e-4 and one["degrees"] < 0.1 for one in still.values())
    checked = skinscope("check-file", copy, "--against", rig, "--clips", "all", "--format", "json")
    (file,) = checked.json["files"]
    (mesh,) = file["meshes"]
    assert mesh["deviation"]["max"] == pytest.approx(told["after"], rel=0.05)


def test_bones_drift_no_further_than_asked_for(tmp_path: Path, skinscope: Program):
    rig = rig_file(tmp_path / "rig.blend", RigOptions(seed=12, influences=8, scale="none"), without_flaws)
    copy, report = tmp_path / "copy.glb", tmp_path / "report.json"
    given = (
        "--kind",
        "baked",
        "--most-drift",
        "2mm",
        "--most-turn",
        "0.5",
        "--output",
        copy,
        "--report",
        report,
    )
    result = skinscope("refit", rig, "--profile", "threejs", *given)
    assert result.status == 0, result.complaints
    (told,) = json.loads(report.read_text(encoding="utf-8"))["copies"]
    assert 0.001 < max(one["distance"] for one in told["drifts"]) <= 0.002 + 1e-6
    assert 0.1 < max(one["degrees"] for one in told["drifts"]) <= 0.5 + 1e-3


@pytest.mark.arithmetic
def test_a_tolerance_adds_helpers_until_it_is_met_or_says_the_best(tmp_path: Path, skinscope: Program):
    """In frames that the fit has not seen."""
    rig = rig_file(tmp_path / "rig.blend", RigOptions(seed=12, influences=8, scale="none"), without_flaws)
    copy, report = tmp_path / "copy.glb", tmp_path / "report.json"

    def unseen(*given: object) -> tuple[float, int, str]:
        """Return what 99.9% are within, how many helpers there are, and what was printed."""
        result = skinscope("refit", rig, "--profile", "threejs", "--output", copy, "--report", report, *given)
        assert result.status == 0, result.complaints
        (told,) = json.loads(report.read_text(encoding="utf-8"))["copies"]
        (fit,) = told["fits"]
        assert list(fit["held_out"]) == ["Range of motion"]
        left = max(one["nearly_all"] for one in fit["held_out"].values())
        return left, sum("helper" in one["name"] for one in told["bones"]), result.output

    without, none, _ = unseen()
    assert none == 0
    wanted = 0.8 * without
    left, helpers, said = unseen("--tolerance", f"{wanted:.6f}m")
    assert left <= wanted
    assert helpers > 0
    assert f"{helpers} helper bones bring 99.9% within" in said
    # The clip is too short for a block of it to be held out.
    assert "in frames that weights have not seen" in said
    best, _, said = unseen("--tolerance", "0.000001mm")
    assert best <= left
    assert "is out of reach: the best is 99.9% within" in said
    assert unseen("--tolerance", f"{2 * without:.6f}m")[1] == 0


def still(rig: RandomRig) -> None:
    rig.armature.animation_data_clear()


def without_armature(rig: RandomRig) -> None:
    rig.mesh.modifiers.clear()
    rig.mesh.parent = None


@pytest.mark.parametrize(
    ("change", "given", "sentence"),
    [
        (without_flaws, ("--output", "copy.obj"), "is not a file that copies are written to"),
        (without_flaws, ("--clips", "Runn"), "There is no clip 'Runn'"),
        (without_flaws, ("--hold-out", "Runn"), "The clip 'Runn' can't be held out"),
        (
            without_flaws,
            ("--kind", "half-baked"),
            "'half-baked' is not a kind of copy; write runtime or baked",
        ),
        (without_flaws, ("--tolerance", "1"), "'1' has no unit; write a length such as 1mm"),
        (without_flaws, ("--tolerance", "0"), "'0' is not a length; write one above 0 with its unit"),
        (without_flaws, ("--most-drift", "1"), "'1' has no unit; write a length such as 1mm"),
        (
            without_flaws,
            ("--most-turn", "181"),
            "'181' is not a turn; write degrees from 0 to 180, such as 5",
        ),
        (without_flaws, ("--report", "report.txt"), "wrong extension for a JSON file"),
        (still, (), "so there is no clip to copy; key its bones"),
        (without_armature, (), "has no mesh that an armature deforms, so there is nothing to copy"),
    ],
)
def test_bad_input_is_a_sentence_and_writes_nothing(
    tmp_path: Path, skinscope: Program, change, given, sentence: str
):
    rig = rig_file(tmp_path / "rig.blend", CLEAN, change)
    folder = tmp_path / "written"
    folder.mkdir()
    given = [folder / one if one.startswith(("copy", "report")) else one for one in given]
    result = skinscope("refit", rig, "--profile", "threejs", "--output", folder / "copy.glb", *given)
    assert result.status == 2
    assert sentence in result.complaints[-1]
    assert list(folder.iterdir()) == []


def test_an_older_file_stays_if_the_copy_fails(tmp_path: Path, skinscope: Program):
    rig = rig_file(tmp_path / "rig.blend", CLEAN, still)
    copy = tmp_path / "copy.glb"
    copy.write_bytes(b"older")
    assert skinscope("refit", rig, "--profile", "threejs", "--output", copy).status == 2
    assert copy.read_bytes() == b"older"


def test_it_asks_for_the_engine(tmp_path: Path, skinscope: Program):
    result = skinscope("refit", tmp_path / "rig.blend", "--output", tmp_path / "copy.glb")
    assert result.status == 2
    assert "--profile" in result.complaints[-1]
