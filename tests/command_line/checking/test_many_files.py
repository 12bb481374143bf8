"""`check` of many files: named in lists and folders, spread over shards, ended and resumed, in several reports."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import bpy
import pytest

from tests.command_line.schemas import valid_junit, valid_sarif
from tests.installed_package import CHECKOUT

pytestmark = [
    pytest.mark.processes,
    pytest.mark.skipif(bool(bpy.app.binary_path), reason="stands in for Blender"),
    pytest.mark.skipif(os.name != "posix", reason="sends signals"),
]

STAND_IN = Path(__file__).parents[1] / "stand_in.py"


def program(*arguments: object) -> list[str]:
    return [sys.executable, str(STAND_IN), *map(str, arguments)]


def run(folder: Path, *arguments: object, told: str = "") -> subprocess.CompletedProcess[str]:
    result = subprocess.run(
        program(*arguments),
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(CHECKOUT), "TMPDIR": str(folder)},
        input=told,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "Traceback" not in result.stderr
    return result


def names(report: str) -> list[str]:
    return [one["file"] for one in json.loads(report)["files"]]


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def studio(tmp_path: Path) -> Path:
    """A folder with five characters, an old one, a back-up, a picture, and folders of git's and of Python's."""
    for name in (
        "hero/good a.blend",
        "hero/good b.glb",
        "crowd/good c.FBX",
        "good d.usdz",
        "crowd/far/good e.vrm",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name, encoding="utf-8")
    for name in (
        "hero/good a_old.blend",
        "backup/good f.glb",
        "hero/face.png",
        ".git/good g.glb",
        "env/pyvenv.cfg",
        "env/lib/good h.blend",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("", encoding="utf-8")
    return tmp_path


FIVE = ["good d.usdz", "crowd/good c.FBX", "crowd/far/good e.vrm", "hero/good a.blend", "hero/good b.glb"]
"""Those characters in the order of a search: a folder's files, then the folders in it."""


def test_a_folder_stands_for_the_characters_in_it_but_for_those_left_out(studio: Path):
    result = run(studio, "check", ".", "--exclude", "backup", "--exclude=*_old.blend", "--format=json")
    assert (result.returncode, result.stderr) == (0, "")
    assert names(result.stdout) == FIVE
    by_way = run(studio, "check", ".", "--exclude=hero/*_old.blend", "--exclude=backup/", "--format=json")
    assert names(by_way.stdout) == FIVE


def test_each_folders_configuration_may_leave_files_out_and_a_named_file_stays(studio: Path):
    (studio / "skinscope.toml").write_text('[check]\nexclude = ["backup", "hero/*_old*"]\n', encoding="utf-8")
    assert names(run(studio, "check", ".", "--format=json").stdout) == FIVE
    named = run(studio, "check", "backup/good f.glb", "--format=json")
    assert names(named.stdout) == ["backup/good f.glb"]


def test_a_pattern_stands_for_what_matches(studio: Path):
    result = run(studio, "check", "**/*.glb", "--exclude=backup", "--format=json")
    assert names(result.stdout) == ["hero/good b.glb"]


def test_a_list_comes_from_a_file_or_from_standard_input(studio: Path):
    (studio / "list.txt").write_text("hero\ncrowd/good c.FBX\n\n", encoding="utf-8")
    from_file = run(studio, "check", "--files-from=list.txt", "--exclude=*_old*", "--format=json")
    assert names(from_file.stdout) == [*FIVE[3:], FIVE[1]]
    told = run(studio, "check", "good d.usdz", "--files-from=-", "--format=json", told="hero/good b.glb\0")
    assert names(told.stdout) == ["good d.usdz", "hero/good b.glb"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["check"], "No files are named; name files or folders, or a list of them with --files-from."),
        (["check", "--files-from=empty.txt"], "'empty.txt' lists no files; write one on each line."),
        (
            ["check", "--files-from=none.txt"],
            "The list 'none.txt' can't be read (No such file or directory);",
        ),
        (["check", "bare"], "The folder 'bare' has no files to check; they end in .blend, .glb,"),
        (["check", "*.gltf"], "No file matches '*.gltf'; write another pattern, or the names of files."),
        (["check", "*.usdz", "--exclude=good*"], "Every file that matches '*.usdz' is excluded;"),
        (["check", "a.glb", "--shard=9/8"], "'9/8' is not a shard; write its number and how many there are,"),
        (["check", "a.glb", "--shard=0/8"], "'0/8' is not a shard;"),
        (["check", "a.glb", "--report=pdf=a.pdf"], "'pdf' is not a format; choose 'text', 'json',"),
        (["check", "a.glb", "--report=a.pdf"], "'a.pdf' is not a report; write FORMAT=PATH, such as"),
        (
            ["check", "a.glb", "--resume"],
            "--resume goes on with one file of JSON lines; name it with --report",
        ),
        (["check", "a.glb", "--report=json=a", "--summary=a"], "Two reports can't be written to one file;"),
    ],
)
def test_wrong_use_is_one_sentence(studio: Path, arguments: list[str], sentence: str):
    (studio / "empty.txt").write_text("\n", encoding="utf-8")
    (studio / "bare").mkdir()
    result = run(studio, *arguments)
    assert (result.returncode, result.stdout) == (2, "")
    (line,) = result.stderr.splitlines()
    assert line.startswith(f"skinscope: {sentence}")


def test_a_file_named_twice_is_checked_once(studio: Path):
    result = run(studio, "check", "good d.usdz", "./good d.usdz", ".", "--exclude=backup", "--format=json")
    assert names(result.stdout).count("good d.usdz") == 1
    assert result.stderr == "skinscope: './good d.usdz' is named more than once, and is checked once.\n"


def test_one_check_writes_all_kinds_of_reports(studio: Path):
    reports = {name: studio / f"out.{name}" for name in ("text", "json", "junit", "sarif", "html", "jsonl")}
    told = [f"--report={name}={path}" for name, path in reports.items()]
    result = run(studio, "check", "hero", *told)
    assert result.stdout == reports["text"].read_text(encoding="utf-8")
    texts = {name: path.read_text(encoding="utf-8") for name, path in reports.items()}
    assert len(names(texts["json"])) == 3
    assert len(valid_junit(texts["junit"])) == 3
    assert valid_sarif(texts["sarif"])["version"] == "2.1.0"
    assert "3 passed" in texts["html"]
    head, *files = lines_of(reports["jsonl"])
    assert head["run"]["files"] == len(files) == 3


def test_shards_have_every_file_once_and_merge_to_what_one_check_says(studio: Path):
    told = ["check", ".", "--exclude=backup"]
    whole = run(studio, *told, "--format=json")
    parts = [studio / f"part{number}.json" for number in (1, 2, 3)]
    for number, path in enumerate(parts, 1):
        assert run(studio, *told, f"--shard={number}/3", "--format=json", f"--output={path}").returncode == 0
    assert sorted(name for path in parts for name in names(path.read_text())) == sorted(names(whole.stdout))
    merged = run(studio, "report", *reversed(parts), "--format=json")
    assert merged.stdout == whole.stdout
    assert (merged.returncode, merged.stderr) == (0, "")


def test_a_shard_without_files_is_an_empty_report_that_merges(studio: Path):
    for number in (1, 2):
        result = run(
            studio, "check", "good d.usdz", f"--shard={number}/2", f"--report=json=part{number}.json"
        )
        assert result.returncode == 0
    assert result.stderr == "skinscope: Shard 2/2 has none of the 1 files; its report is empty.\n"
    merged = run(studio, "report", "part1.json", "part2.json", "--format=json")
    assert (names(merged.stdout), merged.returncode, merged.stderr) == (["good d.usdz"], 0, "")


def test_lines_come_as_files_are_done_with_what_is_left(studio: Path):
    (studio / "hang.glb").write_text("", encoding="utf-8")
    process = subprocess.Popen(
        program("check", "good d.usdz", "hang.glb", "hero/good b.glb", "--format=jsonl", "--timeout=60s"),
        cwd=studio,
        env=os.environ | {"PYTHONPATH": str(CHECKOUT), "TMPDIR": str(studio)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    head, first = (json.loads(process.stdout.readline()) for _ in range(2))
    # The second file is still being checked.
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 143
    process.stdout.close()
    assert head["version"] == 1
    assert (first["file"], first["passed"], first["number"]) == ("good d.usdz", True, 1)
    assert (first["done"], first["of"], first["blender"]) == (1, 3, "5.2.3")
    assert 0 < first["seconds"] < first["seconds_left"] < 60


def killed_in_the_middle(studio: Path, report: Path) -> None:
    (studio / "hang.glb").write_text("", encoding="utf-8")
    process = subprocess.Popen(
        program("check", "good d.usdz", "hero/good b.glb", "hang.glb", f"--report=jsonl={report}"),
        cwd=studio,
        env=os.environ | {"PYTHONPATH": str(CHECKOUT), "TMPDIR": str(studio)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    for _ in range(600):
        # The process that checks is a file ahead of the one that writes.
        if (studio / "hang.pids").exists() and report.read_bytes().count(b"\n") == 3:
            break
        time.sleep(0.05)
    process.kill()
    process.wait()
    for pid in (studio / "hang.pids").read_text(encoding="utf-8").split():
        os.kill(int(pid), signal.SIGKILL)


def test_a_killed_check_goes_on_where_it_was_and_checks_what_changed_again(studio: Path):
    report = studio / "run.jsonl"
    killed_in_the_middle(studio, report)
    assert [one["file"] for one in lines_of(report)[1:]] == ["good d.usdz", "hero/good b.glb"]
    # It was ended within a line, and one file was saved since.
    with report.open("a", encoding="utf-8") as stream:
        stream.write('{"file": "ha')
    (studio / "hero/good b.glb").write_text("other", encoding="utf-8")
    files = ["good d.usdz", "hero/good b.glb", "hang.glb"]
    result = run(
        studio, "check", *files, f"--report=jsonl={report}", "--resume", "--timeout=3s", "--format=json"
    )
    assert names(result.stdout) == files
    assert result.returncode == 2
    lines = lines_of(report)[1:]
    assert [(one["file"], one["error"] is None) for one in lines] == [
        ("good d.usdz", True),
        ("hero/good b.glb", True),
        ("hero/good b.glb", True),
        ("hang.glb", False),
    ]
    merged = run(studio, "report", report, "--format=json")
    assert json.loads(merged.stdout)["files"] == json.loads(result.stdout)["files"]
    assert merged.returncode == 2


def test_a_report_of_another_check_is_not_gone_on_with(studio: Path):
    report = studio / "run.jsonl"
    assert run(studio, "check", "good d.usdz", f"--report=jsonl={report}").returncode == 0
    before = report.read_bytes()
    for other in (["good d.usdz", "hero/good b.glb"], ["good d.usdz", "--tolerance=1mm"]):
        result = run(studio, "check", *other, f"--report=jsonl={report}", "--resume")
        assert result.returncode == 2
        assert "is of another check: other files, settings, shard or version" in result.stderr
        assert report.read_bytes() == before
    report.write_text("something\nelse\n", encoding="utf-8")
    result = run(studio, "check", "good d.usdz", f"--report=jsonl={report}", "--resume")
    assert "is no report of JSON lines, so a check can't go on with it" in result.stderr


def test_a_missing_report_is_begun(studio: Path):
    result = run(studio, "check", "good d.usdz", "--report=jsonl=new.jsonl", "--resume")
    assert result.returncode == 0
    assert result.stderr.startswith("skinscope: There is no '")
    assert len(lines_of(studio / "new.jsonl")) == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a disk that is full, as Linux has it")
def test_a_full_disk_in_the_middle_is_a_sentence(studio: Path):
    result = run(studio, "check", "good d.usdz", "--report=jsonl=/dev/full")
    assert result.returncode == 2
    assert "'/dev/full' can't be written (No space left on device)" in result.stderr


def test_the_pace_is_shown_on_a_terminal(monkeypatch: pytest.MonkeyPatch):
    from skinning_addon.command_line.arguments.file_settings import FileSettings
    from skinning_addon.command_line.checking import running_report
    from skinning_addon.command_line.checking.answers import Answer
    from skinning_addon.command_line.program.progress import ProgressLine
    from skinning_addon.command_line.reports.formats import Circumstances
    from skinning_addon.command_line.reports.run import Run
    from skinning_addon.core.verdicts.verdict import USUAL
    from skinning_addon.measurement.check.report import FileReport

    clock = [100.0]
    monkeypatch.setattr(running_report.time, "monotonic", lambda: clock[0])
    shown: list[str] = []
    settings = [FileSettings(f"{number}.glb", USUAL, {}) for number in range(4)]
    report = running_report.RunningReport(
        settings,
        running_report.Destination("json", io.StringIO()),
        {},
        rewrites=False,
        circumstances=Circumstances("1"),
        run=Run("id", 4),
        _started_at=clock[0],
        _progress=ProgressLine(shown.append),
    )
    clock[0] = 130.0
    report.take(0, Answer(FileReport("0.glb")))
    assert shown[-1] == "[1/4] 30.0 s a file, about 90 s left"
