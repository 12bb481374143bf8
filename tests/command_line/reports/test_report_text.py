"""The report for people: what it says once, and what it says for each mesh."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from skinning_addon.command_line.reports.report_text import write_text
from skinning_addon.core.verdicts.finding import Finding, Severity
from skinning_addon.measurement.check.report import FileReport
from skinning_addon.measurement.frame.worst_frame import NormalDeviation
from tests.command_line.reports.test_formats import mesh_report


def shared_cause(name: str, metres: float, profile: str = "unity-4") -> Finding:
    return Finding(
        "animation-simplified",
        Severity.ERROR if metres > 0.005 else Severity.INFO,
        name,
        f"Simplify leaves out keys of '{name}'.",
        "Set Simplify to 0.",
        (),
        3,
        metres,
        "Run",
        2.0,
        profile,
    )


def test_a_cause_that_meshes_share_is_told_once_with_their_number_and_the_worst():
    findings = [shared_cause(f"Part {number}", 0.008 - 0.001 * number) for number in range(8)]
    alone = shared_cause("Cape", 0.002, "godot4")
    other = Finding("no-armature", Severity.ERROR, "Part 1", "It has no armature.")
    text = write_text([FileReport("knight.glb", (), (*findings, alone, other))], with_errors=True)
    told = re.sub(r"\s+", " ", text)
    assert told.count("[animation-simplified]") == 2
    assert (
        "Simplify leaves out keys of 'Part 0'. Likewise 7 other meshes: 'Part 1' (7 mm), 'Part 2' (6 mm), "
        "'Part 3' (5 mm), 'Part 4' (4 mm) and 3 more. Set Simplify to 0. [animation-simplified]" in told
    )
    assert "keys of 'Cape'. Set Simplify to 0." in told
    assert "It has no armature." in told


@pytest.mark.parametrize(
    ("p99", "told"), [(4.26, "4.3"), (66.4, "66"), (99.4, "99"), (99.6, "100"), (138.2, "138")]
)
def test_angles_are_written_without_an_exponent(p99: float, told: str):
    mesh = mesh_report("Body", 1e-6)
    normals = NormalDeviation(170.0, p99, 3.94, 1.5, "Run", 2.0)
    mesh = replace(mesh, worst=replace(mesh.worst, normals=normals))
    text = re.sub(r"\s+", " ", write_text([FileReport("hero.glb", (mesh,))], with_errors=True))
    assert (
        f"99% of the normals are within {told}\N{DEGREE SIGN} of Blender's (3.9\N{DEGREE SIGN} on average)"
        in text
    )
