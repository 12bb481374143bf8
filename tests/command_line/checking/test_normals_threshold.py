"""`--normals`: an angle that normals may be turned by, judged like everything else."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from skinning_addon.command_line.arguments.file_settings import FileSettings
from skinning_addon.command_line.checking.judging import judged
from skinning_addon.core.verdicts.finding import Severity
from skinning_addon.core.verdicts.suppression import Suppression, this_day
from skinning_addon.core.verdicts.verdict import USUAL
from skinning_addon.measurement.check.report import FileReport
from skinning_addon.measurement.frame.worst_frame import NormalDeviation
from tests.command_line.conftest import Program
from tests.command_line.reports.test_formats import mesh_report
from tests.command_line.rig_files import rig_file, without_flaws
from tests.scene.random_rig import RigOptions


def report(p99: float | None) -> FileReport:
    """A report on a mesh within tolerance."""
    mesh = mesh_report("Body", 1e-6)
    normals = None if p99 is None else NormalDeviation(3 * (p99 or 1), p99, p99 / 2, 1.0, "Walk", 7.0)
    return FileReport("rig.blend", (replace(mesh, worst=replace(mesh.worst, normals=normals)),))


def settings(limit: float | None, **more: object) -> FileSettings:
    return replace(FileSettings("rig.blend", USUAL, {}, normals=limit), **more)


@pytest.mark.parametrize(
    ("p99", "limit", "passes"),
    [(4.0, 5.0, True), (5.0, 5.0, True), (6.0, 5.0, False), (6.0, None, True), (None, 5.0, True), (0.1, 0.0, False), (math.nan, 180.0, False)],
)  # fmt: skip
def test_an_angle_decides(p99: float | None, limit: float | None, passes: bool):
    assert judged(report(p99), settings(limit), this_day()).passed is passes


def test_the_finding_says_what_is_off_and_can_be_accepted():
    once = judged(report(6.0), settings(5.0), this_day())
    (found,) = once.findings
    assert found.message == (
        "99% of the normals of 'Body' are within 6 degrees of Blender's under the profile threejs, at frame 7 of "
        "'Walk'; 5 are allowed."
    )
    assert (found.severity, found.profile, found.clip, found.frame) == (
        Severity.ERROR,
        "threejs",
        "Walk",
        7.0,
    )
    # Judged again, there is one still; with another limit, none.
    assert judged(once, settings(5.0), this_day()) == once
    assert judged(once, settings(7.0), this_day()).findings == ()
    assert judged(once, settings(5.0, severities={"normals-off": None}), this_day()).passed
    accepted = (Suppression("normals-off", "Flat shaded."),)
    assert judged(once, settings(5.0, suppressions=accepted), this_day()).passed


def test_the_program_takes_an_angle(tmp_path: Path, skinscope: Program):
    rig = rig_file(tmp_path / "rig.blend", RigOptions(influences=3, scale="none"), without_flaws)
    arguments = (
        "check",
        rig,
        "--device",
        "cpu",
        "--frames",
        "1:9:4",
        "--profile",
        "threejs",
        "--format",
        "json",
    )

    def rules(*more: object) -> tuple[int, set[str], float]:
        result = skinscope(*arguments, *more)
        (file,) = result.json["files"]
        (mesh,) = file["meshes"]
        return result.status, {one["rule"] for one in file["findings"]}, mesh["deviation"]["normals"]["p99"]

    status, found, p99 = rules()
    assert (status, "normals-off" in found) == (0, False)
    assert p99 > 0
    status, found, _ = rules("--normals", f"{p99 / 2:.6f}deg")
    assert (status, "normals-off" in found) == (1, True)
    (tmp_path / "skinscope.toml").write_text(f'[check]\nnormals = "{p99 / 2:.6f}"\n', encoding="utf-8")
    assert rules()[0] == 1
    assert rules("--normals", "180")[0] == 0
    assert skinscope(*arguments, "--normals", "wide").complaints == (
        "'wide' is not an angle; write degrees from 0 to 180, such as 5deg.",
    )
