"""`check` when things go wrong: no file affects another's result, and every run leaves a report."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import bpy
import pytest

from tests.installed_package import CHECKOUT

pytestmark = [
    pytest.mark.processes,
    pytest.mark.skipif(bool(bpy.app.binary_path), reason="stands in for Blender"),
    pytest.mark.skipif(os.name != "posix", reason="sends signals"),
]

STAND_IN = Path(__file__).parents[1] / "stand_in.py"


def started(folder: Path, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(STAND_IN), "check", *map(str, arguments)],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(CHECKOUT), "TMPDIR": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


def ended(process: subprocess.Popen[str]) -> subprocess.CompletedProcess[str]:
    output, errors = process.communicate(timeout=60)
    assert "Traceback" not in errors
    return subprocess.CompletedProcess(process.args, process.returncode, output, errors)


def checked(folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    return ended(started(folder, *arguments))


def files_of(text: str) -> list[dict[str, Any]]:
    return json.loads(text)["files"]


def wait_for(path: Path) -> str:
    for _ in range(600):
        if path.exists() and path.read_text(encoding="utf-8"):
            return path.read_text(encoding="utf-8")
        time.sleep(0.05)
    raise AssertionError(f"{path} does not come")


def is_gone(pid: int) -> bool:
    """Tell whether a process has ended, or will once its parent looks."""
    for _ in range(100):
        try:
            if Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z":
                return True
        except FileNotFoundError:
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_crash_costs_its_own_file_only(tmp_path: Path, jobs: int):
    result = checked(tmp_path, "good.glb", "crash.glb", "good 2.glb", "--format=json", f"--jobs={jobs}")
    first, crashed, last = files_of(result.stdout)
    assert (first["error"], last["error"]) == (None, None)
    assert (first["passed"], last["passed"]) == (True, True)
    assert crashed["error"].startswith(
        "'crash.glb' can't be checked: Blender died of SIGSEGV while checking it;"
    )
    assert result.returncode == 2
    assert result.stderr == f"skinscope: {crashed['error']}\n"


def test_a_crash_over_the_only_file_is_reported(tmp_path: Path):
    result = checked(tmp_path, "crash.glb", "--format=json")
    assert result.returncode == 2
    assert "SIGSEGV" in files_of(result.stdout)[0]["error"]


def test_what_crashes_for_the_files_before_it_is_tried_alone(tmp_path: Path):
    result = checked(tmp_path, "good.glb", "crash-later.glb", "good 2.glb", "--format=json")
    assert [one["error"] for one in files_of(result.stdout)] == [None, None, None]
    assert result.returncode == 0


def test_an_internal_error_is_status_3_and_one_line_that_says_where_its_traceback_is(tmp_path: Path):
    result = checked(tmp_path, "odd.glb", "crash.glb", "good.glb", "--format=json")
    assert result.returncode == 3
    odd, _, good = files_of(result.stdout)
    assert (good["error"], good["passed"]) == (None, True)
    line = result.stderr.splitlines()[0]
    assert line == f"skinscope: {odd['error']}"
    (path,) = re.findall(r"the traceback in '(.+)'", line)
    assert "ZeroDivisionError: of all things" in line
    text = Path(path).read_text(encoding="utf-8")
    assert text.rstrip().endswith("ZeroDivisionError: of all things")
    assert "in _odd" in text


def test_an_internal_error_of_another_command_is_status_3(tmp_path: Path):
    script = (
        "import sys, skinning_addon.command_line.diffing.diff as diff\n"
        "from skinning_addon.command_line.main import main\n"
        "diff.read_bundle = lambda folder: 1 / 0\n"
        "sys.exit(main(['diff', 'bundle', 'positions.npz']))"
    )
    environment = os.environ | {"PYTHONPATH": str(CHECKOUT), "TMPDIR": str(tmp_path)}
    result = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False)  # fmt: skip
    assert result.returncode == 3
    (line,) = result.stderr.splitlines()
    assert line.startswith("skinscope: Skinscope failed while running 'diff' (ZeroDivisionError")
    (path,) = tmp_path.glob("skinscope-traceback-*.txt")
    assert str(path) in line


@pytest.mark.parametrize(
    ("limit", "processes"),
    [
        ("--worker-files=1", 4),
        ("--worker-files=3", 2),
        ("--worker-memory=1MB", 4),
        ("--worker-memory=100GB", 1),
    ],
)
def test_a_process_is_replaced_after_some_files_and_above_some_memory(
    tmp_path: Path, limit: str, processes: int
):
    result = checked(tmp_path, *(f"process {one}.glb" for one in "1234"), "--format=json", limit)
    assert result.returncode == 0
    named = [one["meshes"][0]["object"] for one in files_of(result.stdout)]
    assert len(set(named)) == processes


def test_a_file_that_takes_too_long_is_named(tmp_path: Path):
    result = checked(tmp_path, "good.glb", "hang.glb", "good 2.glb", "--format=json", "--timeout=10s")
    _, late, _ = files_of(result.stdout)
    assert [one["passed"] for one in files_of(result.stdout)] == [True, False, True]
    assert late["error"].startswith("'hang.glb' can't be checked: it took more than 10s; raise --timeout")
    assert result.returncode == 2
    assert all(map(is_gone, map(int, wait_for(tmp_path / "hang.pids").split())))


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_leaves_reports_of_what_is_done_and_no_process(
    tmp_path: Path, number: signal.Signals, status: int
):
    process = started(
        tmp_path,
        "good.glb",
        "hang.glb",
        "good 2.glb",
        "--format=junit",
        "--output=out.xml",
        "--summary=all.html",
    )
    pids = [int(one) for one in wait_for(tmp_path / "hang.pids").split()]
    process.send_signal(number)
    result = ended(process)
    assert result.returncode == status
    assert result.stderr == f"skinscope: Interrupted by {number.name} after 1 of 3 files.\n"
    assert all(map(is_gone, pids))
    from tests.command_line.schemas import valid_junit

    done, *others = valid_junit((tmp_path / "out.xml").read_text(encoding="utf-8"))
    assert (done.get("name"), done.get("errors")) == ("good.glb", "0")
    messages = [one.find("testcase/error").get("message") for one in others]
    assert messages == [
        f"'{name}' was not checked: the check was interrupted by {number.name}."
        for name in ("hang.glb", "good 2.glb")
    ]
    assert "1 passed" in (tmp_path / "all.html").read_text(encoding="utf-8")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["all.html", "hang.pids", "out.xml"]


def test_a_signal_leaves_a_whole_report_on_standard_output(tmp_path: Path):
    process = started(tmp_path, "good.glb", "hang.glb", "--format=json")
    wait_for(tmp_path / "hang.pids")
    process.send_signal(signal.SIGTERM)
    done, other = files_of(ended(process).stdout)
    assert (done["passed"], other["passed"]) == (True, False)


def test_no_process_stays_behind_one_that_was_killed(tmp_path: Path):
    process = started(tmp_path, "hang.glb")
    worker, _ = (int(one) for one in wait_for(tmp_path / "hang.pids").split())
    process.kill()
    process.communicate()
    assert is_gone(worker)


def test_results_are_written_as_they_come(tmp_path: Path):
    process = started(tmp_path, "good.glb", "hang.glb")
    try:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("good.glb: exact.")
    finally:
        process.kill()
        process.communicate()


def told_by(folder: Path, names: list[str], order: list[int], *options: str) -> tuple[int, str, list[str]]:
    """Check with answers that come in this order; return status, output, and the output after each answer."""
    from skinning_addon.command_line.arguments.parser import parse_arguments
    from skinning_addon.command_line.checking.check import checked as check
    from tests.command_line import stand_in

    output, seen = io.StringIO(), []

    def answers(settings):
        for index in order:
            yield index, stand_in.answer_to(settings[index], None)
            seen.append(output.getvalue())

    files = [str(folder / name) for name in names]
    status = check(parse_arguments(["check", *files, *options]), output, answers)
    return status, output.getvalue(), seen


def test_text_comes_in_the_order_of_the_files(tmp_path: Path):
    status, text, seen = told_by(tmp_path, ["good a.glb", "good b.glb", "good c.glb"], [2, 0, 1])
    assert status == 0
    assert [re.findall(r"good (.)\.glb: exact", one) for one in seen] == [[], ["a"], ["a", "b", "c"]]
    assert text.endswith("\n\n3 files: 3 passed.\n")
    assert "\n\n\n" not in text


def test_a_report_that_cannot_be_written_costs_its_own_file_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    from skinning_addon.command_line.reports import report_json

    write = report_json.file_entry

    def fails_for_one(report):
        if report.meshes and report.meshes[0].object == "b":
            raise ZeroDivisionError("of all things")
        return write(report)

    monkeypatch.setattr(report_json, "file_entry", fails_for_one)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    names = ["good a.glb", "good b.glb", "good c.glb"]
    status, text, _ = told_by(tmp_path, names, [0, 1, 2], "--format=json")
    assert status == 3
    assert [one["passed"] for one in files_of(text)] == [True, False, True]
    (path,) = tmp_path.glob("skinscope-traceback-*.txt")
    assert files_of(text)[1]["error"].endswith(f"please report it with the traceback in '{path}'.")
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_report_in_a_file_is_written_as_results_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from skinning_addon.command_line.arguments.parser import parse_arguments
    from skinning_addon.command_line.checking import running_report

    monkeypatch.setattr(running_report, "SECONDS_BETWEEN_REPORTS", -1.0)
    path = tmp_path / "out.json"
    seen = []

    def answers(settings):
        from tests.command_line import stand_in

        for index, one in enumerate(settings):
            yield index, stand_in.answer_to(one, None)
            seen.append([(two["error"], two["passed"]) for two in files_of(path.read_text(encoding="utf-8"))])

    from skinning_addon.command_line.checking.check import checked as check

    arguments = parse_arguments(["check", "good.glb", "good 2.glb", "--format=json", f"--output={path}"])
    assert check(arguments, None, answers) == 0
    assert seen == [
        [(None, True), ("'good 2.glb' hasn't been checked yet.", False)],
        [(None, True), (None, True)],
    ]


def test_what_blender_prints_is_passed_on_as_text(tmp_path: Path):
    result = checked(tmp_path, "print \x1b[31m::error::몸.glb", "print ::error title=x::y.glb")
    assert result.returncode == 0
    assert result.stderr == "\\x1b[31m::error::몸\n\\x3a:error title=x::y\n"
