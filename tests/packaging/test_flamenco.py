"""The job type for Flamenco: compiled against a stub of its interface, and its tasks run for real."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import bpy
import pytest

from tests.command_line.rig_files import rig_file, without_flaws
from tests.installed_package import CHECKOUT
from tests.scene.random_rig import RigOptions

JOB_TYPE = CHECKOUT / "integrations/flamenco/skinscope-check.js"
STUB = Path(__file__).with_name("flamenco_stub.js")

KINDS = {"string", "int32", "float", "bool"}
SUBTYPES = {"file_path", "dir_path", "file_name", "hashed_file_path"}
"""Of settings, as Flamenco's documentation of job types lists them."""

pytestmark = [
    pytest.mark.engines,
    pytest.mark.processes,
    pytest.mark.skipif(bool(bpy.app.binary_path), reason="it depends on no Blender"),
]


def compiled(**settings: object) -> dict[str, Any]:
    node = shutil.which("node")
    if node is None:
        if os.environ.get("REQUIRE_ENGINES") == "1":
            pytest.fail("there is no Node on the PATH")
        pytest.skip("there is no Node on the PATH (REQUIRE_ENGINES=1 makes that a failure)")
    command = [node, str(STUB), str(JOB_TYPE), json.dumps(settings)]
    result = subprocess.run(command, capture_output=True, encoding="utf-8", check=True)
    return json.loads(result.stdout)


def test_its_settings_are_of_kinds_that_flamenco_has():
    settings = compiled(files=".", output="out", program="skinscope")["type"]["settings"]
    assert {one["type"] for one in settings} <= KINDS
    assert {one["subtype"] for one in settings if "subtype" in one} <= SUBTYPES
    assert [one["key"] for one in settings if one.get("required")] == ["files", "output"]


def test_each_part_is_a_task_and_the_merge_waits_for_all():
    tasks = compiled(files="/rigs", output="/out", program="skinscope", parts=3)["tasks"]
    *parts, merge = tasks
    assert [one["name"] for one in parts] == ["check-1-of-3", "check-2-of-3", "check-3-of-3"]
    assert merge["dependencies"] == [one["name"] for one in parts]
    assert {one["type"] for one in tasks} == {"misc"}
    assert {command["name"] for one in tasks for command in one["commands"]} == {"exec"}


def test_options_are_split_as_a_shell_would():
    given = "--profile unity-4  --clips 'Walk fast,Run' --exclude=\"old ones\""
    (check, _) = compiled(files="a", output="b", program="s", parts=1, arguments=given)["tasks"]
    arguments = check["commands"][0]["parameters"]["args"]
    assert arguments[2:7] == ["--profile", "unity-4", "--clips", "Walk fast,Run", "--exclude=old ones"]


def test_the_tasks_check_all_files_and_the_last_one_fails_if_a_character_does(tmp_path: Path):
    rigs = tmp_path / "rigs of ours"
    rigs.mkdir()
    rig_file(rigs / "good.blend", RigOptions(influences=3, scale="none"), without_flaws)
    rig_file(rigs / "bad.blend", RigOptions(influences=7, scale="none"))
    (tmp_path / "out").mkdir()
    tasks = compiled(
        files=str(rigs),
        output=str(tmp_path / "out"),
        program="skinscope",
        parts=3,
        arguments="--profile threejs --device cpu",
    )["tasks"]
    # Twice: Flamenco tries a task again whose worker has been lost.
    assert [status_of(one) for one in (*tasks[:-1], tasks[0])] == [0, 0, 0, 0]
    assert status_of(tasks[-1]) == 1
    document = json.loads((tmp_path / "out" / "skinscope.json").read_text(encoding="utf-8"))
    assert {Path(one["file"]).name: one["passed"] for one in document["files"]} == {
        "good.blend": True,
        "bad.blend": False,
    }
    assert (tmp_path / "out" / "skinscope.html").exists()


def status_of(task: dict[str, Any]) -> int:
    (command,) = task["commands"]
    result = subprocess.run(
        [sys.executable, "-P", "-m", "skinning_addon", *command["parameters"]["args"]],
        env=os.environ | {"PYTHONPATH": str(CHECKOUT)},
        capture_output=True,
        check=False,
    )
    return result.returncode
