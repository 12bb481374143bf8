"""The program as a process of its own: streams, exit statuses, and several of them at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import bpy
import pytest

from tests.installed_package import CHECKOUT

from .conftest import Program
from .rig_files import rig_file


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


@pytest.mark.rigs
def test_only_the_report_is_on_standard_output(rigs_folder: Path):
    process = skinscope_process(
        "check", rigs_folder / "SimpleSkin.gltf", "--format", "json", "--device", "cpu", "--frames", "0:10"
    )
    assert process.returncode == 0
    assert report_in(process.stdout)["passed"] is True
    # The importer has printed, and not where the report is.
    assert "glTF import finished" in process.stderr
    assert "Traceback" not in process.stderr


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


def test_a_worker_that_dies_costs_its_own_file_only(skinscope: Program, monkeypatch: pytest.MonkeyPatch):
    from skinning_addon.command_line import workers

    stand_in = (
        "import os, signal, sys\n"
        "print('Blender says something first')\n"
        "if 'bad' in sys.argv[-1]: os.kill(os.getpid(), signal.SIGSEGV)\n"
        'print(\'{"version": 1, "skinscope": "0", "blender": "0", "passed": true, "files": [\''
        '\'{"file": "good", "error": null, "passed": true, "meshes": [], "findings": []}]}\')'
    )
    monkeypatch.setattr(workers, "_program", lambda: [sys.executable, "-c", stand_in])
    result = skinscope("check", "bad.glb", "good.glb", "--jobs", "2", "--format", "json")
    assert result.status == 2
    bad, good = result.json["files"]
    assert (good["file"], good["error"]) == ("good", None)
    assert bad["error"].startswith("'bad.glb' can't be checked: Blender died of SIGSEGV over it;")
    assert result.complaints == (bad["error"],)


def test_wrong_use_is_one_line_and_status_2():
    process = skinscope_process("check", "rig.glb", "--tolerence", "1mm")
    assert process.returncode == 2
    assert process.stdout == "" or bpy.app.binary_path
    (line,) = [line for line in process.stderr.splitlines() if line.startswith("skinscope: ")]
    assert line.startswith("skinscope: '--tolerence' is no option of check; did you mean '--tolerance'")


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
