"""`report`: what several checks wrote becomes one report, unless it doesn't belong together."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from skinning_addon.command_line.reports.report_json import write_json
from skinning_addon.command_line.reports.report_lines import FileLine, Pace, file_line, head_line
from skinning_addon.command_line.reports.run import Run
from skinning_addon.core.verdicts.finding import Finding, Severity
from skinning_addon.core.verdicts.rules_of_files import TOLERANCE
from skinning_addon.measurement.check.report import FileReport
from tests.command_line.conftest import Program
from tests.command_line.schemas import valid_junit, valid_sarif

WRONG = Finding(TOLERANCE, Severity.ERROR, "Body", "'Body' is wrong.", count=1)


def part(
    folder: Path,
    name: str,
    *files: FileReport | str,
    run: Run | None = None,
    skinscope: str = "1",
    blender: str = "5.2.3",
) -> Path:
    """Write a report of files; those named have nothing wrong."""
    reports = [FileReport(one) if isinstance(one, str) else one for one in files]
    path = folder / name
    path.write_text(write_json(reports, skinscope, blender, run), encoding="utf-8")
    return path


def lines(folder: Path, name: str, run: Run, *files: FileLine) -> Path:
    path = folder / name
    text = [head_line("1", run), *(file_line(one, Pace(1, 2, 0.0)) for one in files)]
    path.write_text("".join(text), encoding="utf-8")
    return path


def shard(number: int, of: int = 2, files: int = 4, which: str = "run") -> Run:
    return Run(which, files, number, of)


def test_files_come_in_the_order_of_the_list_whatever_the_order_of_the_parts(
    tmp_path: Path, skinscope: Program
):
    first = part(tmp_path, "1.json", "a", "c", run=shard(1))
    second = lines(
        tmp_path,
        "2.jsonl",
        shard(2),
        # As they were done.
        FileLine(3, FileReport("d"), "5.2.3"),
        FileLine(1, FileReport("b"), "5.2.3"),
    )
    result = skinscope("report", str(second), str(first), "--format=json")
    document = json.loads(result.output)
    assert [one["file"] for one in document["files"]] == ["a", "b", "c", "d"]
    assert (document["skinscope"], document["blender"]) == ("1", "5.2.3")
    assert document["run"] == {"id": "run", "files": 4, "shard": 1, "shards": 1}
    assert (result.status, result.complaints) == (0, ())


@pytest.mark.parametrize("name", ["text", "json", "junit", "sarif", "html"])
def test_every_format_has_what_is_wrong(tmp_path: Path, skinscope: Program, name: str):
    path = part(tmp_path, "1.json", FileReport("a", findings=(WRONG,)), "b")
    result = skinscope("report", str(path), f"--format={name}", f"--summary={tmp_path / 'page.html'}")
    assert result.status == 1
    assert "'Body' is wrong." in result.output.replace("&#x27;", "'").replace("&#39;", "'")
    assert "is wrong." in (tmp_path / "page.html").read_text(encoding="utf-8")
    if name == "junit":
        valid_junit(result.output)
    if name == "sarif":
        valid_sarif(result.output)


def test_a_document_on_one_line_is_one(tmp_path: Path, skinscope: Program):
    path = part(tmp_path, "1.json", "a")
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8"))), encoding="utf-8")
    assert json.loads(skinscope("report", str(path), "--format=json").output)["files"][0]["file"] == "a"


def test_what_could_not_be_checked_is_status_2_and_a_defect_3(tmp_path: Path, skinscope: Program):
    failed = FileReport("a", error="'a' can't be checked: it is broken.")
    assert skinscope("report", str(part(tmp_path, "1.json", failed))).status == 2
    run = Run("run", 1)
    path = lines(tmp_path, "2.jsonl", run, FileLine(0, failed, "5.2.3", internal=True))
    assert skinscope("report", str(path)).status == 3


def test_a_missing_shard_is_named_and_is_status_2(tmp_path: Path, skinscope: Program):
    path = part(tmp_path, "2.json", "b", run=shard(2, of=3, files=3))
    result = skinscope("report", str(path), "--format=json")
    assert result.status == 2
    assert list(result.complaints) == ["The report of shard 1/3, 3/3 is missing; name it too."]
    # What there is, is written, and claims to be no whole run.
    document = json.loads(result.output)
    assert [one["file"] for one in document["files"]] == ["b"]
    assert "run" not in document


def test_a_report_that_ends_too_early_is_named(tmp_path: Path, skinscope: Program):
    path = lines(tmp_path, "1.jsonl", Run("run", 2), FileLine(1, FileReport("b"), "5.2.3"))
    result = skinscope("report", str(path))
    assert result.status == 2
    assert list(result.complaints) == [f"'{path}' has 1 of its 2 files; let its check go on with --resume."]


@pytest.mark.parametrize(
    ("other", "what"),
    [
        ({"skinscope": "2"}, "versions of Skinscope (1) (2)"),
        ({"blender": "4.2.0"}, "versions of Blender (5.2.3) (4.2.0)"),
        ({"run": shard(2, which="other")}, "checks (other files, settings or shards)"),
        ({"run": shard(2, of=3, files=6)}, "checks (other files, settings or shards)"),
        ({"run": None}, "checks (other files, settings or shards)"),
    ],
)
def test_what_does_not_belong_together_is_refused_by_name(
    tmp_path: Path, skinscope: Program, other: dict[str, object], what: str
):
    first = part(tmp_path, "1.json", "a", "c", run=shard(1))
    second = part(tmp_path, "2.json", "b", "d", **({"run": shard(2)} | other))
    result = skinscope("report", str(first), str(second))
    assert (result.status, result.output) == (2, "")
    (sentence,) = result.complaints
    assert sentence.startswith(f"'{first}' and '{second}' are of different {what}; leave one out, or merge")
    mixed = skinscope("report", str(first), str(second), "--mixed", "--format=json")
    assert [one["file"] for one in json.loads(mixed.output)["files"]] == (
        ["a", "c", "b", "d"]
        if other.get("run", shard(2)) in (None, shard(2, which="other"))
        else list("abcd")
    )


def test_a_file_that_two_reports_have_is_refused(tmp_path: Path, skinscope: Program):
    first, second = (part(tmp_path, name, "a", "b", run=None) for name in ("1.json", "2.json"))
    result = skinscope("report", str(first), str(second))
    assert (result.status, result.output) == (2, "")
    assert list(result.complaints) == [f"'{first}' and '{second}' both have a result of 'a'; leave one out."]
    twice = skinscope("report", str(first), str(first))
    assert twice.complaints[0].startswith(f"'{first}' is named twice, or has two results of 'a'")


@pytest.mark.parametrize("content", ["", "{}", "[]", "null", "<xml/>", '{"files": []}', '{"files": 3, "version": 1}', "1\n2\n"])  # fmt: skip
def test_what_is_no_report_is_named(tmp_path: Path, skinscope: Program, content: str):
    path = tmp_path / "some.json"
    path.write_text(content, encoding="utf-8")
    result = skinscope("report", str(path))
    assert (result.status, result.output) == (2, "")
    assert list(result.complaints) == [
        f"'{path}' is no report of a check; name one that 'check' has written with --format json or jsonl."
    ]
    missing = skinscope("report", str(tmp_path / "none.json"))
    assert "none.json' can't be read (No such file or directory); name one" in missing.complaints[0]


def test_lines_are_of_one_check_alone(tmp_path: Path, skinscope: Program):
    result = skinscope("report", str(part(tmp_path, "1.json", "a")), "--format=jsonl")
    assert list(result.complaints) == [
        "JSON lines are written by 'check' alone; merge into another format, such as json."
    ]
