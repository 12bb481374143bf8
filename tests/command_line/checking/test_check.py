"""`check`: reports about good, bad, several and broken files."""

from __future__ import annotations

import json
from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.command_line.reports.report_html import write_html
from skinning_addon.command_line.reports.report_json import read_json, write_json
from skinning_addon.command_line.reports.report_junit import write_junit
from skinning_addon.command_line.reports.report_sarif import write_sarif
from skinning_addon.command_line.reports.report_sentence import behaviour
from skinning_addon.command_line.reports.report_text import write_text
from skinning_addon.core.verdicts.finding import Finding, Severity
from skinning_addon.core.verdicts.tolerance import Tolerance
from skinning_addon.measurement.check.report import FileReport, MeshReport
from skinning_addon.measurement.frame.body_parts import PartDeviation
from skinning_addon.measurement.frame.worst_frame import NormalDeviation, WorstFrame
from tests.command_line.checking.check_findings import OF_ANY_RANDOM_RIG
from tests.command_line.conftest import Program
from tests.command_line.rig_files import rig_file


def test_an_exact_rig_passes(tmp_path: Path, skinscope: Program):
    path = rig_file(tmp_path / "rig.blend")
    result = skinscope("check", path, "--format", "json", "--device", "cpu")
    report = result.json
    assert result.status == 0
    assert (report["version"], report["passed"]) == (1, True)
    assert report["skinscope"] == "0.1.0"
    assert report["blender"] == ".".join(map(str, bpy.app.version))
    (file,) = report["files"]
    assert (file["file"], file["error"], file["passed"]) == (str(path), None, True)
    assert [(one["rule"], one["severity"], one["deviation"]) for one in file["findings"]] == OF_ANY_RANDOM_RIG
    (mesh,) = file["meshes"]
    deviation = mesh.pop("deviation")
    assert mesh == {
        "object": "Random mesh",
        "library": None,
        "armature": "Random",
        "armatures": ["Random"],
        "armature_libraries": [None],
        "vertices": 300,
        "joints": 10,
        "exact": True,
        "reasons": [],
        "device": "cpu",
        "technique": "software",
        "profile": "blender",
        "exporter_settings": {},
        "verified": {"file": None, "import": None, "playback": None, "skinning": None, "beyond": []},
    }
    assert 0 < deviation["rms"] < deviation["p99"] <= deviation["max"] < 1e-5
    assert deviation["relative"] <= 1e-5
    assert (deviation["unit"], deviation["tolerance"], deviation["tolerance_unit"]) == ("m", 1e-5, "relative")
    assert (deviation["clip"], deviation["frames"], deviation["passed"]) == ("(scene)", 9, True)
    assert 1 <= deviation["frame"] <= 9
    assert 0 <= deviation["worst_vertex"] < 300


@pytest.mark.gpu
def test_the_gpu_finds_the_same(tmp_path: Path, skinscope: Program):
    path = rig_file(tmp_path / "rig.blend")
    meshes = [
        skinscope("check", path, "--format", "json", "--device", device).json["files"][0]["meshes"][0]
        for device in ("gpu", "cpu", "auto")
    ]
    assert [mesh["device"] for mesh in meshes] == ["gpu", "cpu", "gpu"]
    assert [mesh["technique"] for mesh in meshes] == ["uniform buffer", "software", "uniform buffer"]
    assert all(mesh["deviation"]["relative"] <= 1e-5 for mesh in meshes)


def test_text_begins_with_a_sentence(tmp_path: Path, skinscope: Program):
    path = rig_file(tmp_path / "rig.blend")
    result = skinscope("check", path, "--device", "cpu")
    assert result.status == 0
    lines = result.output.splitlines()
    assert lines[0].startswith(f"{path}: exact. The worst deviation from Blender is 0")
    assert lines[0].endswith(f" of 'Random mesh', {lines[3].split(', ')[-1]}.")
    assert lines[2].split() == [
        "mesh",
        "armature",
        "vertices",
        "joints",
        "largest",
        "rms",
        "relative",
        "where",
    ]
    assert lines[3].split()[:5] == ["Random", "mesh", "Random", "300", "10"]
    assert (
        "9 frames, on the CPU (software); profile blender; tolerance 1e-05 of size and movement."
        in result.output
    )


def test_a_tolerance_that_is_not_met_fails(tmp_path: Path, skinscope: Program):
    path = rig_file(tmp_path / "rig.blend")
    result = skinscope("check", path, "--device", "cpu", "--tolerance", "1e-6mm")
    assert result.status == 1
    assert f"{path}: failed: 1 mesh is not within tolerance." in result.output
    assert "NOT WITHIN TOLERANCE" in result.output
    report = skinscope("check", path, "--device", "cpu", "--tolerance", "1e-6mm", "--format", "json").json
    assert report["passed"] is report["files"][0]["passed"] is False
    deviation = report["files"][0]["meshes"][0]["deviation"]
    assert (deviation["tolerance"], deviation["tolerance_unit"], deviation["passed"]) == (
        pytest.approx(1e-9),
        "m",
        False,
    )


def test_clips_and_frames_are_those_that_were_asked_for(tmp_path: Path, skinscope: Program):
    path = rig_file(tmp_path / "rig.blend")
    options = ("--device", "cpu", "--format", "json")

    def deviation(*arguments: str) -> dict[str, object]:
        return skinscope("check", path, *options, *arguments).json["files"][0]["meshes"][0]["deviation"]

    assert deviation("--clips", "Sway")["clip"] == "Sway"
    assert deviation("--clips", "all", "--frames", "2:3.5")["frames"] == 3
    assert deviation("--frames", "1:9:2")["frames"] == 5
    assert deviation("--frames", "1:200")["frames"] == 200
    one = deviation("--frames", "4.5")
    assert (one["frame"], one["frames"]) == (4.5, 1)


def test_an_unknown_clip_is_answered_with_the_nearest(tmp_path: Path, skinscope: Program):
    path = rig_file(tmp_path / "rig.blend")
    result = skinscope("check", path, "--device", "cpu", "--clips", "Sways")
    assert result.status == 2
    assert result.complaints == (f"{path}: There is no clip 'Sways'; did you mean 'Sway'?",)


def test_broken_files_do_not_keep_good_ones_from_being_checked(tmp_path: Path, skinscope: Program):
    good = rig_file(tmp_path / "여우 and fox.blend")
    broken, missing = tmp_path / "broken.glb", tmp_path / "missing.blend"
    broken.write_bytes(b"glTF\2\0\0\0 and then nothing of the kind")
    result = skinscope("check", broken, good, missing, "--device", "cpu", "--format", "json")
    assert result.status == 2
    files = result.json["files"]
    assert [file["file"] for file in files] == [str(broken), str(good), str(missing)]
    assert [file["passed"] for file in files] == [False, True, False]
    assert files[1]["meshes"][0]["deviation"]["passed"]
    assert "can't be imported" in files[0]["error"]
    assert files[2]["error"] == f"'{missing}' does not exist; check the path."
    assert result.complaints == (files[0]["error"], files[2]["error"])
    text = skinscope("check", broken, good, missing, "--device", "cpu").output
    assert text.endswith("3 files: 1 passed, 2 not checked.\n")
    assert str(missing) not in text


def test_the_report_goes_to_a_file(tmp_path: Path, skinscope: Program):
    path = rig_file(tmp_path / "rig.blend")
    report = tmp_path / "reports" / "검사 보고서.txt"
    result = skinscope("check", path, "--device", "cpu", "--output", report)
    assert (result.status, result.output) == (0, "")
    assert "exact" in report.read_text(encoding="utf-8")


def test_an_output_that_cannot_be_written_is_told_before_the_work(tmp_path: Path, skinscope: Program):
    (tmp_path / "file").touch()
    result = skinscope("check", tmp_path / "missing.blend", "--output", tmp_path / "file" / "report.json")
    assert result.status == 2
    assert len(result.complaints) == 1
    assert result.complaints[0].startswith(f"'{tmp_path}/file/report.json' can't be written (")


@pytest.mark.parametrize(
    ("p99", "by_rule", "told"),
    [(3e-4, 3e-5, False), (0.2, 0.01, True), (0.01, 0.2, True), (0.0, np.nan, True)],
)
def test_normals_are_told_of_where_anybody_could_see_them(p99: float, by_rule: float, told: bool):
    normals = NormalDeviation(p99, p99, p99 / 4, by_rule, "Run", 2.5)
    worst = WorstFrame(0.0, 0.0, 0.0, 0.0, 3, "Run", 2.5, 7, "Hand", 0.0, 0.0, 0.0, 0, 0.0, normals=normals)
    mesh = MeshReport(
        "Mesh", ("A",), 4, 2, True, (), "gpu", "buffer", "threejs", worst, Tolerance(0.1, relative=False)
    )
    assert any("normals" in one for one in behaviour(mesh)) == told


@pytest.mark.parametrize("far", [float("inf"), float("nan")])
def test_no_number_that_is_not_finite_breaks_a_report(far: float):
    parts = (PartDeviation("Hand", far, 0.5),)
    normals = NormalDeviation(far, far, far, far, "Run", 2.5)
    worst = WorstFrame(
        far, far, far, far, 3, "Run", 2.5, 7, "Hand", far, far, far, 2, far, None, parts, normals
    )
    mesh = MeshReport(
        "Mesh", ("A",), 4, 2, True, (), "gpu", "buffer", "threejs", worst, Tolerance(0.1, relative=False)
    )
    finding = Finding("rule", Severity.WARNING, "Mesh", "Message.", deviation=far, profile="threejs")
    report = FileReport("a.glb", (mesh,), (finding,))
    text = write_json([report], "1", "2")
    strict = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    (entry,) = strict["files"][0]["meshes"]
    assert entry["deviation"]["parts"] == [{"bone": "Hand", "max": None, "share": 0.5}]
    assert write_json(read_json(text)[0], "1", "2") == text
    json.loads(write_sarif([report], "1", "2"), parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    for write in (write_junit, write_html):
        assert "Mesh" in write([report], "1", "2")
    assert "Mesh" in write_text([report], with_errors=True)


def test_json_that_is_read_back_says_the_same():
    normals = NormalDeviation(float("nan"), 4.0, float("nan"), 0.5, "Run", 2.5)
    worst = WorstFrame(
        0.5, 0.25, 0.4, float("inf"), 3, "Run", 2.5, 7, "Hand", 0.5, 0.3, 0.4, 2, 0.1, normals=normals
    )
    mesh = MeshReport(
        "Mesh",
        ("A", "B"),
        4,
        2,
        False,
        ("Because.",),
        "gpu",
        "buffer",
        "blender",
        worst,
        Tolerance(0.1, relative=False),
    )
    finding = Finding(
        "rule", Severity.WARNING, "Mesh", "Message.", "Fix.", (1, 2), 2, 0.5, "Run", 3.5, "threejs"
    )
    reports = [FileReport("a.glb", (mesh,), (finding,)), FileReport("b.glb", error="Broken.")]
    text = write_json(reports, "1", "2")
    assert '"relative": null' in text
    assert '"mean": null' in text
    read, skinscope_version, blender_version, _ = read_json(text)
    assert (skinscope_version, blender_version) == ("1", "2")
    assert write_json(read, "1", "2") == text
