"""The program as a separate process: streams, exit statuses, and several at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import bpy
import pytest

from tests.command_line.conftest import Program
from tests.command_line.reports.test_printable_names import is_obeyed
from tests.command_line.rig_files import animated_rig, rig_file, without_flaws
from tests.command_line.schemas import valid_junit, valid_sarif
from tests.installed_package import CHECKOUT
from tests.scene.random_rig import RigOptions

pytestmark = pytest.mark.processes


def skinscope_process(*arguments: object) -> subprocess.CompletedProcess[str]:
    if bpy.app.binary_path:
        program = [bpy.app.binary_path, "--command", "skinscope"]
    else:
        program = [sys.executable, "-P", "-m", "skinning_addon"]
    return subprocess.run(
        [*program, *map(str, arguments)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=os.environ | {"PYTHONPATH": str(CHECKOUT)},
        check=False,
    )


def report_in(output: str) -> dict[str, object]:
    """Read the report; a desktop Blender may have said something before the program took over."""
    return json.loads(output if not bpy.app.binary_path else output[output.index("{") :])


IMPORTERS_LINES = ("glTF import finished", "FBX", "Read blend: ")
RIGS_OF_EACH_KIND = ("SimpleSkin.gltf", "assimp_animation_with_skeleton.fbx", "raylib_robot.blend")


@pytest.mark.rigs
def test_only_our_own_lines_are_printed_and_only_the_report_on_standard_output(rigs_folder: Path):
    files = [rigs_folder / name for name in RIGS_OF_EACH_KIND]
    options = ("--device", "cpu", "--frames", "0:2")
    process = skinscope_process("check", *files, "--format", "json", *options)
    assert process.returncode == 0
    assert report_in(process.stdout)["passed"] is True
    assert printed_by_importers(process) == []
    # Asked for, what Blender and its importers print is there, and not where the report is.
    process = skinscope_process("check", *files, "--format", "json", *options, "--verbose")
    assert report_in(process.stdout)["passed"] is True
    # A desktop Blender does not tell that it reads a .blend.
    assert printed_by_importers(process)[:2] == list(IMPORTERS_LINES[:2])


@pytest.mark.rigs
def test_only_our_own_lines_are_printed_by_commands_that_write_files(rigs_folder: Path, tmp_path: Path):
    options = ("--device", "cpu", "--frames", "0:2", "--output", tmp_path / "bundle")
    process = skinscope_process("export", rigs_folder / "SimpleSkin.gltf", *options)
    assert process.returncode == 0
    assert printed_by_importers(process) == []
    process = skinscope_process("export", rigs_folder / "SimpleSkin.gltf", *options, "--verbose")
    assert printed_by_importers(process) == ["glTF import finished"]


def test_several_processes_say_what_one_says(tmp_path: Path, skinscope: Program):
    path = rig_file(tmp_path / "캐릭터 rig.blend")
    broken = tmp_path / "broken.fbx"
    broken.write_text("; FBX, perhaps", encoding="utf-8")
    options = (
        "--device",
        "cpu",
        "--format",
        "json",
        "--frames",
        "-1:4:2.5",
        "--clips",
        "all",
        "--tolerance",
        "0.3mm",
    )
    alone = skinscope("check", path, broken, *options)
    process = skinscope_process("check", path, broken, *options, "--jobs", "2")
    assert process.returncode == alone.status == 2
    assert report_in(process.stdout) == alone.json
    told = [line for line in process.stderr.splitlines() if line.startswith("skinscope: ")]
    assert told == [f"skinscope: {complaint}" for complaint in alone.complaints]
    assert len(told) == 1


def printed_by_importers(process: subprocess.CompletedProcess[str]) -> list[str]:
    """List those of IMPORTERS_LINES that are on standard error; a desktop Blender says more there before the
    program takes over.
    """
    assert process.stderr == "" or "--verbose" in process.args or bpy.app.binary_path
    return [line for line in IMPORTERS_LINES if line in process.stderr]


@dataclass(frozen=True)
class Files:
    """good: fine in three.js. bad: too many influences for it. broken: not a glTF file, despite its name."""

    good: Path
    bad: Path
    broken: Path


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    folder = tmp_path_factory.mktemp("files")
    broken = folder / "broken.glb"
    broken.write_bytes(b"glTF\2\0\0\0 and then nothing of the kind")
    return Files(
        rig_file(folder / "good.blend", RigOptions(influences=3, scale="none"), without_flaws),
        rig_file(folder / "bad 몸.blend", RigOptions(influences=7, scale="none"), without_flaws),
        broken,
    )


def said_by_text(output: str) -> tuple[int, int, int]:
    passed = output.count(": within tolerance. ") + output.count(": exact. ")
    return passed, output.count(": failed: "), output.count("not checked")


def said_by_json(output: str) -> tuple[int, int, int]:
    entries = report_in(output)["files"]
    assert isinstance(entries, list)
    unread = sum(one["error"] is not None for one in entries)
    passed = sum(one["passed"] for one in entries)
    return passed, len(entries) - passed - unread, unread


def said_by_junit(output: str) -> tuple[int, int, int]:
    suites = list(valid_junit(output[output.index("<?xml") :]))
    unread = sum(one.get("errors") != "0" for one in suites)
    failed = sum(one.get("failures") != "0" for one in suites)
    return len(suites) - failed - unread, failed, unread


def said_by_sarif(output: str) -> tuple[int, int, int]:
    (run,) = valid_sarif(output[output.index("{") :])["runs"]
    failed = {
        one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        for one in run["results"]
        if one["level"] == "error"
    }
    unread = len(run["invocations"][0]["toolExecutionNotifications"])
    return len(run["artifacts"]) - len(failed) - unread, len(failed), unread


FORMATS = {"text": said_by_text, "json": said_by_json, "junit": said_by_junit, "sarif": said_by_sarif}


@pytest.mark.parametrize("report_format", FORMATS)
def test_exit_statuses_and_what_every_format_says(files: Files, report_format: str):
    options = ("--profile", "threejs", "--device", "cpu", "--frames", "1:9:4", "--format", report_format)
    for chosen, status, said in (
        ([files.good], 0, (1, 0, 0)),
        ([files.bad], 1, (0, 1, 0)),
        ([files.good, files.bad, files.broken], 2, (1, 1, 1)),
    ):
        process = skinscope_process("check", *chosen, *options)
        assert process.returncode == status, process.stderr
        assert "Traceback" not in process.stderr
        told = [line for line in process.stderr.splitlines() if line.startswith("skinscope: ")]
        assert len(told) == said[2]
        # What has been said on standard error is not said again to people.
        unread = 1 if report_format == "text" and said[2] else said[2]
        assert FORMATS[report_format](process.stdout) == (*said[:2], unread)


def test_wrong_use_is_one_line_and_status_2():
    process = skinscope_process("check", "rig.glb", "--tolerence", "1mm")
    assert process.returncode == 2
    assert process.stdout == "" or bpy.app.binary_path
    (line,) = [line for line in process.stderr.splitlines() if line.startswith("skinscope: ")]
    assert line.startswith("skinscope: '--tolerence' is not an option of check; did you mean '--tolerance'")


def test_a_reader_that_has_seen_enough_is_no_error(tmp_path: Path):
    if bpy.app.binary_path:
        pytest.skip("one way to start the program will do")
    path = rig_file(tmp_path / "rig.blend")
    program = f"{sys.executable} -P -m skinning_addon check '{path}' --device cpu"
    process = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {program} | true"],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(CHECKOUT)},
        check=False,
    )
    assert process.returncode == 0
    assert "BrokenPipe" not in process.stderr


def test_what_blender_prints_of_a_hostile_file_after_opening_it_is_escaped(tmp_path: Path):
    rig = animated_rig(RigOptions())
    rig.armature.name = "##[error]\x1b[31mred"
    # Blender names the object in a cycle of dependencies each time that it looks at a scene: the file's own,
    # and those we make.
    bone = rig.armature.data.bones[1]
    driver = bone.driver_add("tail_radius").driver
    driver.type = "SUM"
    variable = driver.variables.new()
    variable.type = "TRANSFORMS"
    variable.targets[0].id, variable.targets[0].bone_target = rig.armature, bone.name
    path = tmp_path / "hostile.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    process = skinscope_process("export", path, "--output", tmp_path / "bundle", "--device", "cpu")
    assert process.returncode == 0, process.stderr
    assert process.stderr.count("red") > 1, "Blender has nothing to say of the cycle any more"
    assert is_obeyed(process.stderr.expandtabs()) == []
