"""Names that a terminal or a CI system would interpret, in every text that the program writes."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from pathlib import Path

import bpy
import pytest

from skinning_addon.command_line.program.streams import complain
from skinning_addon.command_line.reports.report_html import write_html
from skinning_addon.command_line.reports.report_json import read_json, write_json
from skinning_addon.command_line.reports.report_junit import write_junit
from skinning_addon.command_line.reports.report_sarif import write_sarif
from skinning_addon.command_line.reports.report_text import write_text
from skinning_addon.core.verdicts.finding import Finding, Severity
from skinning_addon.core.verdicts.tolerance import Tolerance
from skinning_addon.measurement.check.report import FileReport, MeshReport
from skinning_addon.measurement.frame.body_parts import PartDeviation
from skinning_addon.measurement.frame.worst_frame import WorstFrame
from tests.command_line.conftest import Program
from tests.command_line.rig_files import animated_rig
from tests.command_line.schemas import valid_junit, valid_sarif

HOSTILE = "\x1b[2J몸\n::error file=a::b\r##[error]c ##vso[d]\u202e\x9b1m\x7f"


def is_obeyed(text: str) -> list[str]:
    """List what a terminal or a CI system would not show as it is. Of the three CI systems' own
    documentation.
    """
    found = re.findall(
        r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]", text
    )
    return found + re.findall(r"(?m)^\s*::.*|##\[.*|##vso\[.*|##teamcity\[.*", text)


def hostile_report(name: str = HOSTILE) -> FileReport:
    worst = WorstFrame(2.0, 1.0, 2.0, 1.0, 1, name, 1.0, 1, bone=name, parts=(PartDeviation(name, 1.0, 0.5),), run=1)  # fmt: skip
    mesh = MeshReport(name, (name,), 9, 2, False, (name,), "cpu", "software", "threejs", worst, Tolerance(1e-5, relative=True))  # fmt: skip
    wrapped = f"{'word ' * 17}{name} ::warning::{'word ' * 17}::debug::"
    findings = (
        Finding("modifier-after", Severity.ERROR, name, wrapped, name),
        Finding("no-skinned-mesh", Severity.WARNING, "", name),
    )
    return FileReport(f"{name}.blend", (mesh,), findings)


FORMATS: dict[str, Callable[[list[FileReport]], str]] = {
    "text": lambda reports: write_text(reports, with_errors=True),
    "json": lambda reports: write_json(reports, "1", "5"),
    "junit": lambda reports: write_junit(reports, "1", "5"),
    "sarif": lambda reports: write_sarif(reports, "1", "5"),
    "html": lambda reports: write_html(reports, "1", "5"),
}


@pytest.mark.parametrize("report_format", FORMATS)
def test_no_report_has_anything_that_is_obeyed(report_format: str):
    unread = FileReport("b.glb", error=f"'{HOSTILE}' can't be read.")
    text = FORMATS[report_format]([hostile_report(), unread])
    assert is_obeyed(HOSTILE)
    assert is_obeyed(text) == []
    assert "몸" in text
    if report_format == "junit":
        assert len(list(valid_junit(text))) == 2
    if report_format == "sarif":
        assert valid_sarif(text)


def test_programs_read_the_very_names():
    report = hostile_report()
    (again,), _, _, _ = read_json(write_json([report], "1", "5"))
    assert (again.file, again.meshes[0].object, again.findings[0].message) == (
        report.file,
        HOSTILE,
        report.findings[0].message,
    )
    log = json.loads(write_sarif([report], "1", "5"))
    names = [one["locations"][0].get("logicalLocations") for one in log["runs"][0]["results"]]
    assert names[0][0]["name"] == HOSTILE


def test_complaints_are_one_line_that_nothing_obeys(capsys: pytest.CaptureFixture[str]):
    complain(f"'{HOSTILE}' is no bone.")
    complain("::error::x")
    errors = capsys.readouterr().err
    assert is_obeyed(errors) == []
    assert len(errors.splitlines()) == 2


def test_a_hostile_file_says_nothing_that_is_obeyed(tmp_path: Path, skinscope: Program):
    from tests.scene.random_rig import RigOptions

    rig = animated_rig(RigOptions())
    rig.mesh.name = "\x1b]0;x\x07::error::몸"
    rig.armature.name = "##[error]Rig\n::warning::y"
    for index, bone in enumerate(rig.armature.data.bones):
        bone.name = f"\x1b[31m::error::{index}"
    for index, group in enumerate(rig.mesh.vertex_groups):
        group.name = f"\x1b[31m::error::{index}"
    path = tmp_path / "\x1b[2J::error::캐릭터.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    assert is_obeyed(rig.mesh.name)
    for report_format in ("text", "json", "junit", "sarif"):
        result = skinscope(
            "check", path, tmp_path / "\x1b[2J.glb", "--device", "cpu", "--format", report_format
        )
        assert is_obeyed(result.output) == []
        assert "몸" in result.output
        assert is_obeyed(" ".join(result.complaints)) == []
    result = skinscope("export", path, "--output", tmp_path / "\x1b[2J", "--device", "cpu")
    assert result.status == 0
    assert is_obeyed(result.output) == []
    result = skinscope("export", path, "--output", tmp_path / "x", "--clips", "\x1b[2J")
    assert is_obeyed(" ".join(result.complaints)) == []


def test_how_far_it_is_is_no_command_either(monkeypatch: pytest.MonkeyPatch):
    from skinning_addon.command_line.program import progress

    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(progress, "error_stream", lambda: terminal)
    with progress.ProgressLine() as line:
        line.say(HOSTILE)
    assert is_obeyed(terminal.getvalue().replace(progress.CLEAR_LINE, "")) == []
