"""The page about many files: its filters, in a real browser, and what has changed since a former report."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from skinning_addon.command_line.reports.report_html import Told, write_html
from skinning_addon.command_line.reports.report_json import write_json
from skinning_addon.core.verdicts.finding import Finding, Severity
from skinning_addon.measurement.check.report import FileReport
from tests.browser import document_after_scripts
from tests.command_line.conftest import Program
from tests.command_line.reports.test_formats import REPORTS, mesh_report

CAST = (
    FileReport(
        "hero.blend",
        (mesh_report("Body", 0.004), mesh_report("Body", 1e-6, profile="My engine.2")),
        (
            Finding("influence-limit", Severity.ERROR, "Body", "Too many.", profile="threejs"),
            Finding("clips-not-played", Severity.WARNING, "", "Not all."),
        ),
    ),
    FileReport(
        "crowd.glb",
        (mesh_report("Cloth", 1e-6, profile="My engine.2"),),
        (Finding("envelopes", Severity.INFO, "Cloth", "Some.", profile="My engine.2"),),
    ),
    FileReport("broken.fbx", error="Broken."),
)

ONE_PIXEL = base64.b64decode(
    "/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////"
    "////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA="
)
"""The smallest JPEG that browsers show."""

SHOWN = """<script>
for (const option of document.querySelectorAll("option"))
  if (option.textContent === CHOSEN) option.selected = true
const shown = kind => [...document.querySelectorAll(kind)].filter(one => one.checkVisibility())
document.body.insertAdjacentHTML("beforeend", "<pre id=told>" + JSON.stringify({
  files: shown("summary").map(one => one.textContent),
  meshes: shown("tr.mesh").map(one => one.cells[1].textContent.split(" \\u00b7")[0]),
  findings: shown("li.finding code").map(one => one.textContent),
  choices: [...document.querySelectorAll("option")].map(one => one.textContent),
  wide: document.documentElement.scrollWidth > innerWidth,
}) + "</pre>")
</script>"""


def shown_in_browser(folder: Path, chosen: str) -> dict[str, Any]:
    """Choose in a filter, and return what is to be seen with all files opened."""
    path = folder / "page.html"
    text = write_html(CAST, "0.1.0", "5.2.3").replace("<details ", "<details open ")
    path.write_text(text + SHOWN.replace("CHOSEN", json.dumps(chosen)), encoding="utf-8")
    page = document_after_scripts(folder / "profile", path.as_uri())
    (told,) = re.findall(r'<pre id="told">(.*?)</pre>', page)
    return json.loads(told)


@pytest.mark.processes
def test_all_is_shown_until_something_is_chosen(tmp_path: Path):
    told = shown_in_browser(tmp_path, "")
    assert told["files"] == ["failedhero.blend", "not checkedbroken.fbx", "passedcrowd.glb"]
    assert told["meshes"] == ["threejs", "My engine.2", "My engine.2"]
    assert told["findings"] == ["influence-limit", "clips-not-played", "envelopes"]
    assert told["choices"] == [
        *("all", "failed (1)", "not checked (1)", "passed (1)"),
        *("all", "My engine.2 (2)", "threejs (1)"),
        *("all", "error (1)", "warning (1)", "info (1)"),
        *("all", "Clips Not Played (1)", "Envelopes (1)", "Influence Limit (1)"),
    ]
    assert not told["wide"]


FILTERED = {
    "failed (1)": (["hero"], ["threejs", "My engine.2"], ["influence-limit", "clips-not-played"]),
    "not checked (1)": (["broken"], [], []),
    # A finding about no engine is one about all.
    "threejs (1)": (["hero"], ["threejs"], ["influence-limit", "clips-not-played"]),
    "My engine.2 (2)": (["hero", "crowd"], ["My engine.2"] * 2, ["clips-not-played", "envelopes"]),
    "error (1)": (["hero"], ["threejs", "My engine.2"], ["influence-limit"]),
    "Envelopes (1)": (["crowd"], ["My engine.2"], ["envelopes"]),
}


@pytest.mark.processes
@pytest.mark.parametrize("chosen", FILTERED)
def test_a_filter_leaves_what_it_says(tmp_path: Path, chosen: str):
    told = shown_in_browser(tmp_path, chosen)
    files, meshes, findings = FILTERED[chosen]
    assert [re.sub(r"^(failed|not checked|passed)|\..*", "", one) for one in told["files"]] == files
    assert (told["meshes"], told["findings"]) == (meshes, findings)


def test_what_has_changed_is_told():
    before = [
        FileReport("fixed.glb", (mesh_report("Body", 0.02),)),
        FileReport("worse.glb", (mesh_report("Body", 0.0005),)),
        FileReport("same.glb", (mesh_report("Body", 0.003),)),
        FileReport("<gone>.glb", (mesh_report("Body", 0.003),)),
    ]
    now = [
        FileReport("fixed.glb", (mesh_report("Body", 0.0001),)),
        FileReport("worse.glb", (mesh_report("Body", 0.03),)),
        FileReport("same.glb", (mesh_report("Body", 0.002),)),
        FileReport("new.glb", (mesh_report("Body", 0.0),)),
    ]
    page = write_html(now, "0.1.0", "5.2.3", Told("2026-11-28", "<abc>", ("Shard 2/3 is missing.",), before))
    assert "Since the former report: 1 newly failing, 1 fixed, 1 new." in page
    assert "No longer checked: &lt;gone&gt;.glb." in page
    assert "2026-11-28. Commit &lt;abc&gt;. Skinscope 0.1.0" in page
    assert "Shard 2/3 is missing." in page
    marks = dict(re.findall(r"</b>([\w.]+)<span class=\"change\">([\w ]+)</span>", page))
    assert marks == {"fixed.glb": "fixed", "worse.glb": "newly failing", "new.glb": "new"}
    rows = re.findall(r'<td class="number">([^<]*)<td class="number">([^<]*)<td class="number">', page)
    assert ("2 cm", "0.1 mm") in rows
    assert ("3 mm", "2 mm") in rows
    assert ("", "0 mm") in rows
    assert "Since the former report" not in write_html(now, "0.1.0", "5.2.3")


def test_the_options_of_the_page(tmp_path: Path, skinscope: Program, monkeypatch: pytest.MonkeyPatch):
    part, former, page = tmp_path / "part.json", tmp_path / "former.json", tmp_path / "page.html"
    part.write_text(write_json(REPORTS[:1], "0.1.0", "5.2.3"), encoding="utf-8")
    failing = replace(REPORTS[0], meshes=(mesh_report("Body", 0.5),))
    former.write_text(write_json([failing], "0.1.0", "5.2.3"), encoding="utf-8")
    for name in ("GITHUB_SHA", "CI_COMMIT_SHA", "GIT_COMMIT"):
        monkeypatch.delenv(name, raising=False)

    def written(*more: object) -> str:
        assert skinscope("report", part, "--format", "json", "--summary", page, *more).status == 0
        return page.read_text(encoding="utf-8")

    assert "Commit" not in written()
    assert "Since the former report: 1 fixed." in written("--before", former)
    monkeypatch.setenv("CI_COMMIT_SHA", "def456")
    assert "Commit def456." in written()
    assert "Commit abc123." in written("--commit", "abc123")
    result = skinscope("report", part, "--summary", page, "--before", tmp_path / "none.json")
    assert result.status == 2
    assert "none.json' can't be read" in result.complaints[0]


@pytest.mark.processes
def test_a_picture_is_part_of_the_page_and_can_be_gone(tmp_path: Path):
    picture = tmp_path / "hero.jpg"
    picture.write_bytes(ONE_PIXEL)
    (tmp_path / "text.jpg").write_text("<script>", encoding="utf-8")
    reports = [
        replace(CAST[0], picture=str(picture)),
        replace(CAST[1], picture=str(tmp_path / "gone.jpg")),
        replace(CAST[2], picture=str(tmp_path / "text.jpg")),
    ]
    page = write_html(reports, "0.1.0", "5.2.3")
    assert page.count("<img ") == 1
    assert "<figcaption>Body under threejs, frame 2.5 of &#x27;Run&#x27;</figcaption>" in page
    picture.unlink()
    path = tmp_path / "page.html"
    size = """<script>const one = document.querySelector("img")
one.decode().then(() => { document.title = one.naturalWidth + " x " + one.naturalHeight })</script>"""
    path.write_text(page + size, encoding="utf-8")
    assert "<title>1 x 1</title>" in document_after_scripts(tmp_path / "profile", path.as_uri())
