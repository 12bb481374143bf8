"""Baselines: only new findings fail, and ones that got worse count as new."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from skinning_addon.command_line.checking.baseline import (
    prune_baseline,
    read_baseline,
    with_known,
    write_baseline,
)
from skinning_addon.core.verdicts.finding import Finding, Severity
from skinning_addon.measurement.check.report import FileReport
from tests.command_line.conftest import Program
from tests.command_line.reports.test_formats import mesh_report
from tests.command_line.rig_files import rig_file, without_flaws
from tests.scene.random_rig import RigOptions


def test_a_check_fails_for_what_is_new_alone(tmp_path: Path, skinscope: Program):
    old = rig_file(tmp_path / "old.blend", RigOptions(seed=1, influences=7))
    new = rig_file(tmp_path / "new.blend", RigOptions(seed=2, influences=7))
    baseline = tmp_path / "lists" / "known.json"
    baseline.parent.mkdir()
    arguments = ("--device", "cpu", "--frames", "5", "--profile", "unity-4", "--format", "json")
    known = (*arguments, "--baseline", baseline)
    assert skinscope("check", old, *arguments).status == 1
    assert skinscope("check", old, *known).status == 2
    assert skinscope("check", old, *known, "--write-baseline").status == 0
    entries = json.loads(baseline.read_text(encoding="utf-8"))["findings"]
    assert {one["file"] for one in entries} == {"../old.blend"}
    assert {"tolerance", "influence-limit"} <= {one["rule"] for one in entries}
    again = skinscope("check", old, *known)
    assert again.status == 0
    (file,) = again.json["files"]
    assert file["passed"] is True
    assert file["meshes"][0]["deviation"]["passed"] is False
    assert file["meshes"][0]["deviation"]["known"] is True
    assert all(one["known"] for one in file["findings"] if one["severity"] != "info")
    both = skinscope("check", old, new, *known)
    assert both.status == 1
    assert [one["passed"] for one in both.json["files"]] == [True, False]
    # Another profile is another engine, which the baseline doesn't cover.
    assert skinscope("check", old, *known, "--profile", "unity-1").status == 1
    text = skinscope(
        "check", old, "--device", "cpu", "--frames", "5", "--profile", "unity-4", "--baseline", baseline
    ).output
    assert f"{old}: nothing new. The worst deviation" in text
    assert "NOT WITHIN TOLERANCE (known)" in text
    assert "[influence-limit, known]" in " ".join(text.split())


Change = Callable[[FileReport], FileReport]

FINDING = Finding("influence-limit", Severity.ERROR, "Body", "Too many.", deviation=0.004, profile="threejs")


def finding(**changes: object) -> Change:
    return lambda report: replace(report, findings=(replace(FINDING, **changes),))


CHANGES: dict[str, tuple[Change, bool]] = {
    "nothing": (lambda report: report, True),
    "less": (finding(deviation=0.001), True),
    "a rounding more": (finding(deviation=0.00401), True),
    "worse": (finding(deviation=0.005), False),
    "other vertices": (finding(vertices=(7, 8), count=2), True),
    "another object": (finding(object="Hair"), False),
    "another rule": (finding(rule="envelopes"), False),
    "another profile": (finding(profile="unity-4"), False),
    "one more of the kind": (lambda report: replace(report, findings=(FINDING, FINDING)), False),
    "a mesh further off": (lambda report: replace(report, meshes=(mesh_report("Body", 0.1),)), False),
    "a mesh that is no number": (
        lambda report: replace(report, meshes=(mesh_report("Body", float("nan")),)),
        False,
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_known(change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    report = FileReport("rig.blend", (mesh_report("Body", 0.01),), (FINDING,))
    assert not report.passed
    write_baseline(tmp_path / "known.json", [report])
    made, passes = CHANGES[change]
    judged = with_known(made(report), read_baseline(tmp_path / "known.json"))
    assert judged.passed is passes


def test_writing_again_keeps_other_files_and_forgets_what_was_mended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "known.json"
    bad, worse = (FileReport(name, (mesh_report("Body", 0.01),)) for name in ("bad.blend", "worse.blend"))
    write_baseline(path, [worse, bad])
    text = path.read_text(encoding="utf-8")
    write_baseline(path, [bad])
    assert path.read_text(encoding="utf-8") == text
    write_baseline(path, [FileReport("bad.blend", (mesh_report("Body", 0.0),))])
    assert [one["file"] for one in json.loads(path.read_text(encoding="utf-8"))["findings"]] == [
        "worse.blend"
    ]
    write_baseline(path, [FileReport("worse.blend", error="Broken.")])
    assert [one["file"] for one in json.loads(path.read_text(encoding="utf-8"))["findings"]] == [
        "worse.blend"
    ]


def known_files(path: Path) -> list[str]:
    return [one["file"] for one in json.loads(path.read_text(encoding="utf-8"))["findings"]]


@pytest.fixture
def moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FileReport:
    """A report on a file that was moved after the baseline, known.json, was written."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old.blend").write_bytes(b"the same")
    report = FileReport("old.blend", (mesh_report("Body", 0.01),), (FINDING,))
    write_baseline(tmp_path / "known.json", [report])
    (tmp_path / "new").mkdir()
    (tmp_path / "old.blend").rename(tmp_path / "new" / "hero.blend")
    return replace(report, file="new/hero.blend")


def test_a_file_that_was_moved_keeps_its_entries(tmp_path: Path, moved: FileReport):
    path = tmp_path / "known.json"
    assert with_known(moved, read_baseline(path)).passed
    # They come with it when the baseline is written again.
    write_baseline(path, [moved])
    assert set(known_files(path)) == {"new/hero.blend"}


def test_a_file_with_another_content_has_no_part_in_them(tmp_path: Path, moved: FileReport):
    (tmp_path / "new" / "hero.blend").write_bytes(b"another")
    assert not with_known(moved, read_baseline(tmp_path / "known.json")).passed


def test_a_copy_is_new_while_the_original_is_there(tmp_path: Path, moved: FileReport):
    (tmp_path / "old.blend").write_bytes(b"the same")
    assert not with_known(moved, read_baseline(tmp_path / "known.json")).passed


def test_a_baseline_of_a_former_version_is_read(tmp_path: Path):
    path = tmp_path / "known.json"
    report = FileReport("rig.blend", (mesh_report("Body", 0.01),))
    write_baseline(path, [report])
    document = json.loads(path.read_text(encoding="utf-8"))
    del document["files"]
    path.write_text(json.dumps(document), encoding="utf-8")
    assert with_known(report, read_baseline(path)).passed


def test_pruning_forgets_and_adds_nothing(tmp_path: Path, moved: FileReport):
    path = tmp_path / "known.json"
    for name in ("other.blend", "gone.blend", "broken.blend"):
        (tmp_path / name).write_bytes(name.encode())
    others = [
        FileReport(one, (mesh_report("Body", 0.01),)) for one in ("other.blend", "gone.blend", "broken.blend")
    ]
    # The baseline keeps the moved file's entries, since its own path is not among these.
    write_baseline(path, others)
    (tmp_path / "gone.blend").unlink()
    assert set(known_files(path)) == {"old.blend", "other.blend", "gone.blend", "broken.blend"}
    mended = replace(moved, findings=(replace(FINDING, rule="envelopes"),))
    prune_baseline(path, [mended, FileReport("broken.blend", error="Broken.")])
    entries = json.loads(path.read_text(encoding="utf-8"))["findings"]
    assert {(one["file"], one["rule"]) for one in entries} == {
        ("new/hero.blend", "tolerance"),
        ("other.blend", "tolerance"),
        ("broken.blend", "tolerance"),
    }


def test_pruning_by_the_program(tmp_path: Path, skinscope: Program):
    rig = rig_file(tmp_path / "rig.blend", RigOptions(seed=1, influences=7))
    baseline = tmp_path / "known.json"
    arguments = (
        "check",
        rig,
        "--device",
        "cpu",
        "--frames",
        "5",
        "--profile",
        "unity-4",
        "--baseline",
        baseline,
    )
    assert skinscope(*arguments, "--write-baseline").status == 0
    before = known_files(baseline)
    assert skinscope(*arguments, "--baseline-prune").status == 0
    assert known_files(baseline) == before
    # Another profile says nothing about this one's entries.
    skinscope(*arguments, "--profile", "blender", "--baseline-prune")
    assert known_files(baseline) == before
    rig_file(tmp_path / "rig.blend", RigOptions(seed=1, influences=3, scale="none"), without_flaws)
    assert skinscope(*arguments, "--baseline-prune").status == 0
    assert known_files(baseline) == []
    rig_file(tmp_path / "rig.blend", RigOptions(seed=1, influences=7))
    assert skinscope(*arguments, "--baseline-prune").status == 1
    assert known_files(baseline) == []


def test_pruning_needs_a_baseline(tmp_path: Path, skinscope: Program):
    result = skinscope("check", "rig.blend", "--baseline-prune")
    assert (result.status, result.complaints) == (
        2,
        ("--baseline-prune needs a baseline; choose one with --baseline.",),
    )
    both = skinscope(
        "check", "rig.blend", "--baseline", tmp_path / "a.json", "--baseline-prune", "--write-baseline"
    )
    assert both.complaints == (
        "--write-baseline forgets what was fixed by itself; leave out --baseline-prune.",
    )


WRONG = {
    '{"version": 1, "files": [], "findings": []}': "is not a baseline (files is []; it must be an object of texts)",
    '{"version": 1, "files": {"a": 1}, "findings": []}': "files is {'a': 1}; it must be an object of texts",
    "[": "is not a baseline (Expecting value",
    "[]": "is not a baseline (it is not a JSON object)",
    "{}": "has the version None; this program reads 1.",
    '{"version": 2, "findings": []}': "has the version 2; this program reads 1.",
    '{"version": 1, "findings": [{"file": 3}]}': "entry 1 of findings: file is 3; it must be text",
    (
        '{"version": 1, "findings": [{"file": 3, "rule": "", "object": "", "profile": "", "deviation": 1}]}'
    ): "entry 1 of findings: file is 3; it must be text",
    '{"version": true, "findings": []}': "has the version True; this program reads 1.",
    '{"version": 1, "findings": {}}': "is not a baseline (findings is {}; it must be a list)",
    '{"version": 1, "findings": ""}': "is not a baseline (findings is ''; it must be a list)",
    (
        '{"version": 1, "findings": [{"file": "", "rule": "", "object": "", "profile": "", "deviation": '
        '"1"}]}'
    ): "deviation is '1'; it must be a number of meters, or null",
    (
        '{"version": 1, "findings": [{"file": "", "rule": "", "object": "", "profile": "", "deviation": '
        "NaN}]}"
    ): "deviation is nan; it must be a number of meters, or null",
    "[" * 100_000: "is not a baseline (it is nested too deeply)",
    "9" * 5000: "is not a baseline (Exceeds the limit (4300 digits)",
}


@pytest.mark.parametrize("text", WRONG, ids=lambda text: text[:90])
def test_a_baseline_that_is_something_else_is_refused_before_the_work(
    text: str, tmp_path: Path, skinscope: Program
):
    path = tmp_path / "known.json"
    path.write_text(text, encoding="utf-8")
    for more in ((), ("--write-baseline",)):
        result = skinscope("check", tmp_path / "missing.blend", "--baseline", path, *more)
        assert (result.status, result.output) == (2, "")
        assert WRONG[text] in result.complaints[0]
    assert path.read_text(encoding="utf-8") == text


def test_a_baseline_has_to_be_named_to_be_written(skinscope: Program):
    result = skinscope("check", "rig.blend", "--write-baseline")
    assert result.status == 2
    assert result.complaints == ("--write-baseline needs a file to write to; choose one with --baseline.",)
