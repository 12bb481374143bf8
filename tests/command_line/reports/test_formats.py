"""JUnit, SARIF and the page for many files: valid by their schemas, and faithful to the check's findings."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest

from skinning_addon.command_line.reports.report_html import write_html
from skinning_addon.command_line.reports.report_junit import write_junit
from skinning_addon.command_line.reports.report_sarif import write_sarif
from skinning_addon.core.verdicts.finding import Finding, Severity
from skinning_addon.core.verdicts.tolerance import Tolerance
from skinning_addon.measurement.check.report import FileReport, MeshReport
from skinning_addon.measurement.frame.worst_frame import WorstFrame
from tests.command_line.conftest import Program
from tests.command_line.rig_files import rig_file, without_flaws
from tests.command_line.schemas import valid_junit, valid_sarif
from tests.scene.random_rig import RandomRig, RigOptions

MILLIMETRE = Tolerance(1e-3, relative=False)


def mesh_report(name: str, deviation: float, *, profile: str = "threejs", known: bool = False) -> MeshReport:
    worst = WorstFrame(deviation, deviation / 2, deviation, 0.1, 3, "Run", 2.5, 7, "Hand", 0.25)
    return MeshReport(
        name, ("A",), 4, 2, True, (), "cpu", "software", profile, worst, MILLIMETRE, known=known
    )


NASTY = "<b>&\"'\x07\ud800 몸"
"""A possible object name in Blender: markup, a control character, half of a surrogate pair, Korean."""

REPORTS = (
    FileReport("a/fine & well.glb", (mesh_report("Body", 1e-6),)),
    FileReport(
        "b/bad.blend",
        (mesh_report(NASTY, 0.004), mesh_report("Hair", float("nan"))),
        (
            Finding("influence-limit", Severity.ERROR, NASTY, f"{NASTY} <script>alert(1)</script>.", "Mend.", (3, 1), 2, 0.004, "Run", 2.5, "threejs"),
            Finding("visibility-differs", Severity.WARNING, "Hair", "It differs."),
            Finding("visibility-differs", Severity.WARNING, "Hair", "The other one differs too."),
            Finding("no-armature", Severity.ERROR, "Lost", "It names none."),
            Finding("a-rule-of-tomorrow", Severity.INFO, "", "Who knows."),
        ),
    ),
    FileReport("c/worse.blend", (mesh_report("Body", 0.5),)),
    FileReport("d/broken.fbx", error="'d/broken.fbx' can't be read; export it again."),
    FileReport("e/old.blend", (mesh_report("Body", 0.9, known=True),), (Finding("envelopes", Severity.ERROR, "Body", "Old.", profile="threejs", known=True),)),
)  # fmt: skip


def test_rules_in_sarif_have_their_pages():
    def rules(pages: str) -> dict[str, dict[str, Any]]:
        (run,) = valid_sarif(write_sarif(REPORTS, "0.1.0", "5.2.3", pages))["runs"]
        return {one["id"]: one for one in run["tool"]["driver"]["rules"]}

    shipped = rules("")
    page = Path(url2pathname(urlsplit(shipped["influence-limit"]["helpUri"]).path))
    assert page.read_text(encoding="utf-8").startswith("# Influence Limit\n")
    assert shipped["influence-limit"]["help"]["markdown"].startswith("# Influence Limit\n")
    assert "Limit the influences in Blender" in shipped["influence-limit"]["help"]["text"]
    assert "helpUri" not in shipped["a-rule-of-tomorrow"]
    elsewhere = rules("https://example.com/wiki/")
    assert elsewhere["influence-limit"]["helpUri"] == "https://example.com/wiki/influence-limit.md"
    assert "helpUri" not in elsewhere["a-rule-of-tomorrow"]


def test_sarif_is_valid_and_lists_all_that_is_wrong():
    log = valid_sarif(write_sarif(REPORTS, "0.1.0", "5.2.3"))
    (run,) = log["runs"]
    results = run["results"]
    assert [(one["ruleId"], one["level"]) for one in results] == [
        ("tolerance", "error"),
        ("tolerance", "error"),
        ("influence-limit", "error"),
        ("visibility-differs", "warning"),
        ("visibility-differs", "warning"),
        ("no-armature", "error"),
        ("a-rule-of-tomorrow", "note"),
        ("tolerance", "error"),
        ("tolerance", "error"),
        ("envelopes", "error"),
    ]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert all(rules[one["ruleIndex"]] == one["ruleId"] for one in results)
    limit = results[2]
    assert limit["properties"] == {
        "profile": "threejs",
        "deviationInMetres": 0.004,
        "clip": "Run",
        "frame": 2.5,
        "vertexCount": 2,
        "vertices": [3, 1],
    }
    place = limit["locations"][0]
    assert place["physicalLocation"]["artifactLocation"]["uri"] == "b/bad.blend"
    assert place["logicalLocations"][0]["name"] == NASTY
    assert run["artifacts"][0]["location"]["uri"] == "a/fine%20%26%20well.glb"
    # No number is written as NaN, which is no JSON.
    assert "deviationInMetres" not in results[1]["properties"]
    assert run["tool"]["driver"]["properties"]["profiles"] == {"threejs": "assumed"}
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    (unread,) = invocation["toolExecutionNotifications"]
    assert unread["message"]["text"] == REPORTS[3].error
    assert [one.get("baselineState") for one in results] == [None] * 8 + ["unchanged"] * 2
    fingerprints = [one["partialFingerprints"]["skinscope/v1"] for one in results]
    assert len(set(fingerprints)) == len(fingerprints)


def test_sarif_of_nothing_is_valid():
    log = valid_sarif(write_sarif([FileReport("a.glb", (mesh_report("Body", 0.0),))], "", ""))
    assert log["runs"][0]["results"] == []
    assert log["runs"][0]["invocations"][0]["executionSuccessful"] is True


def test_junit_is_valid_and_has_a_case_for_each_mesh():
    root = valid_junit(write_junit(REPORTS, "0.1.0", "5.2.3"))
    assert {name: root.get(name) for name in ("tests", "failures", "errors")} == {
        "tests": "8",
        "failures": "4",
        "errors": "1",
    }
    fine, bad, worse, broken, old = root
    assert fine.get("failures") == worse.get("errors") == broken.get("failures") == "0"
    told = {one.get("name"): one.get("value") for one in fine.findall("properties/property")}
    assert told == {"skinscope": "0.1.0", "blender": "5.2.3", "profile threejs": "assumed"}
    nasty, hair, lost, tomorrow = bad.findall("testcase")
    assert nasty.get("name") == "<b>&\"'\\x07\\ud800 몸 [threejs]"
    assert [one.get("type") for one in nasty.findall("failure")] == ["tolerance", "influence-limit"]
    assert [one.get("type") for one in hair.findall("failure")] == ["tolerance"]
    assert hair.findtext("system-out") == (
        "warning: It differs. [visibility-differs]\nwarning: The other one differs too. [visibility-differs]"
    )
    assert [one.get("type") for one in lost.findall("failure")] == ["no-armature"]
    assert tomorrow.findall("failure") == []
    (error,) = broken.findall("testcase/error")
    assert error.get("message") == REPORTS[3].error
    (skipped,) = old.findall("testcase/skipped")
    assert skipped.get("message") == "known in the baseline: tolerance, envelopes"
    assert old.get("skipped") == "1"


class _Page(HTMLParser):
    """What a page is made of."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.files: list[str] = []
        self._in_summary = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        self._in_summary |= tag == "summary"

    def handle_endtag(self, tag: str) -> None:
        self._in_summary &= tag != "summary"

    def handle_data(self, data: str) -> None:
        if self._in_summary and data not in ("failed", "not checked", "known", "passed"):
            self.files.append(data)


def test_the_page_has_the_worst_first_and_runs_nothing():
    text = write_html(REPORTS, "0.1.0", "5.2.3")
    page = _Page()
    page.feed(text)
    assert page.files == ["b/bad.blend", "c/worse.blend", "d/broken.fbx", "e/old.blend", "a/fine & well.glb"]
    assert not {"script", "link", "img", "iframe"} & set(page.tags)
    assert not {"src", "href", "onclick"} & page.attributes
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "url(" not in text
    assert "@import" not in text
    assert "2 failed" in text
    assert "4 mm" in text
    assert '<td class="">threejs \N{MIDDLE DOT} assumed' in text


def _bad(rig: RandomRig) -> None:
    rig.mesh.name = "Bad <&> 몸"


@pytest.mark.parametrize("report_format", ["junit", "sarif"])
def test_what_a_check_of_good_bad_and_broken_files_writes_is_valid(
    report_format: str, tmp_path: Path, skinscope: Program, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    good = rig_file(tmp_path / "good.blend", RigOptions(influences=3, scale="none"), without_flaws)
    bad = rig_file(tmp_path / "bad one.blend", RigOptions(influences=7), _bad)
    broken = tmp_path / "broken.glb"
    broken.write_bytes(b"glTF\2\0\0\0 and then nothing of the kind")
    page = tmp_path / "summary.html"
    result = skinscope("check", good.name, bad.name, broken.name, "--device", "cpu", "--profile", "threejs", "--frames", "1:9:4", "--format", report_format, "--summary", page)  # fmt: skip
    assert result.status == 2
    if report_format == "sarif":
        (run,) = valid_sarif(result.output)["runs"]
        places = [
            one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for one in run["results"]
        ]
        assert set(places) == {"bad%20one.blend"}
        assert {"tolerance", "influence-limit"} <= {one["ruleId"] for one in run["results"]}
        (unread,) = run["invocations"][0]["toolExecutionNotifications"]
        assert unread["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "broken.glb"
    else:
        root = valid_junit(result.output)
        assert [(one.get("failures"), one.get("errors")) for one in root] == [
            ("0", "0"),
            ("1", "0"),
            ("0", "1"),
        ]
        assert root[1].find("testcase").get("name") == "Bad <&> 몸 [threejs]"
    text = page.read_text(encoding="utf-8")
    assert text.index("bad one.blend") < text.index("broken.glb") < text.index("good.blend")
    assert "Bad &lt;&amp;&gt; 몸" in text
