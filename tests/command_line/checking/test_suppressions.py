"""Suppressions: what somebody accepts doesn't fail a check until its day is over, and every report says why."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

import bpy
import pytest

from skinning_addon.command_line.arguments.file_settings import FileSettings
from skinning_addon.command_line.checking.baseline import write_baseline
from skinning_addon.command_line.checking.judging import judged
from skinning_addon.command_line.reports.report_html import write_html
from skinning_addon.command_line.reports.report_json import read_json, write_json
from skinning_addon.command_line.reports.report_junit import write_junit
from skinning_addon.command_line.reports.report_sarif import write_sarif
from skinning_addon.command_line.reports.report_text import write_text
from skinning_addon.core.text.errors import ConfigError
from skinning_addon.core.text.identity import Identity
from skinning_addon.core.verdicts.finding import Finding, Severity
from skinning_addon.core.verdicts.rules import RULES
from skinning_addon.core.verdicts.suppression import PROPERTY, Suppression, read_property, this_day, written
from skinning_addon.core.verdicts.verdict import USUAL
from skinning_addon.measurement.check.report import FileReport
from tests.command_line.conftest import Program
from tests.command_line.reports.test_formats import mesh_report
from tests.command_line.rig_files import rig_file
from tests.command_line.schemas import valid_junit, valid_sarif
from tests.scene.random_rig import RandomRig, RigOptions

TODAY = date(2026, 11, 28)

REASON = "Seen from far away."

FINDING = Finding("influence-limit", Severity.ERROR, "Body", "Too many.", deviation=0.004, profile="threejs")

REPORT = FileReport("crowd/one.blend", (mesh_report("Body", 0.004),), (FINDING,))


def judged_with(*suppressions: Suppression, report: FileReport = REPORT) -> FileReport:
    return judged(report, FileSettings(report.file, USUAL, {}, suppressions), TODAY)


def both(**more: object) -> tuple[Suppression, Suppression]:
    """Suppressions of both things that are wrong."""
    return Suppression("influence-limit", REASON, **more), Suppression("tolerance", REASON, **more)


COVERED: dict[str, tuple[dict[str, object], bool]] = {
    "for ever": ({}, True),
    "until today": ({"until": TODAY}, True),
    "until yesterday": ({"until": date(2026, 11, 27)}, False),
    "that object": ({"object": "Body"}, True),
    "a pattern": ({"object": "B*y"}, True),
    "another object": ({"object": "Hair"}, False),
    "that profile": ({"profile": "threejs"}, True),
    "another profile": ({"profile": "unity-4"}, False),
    "up to more": ({"up_to": 0.005}, True),
    "up to less": ({"up_to": 0.003}, False),
    "the object's own": ({"object": Identity("Body")}, True),
    # An object's own suppression takes its name as it is.
    "no pattern": ({"object": Identity("B*y")}, False),
    "a linked one": ({"object": Identity("Body", "hero.blend")}, False),
}


@pytest.mark.parametrize("case", COVERED)
def test_what_is_suppressed_does_not_fail(case: str):
    more, covers = COVERED[case]
    report = judged_with(*both(**more))
    assert report.passed == covers
    assert (report.meshes[0].suppressed is not None) == covers
    assert (report.findings[0].suppressed is not None) == covers


def test_one_thing_is_suppressed_and_not_the_other():
    of_cause, of_mesh = both()
    assert not judged_with(of_cause).passed
    assert not judged_with(of_mesh).passed


def test_a_day_that_is_over_is_told_once_for_each_suppression():
    ended = Suppression("influence-limit", REASON, date(2026, 3, 1))
    report = judged_with(ended, report=FileReport("a.blend", (), (FINDING, FINDING)))
    (told,) = (one for one in report.findings if one.rule == "suppression-ended")
    assert (
        told.message
        == "influence-limit was suppressed until 2026-03-01 (Seen from far away.), which is over."
    )
    assert told.severity is Severity.WARNING
    # One that still holds is enough.
    renewed = judged_with(
        ended, Suppression("influence-limit", "Again."), report=FileReport("a.blend", (), (FINDING,))
    )
    assert renewed.passed
    assert [one.rule for one in renewed.findings] == ["influence-limit"]


def test_a_report_that_was_judged_before_is_judged_afresh():
    """As when a check goes on with a report of JSON lines, on another day or with other suppressions."""
    ended = Suppression("influence-limit", REASON, date(2026, 3, 1))
    settings = FileSettings(REPORT.file, USUAL, {}, (ended,))
    once = judged(REPORT, settings, TODAY)
    assert judged(once, settings, TODAY) == once
    covered = judged(REPORT, FileSettings(REPORT.file, USUAL, {}, both()), TODAY)
    assert judged(covered, FileSettings(REPORT.file, USUAL, {}), TODAY) == judged_with()


def test_a_baseline_has_no_part_in_what_is_suppressed(tmp_path: Path):
    assert write_baseline(tmp_path / "known.json", [judged_with(*both())]).entries == {}


def test_reports_say_why():
    reports = [judged_with(*both(until=date(2027, 3, 1)))]
    told = "suppressed until 2027-03-01: Seen from far away."
    text = " ".join(write_text(reports, with_errors=True).split())
    assert f"NOT WITHIN TOLERANCE ({told})" in text
    assert f"[influence-limit, {told}]" in text
    (run,) = valid_sarif(write_sarif(reports, "0.1.0", "5.2.3"))["runs"]
    reasons = [one["suppressions"][0]["justification"] for one in run["results"]]
    assert reasons == ["Until 2027-03-01: Seen from far away."] * 2
    assert "baselineState" not in run["results"][0]
    junit = valid_junit(write_junit(reports, "0.1.0", "5.2.3"))
    (skipped,) = junit.iter("skipped")
    assert (junit.get("failures"), skipped.get("type")) == ("0", "suppressed")
    assert skipped.get("message") == f"{told}: tolerance, influence-limit"
    assert write_html(reports, "0.1.0", "5.2.3").count(told) == 2


def test_a_report_read_back_says_the_same():
    own = Suppression("envelopes", "Old.", date(2027, 1, 2), Identity("Body", "hero.blend"))
    report = judged_with(
        *both(), report=FileReport("a.blend", REPORT.meshes, REPORT.findings, suppressions=(own,))
    )
    (again,), *_ = read_json(write_json([report], "0.1.0", "5.2.3"))
    assert again.findings == report.findings
    assert again.suppressions == (own,)
    assert [one.suppressed for one in again.meshes] == [one.suppressed for one in report.meshes]
    assert again.passed


TEXTS = {
    "influence-limit: far away": (Suppression("influence-limit", "far away", None, Identity("Body")),),
    "envelopes until 2027-03-01: a; object-scale:  b: c ;": (
        Suppression("envelopes", "a", date(2027, 3, 1), Identity("Body")),
        Suppression("object-scale", "b: c", None, Identity("Body")),
    ),
    "": (),
}


@pytest.mark.parametrize("text", TEXTS)
def test_a_property_is_read_and_written(text: str):
    read = read_property(text, Identity("Body"), RULES)
    assert read == TEXTS[text]
    assert read_property(written(read), Identity("Body"), RULES) == read


UNREADABLE: dict[str, tuple[object, str]] = {
    "no text": (5, "it is not text; write RULE: REASON, or RULE until 2027-03-01: REASON"),
    "no reason": ("influence-limit", "'influence-limit' has no reason; write RULE: REASON"),
    "an empty reason": ("influence-limit: ", "'influence-limit:' has no reason; write RULE: REASON"),
    "no rule": ("influence-limits: x", "there is no rule 'influence-limits'; write RULE: REASON"),
    "no day": ("envelopes until May: x", "'May' is not a day; write one such as 2027-03-01"),
    "no such day": ("envelopes until 2027-02-30: x", "'2027-02-30' is not a day; write one such as"),
}


@pytest.mark.parametrize("case", UNREADABLE)
def test_a_property_that_is_no_suppression(case: str):
    value, says = UNREADABLE[case]
    with pytest.raises(ConfigError, match=says):
        read_property(value, Identity("Body"), RULES)


def with_property(value: object) -> Callable[[RandomRig], None]:
    def edit(_rig: RandomRig) -> None:
        for one in bpy.data.objects:
            if one.type == "MESH":
                one[PROPERTY] = value

    return edit


def test_objects_carry_their_own(tmp_path: Path, skinscope: Program):
    """In a .blend file, and through glTF's extras."""
    path = rig_file(tmp_path / "rig.blend", RigOptions(influences=7))
    arguments = ("--device", "cpu", "--frames", "5", "--profile", "unity-4", "--format", "json")
    (file,) = skinscope("check", path, *arguments).json["files"]
    rules = {one["rule"] for one in file["findings"] if one["severity"] == "error"} | {"tolerance"}
    assert len(rules) > 1
    for until in (None, this_day(), date(2000, 1, 1)):
        text = written([Suppression(rule, REASON, until) for rule in sorted(rules)])
        own = rig_file(tmp_path / f"own_{until}.blend", RigOptions(influences=7), with_property(text))
        result = skinscope("check", own, *arguments)
        (file,) = result.json["files"]
        over = until == date(2000, 1, 1)
        assert result.status == int(over)
        assert {one["rule"] for one in file["suppressions"]} == rules
        assert {one["reason"] for one in file["suppressions"]} == {REASON}
        assert (file["meshes"][0]["deviation"]["suppressed"] is None) == over
        ended = [one["object"] for one in file["findings"] if one["rule"] == "suppression-ended"]
        assert len(ended) == (len(rules) if over else 0)


def test_a_property_that_can_not_be_read_is_a_finding(tmp_path: Path, skinscope: Program):
    path = rig_file(tmp_path / "rig.blend", RigOptions(), with_property("nothing"))
    (file,) = skinscope("check", path, "--device", "cpu", "--frames", "5", "--format", "json").json["files"]
    (told,) = (one for one in file["findings"] if one["rule"] == "suppression-unreadable")
    assert told["message"].endswith(
        "can't be read: 'nothing' has no reason; write RULE: REASON, or RULE until 2027-03-01: REASON."
    )
    assert told["severity"] == "warning"


def test_a_configuration_suppresses_in_some_files(tmp_path: Path, skinscope: Program):
    near, far = (tmp_path / name / "rig.blend" for name in ("near", "far"))
    for path in (near, far):
        path.parent.mkdir()
        rig_file(path, RigOptions(influences=7))
    arguments = ("--device", "cpu", "--frames", "5", "--profile", "unity-4", "--format", "json")
    (file,) = skinscope("check", far, *arguments).json["files"]
    rules = {one["rule"] for one in file["findings"] if one["severity"] == "error"} | {"tolerance"}
    (tmp_path / "skinscope.toml").write_text(
        "".join(
            f'[[suppress]]\nrule = "{rule}"\nreason = "{REASON}"\nfiles = ["far"]\n' for rule in sorted(rules)
        ),
        encoding="utf-8",
    )
    result = skinscope("check", near, far, *arguments)
    assert [one["passed"] for one in result.json["files"]] == [False, True]
    # A report that is merged from parts keeps them.
    part = tmp_path / "part.json"
    part.write_text(result.output, encoding="utf-8")
    merged = skinscope("report", part, "--format", "json").json
    assert [one["passed"] for one in merged["files"]] == [False, True]
