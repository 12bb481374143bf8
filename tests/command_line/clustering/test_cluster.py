"""`check --cluster`: real schedulers and workers of Dask on this machine, against the same check without them."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import bpy
import pytest

from skinning_addon.command_line.arguments.check_settings import settings_of
from skinning_addon.command_line.arguments.parser import parse_arguments
from skinning_addon.command_line.arguments.settings_text import read_settings_text, settings_text
from tests.command_line.rig_files import rig_file
from tests.installed_package import CHECKOUT

pytestmark = [
    pytest.mark.processes,
    pytest.mark.skipif(
        bool(bpy.app.binary_path) or find_spec("distributed") is None,
        reason="Dask is tested with Blender 5.2's module, beside which ./run installs it",
    ),
]

STAND_IN = Path(__file__).parents[1] / "stand_in.py"


class Farm:
    """A scheduler, and workers that can be added and killed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            self.address = f"tcp://127.0.0.1:{one.getsockname()[1]}"
        port = self.address.rpartition(":")[2]
        self._all = [self._started("scheduler", "--host=127.0.0.1", f"--port={port}", "--no-dashboard")]

    def add_worker(self, package: Path = CHECKOUT, program: str = "") -> subprocess.Popen[bytes]:
        """Start a worker whose Skinscope lies in `package`. program: what it starts in place of Blender's."""
        options = ["worker", self.address, "--nthreads=1", "--no-nanny", "--no-dashboard"]
        one = self._started(*options, package=package, program=program)
        self._all.append(one)
        return one

    def end(self) -> None:
        for one in self._all:
            one.kill()
            one.wait()

    def _started(
        self, *arguments: str, package: Path = CHECKOUT, program: str = ""
    ) -> subprocess.Popen[bytes]:
        start = "import sys; sys.argv = ['dask', *sys.argv[1:]]; from dask.__main__ import main; "
        if program:
            start += (
                "from skinning_addon.command_line.checking import worker_process; "
                f"worker_process.own_program = lambda: [sys.executable, {program!r}]; "
            )
        return subprocess.Popen(
            [sys.executable, "-c", f"{start}main()", *arguments],
            cwd=self._folder,
            env=os.environ | {"PYTHONPATH": str(package)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


@pytest.fixture
def farm(tmp_path: Path) -> Iterator[Farm]:
    one = Farm(tmp_path)
    yield one
    one.end()


def started(folder: Path, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "skinning_addon", "check", *map(str, arguments)],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(CHECKOUT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


def checked(folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    process = started(folder, *arguments)
    output, errors = process.communicate(timeout=120)
    return subprocess.CompletedProcess(process.args, process.returncode, output, errors)


def without_times(lines: str) -> dict[str, dict[str, Any]]:
    """The files of a report of JSON lines, by name, without what depends on the machine's load."""
    files = [json.loads(line) for line in lines.splitlines()[1:]]
    timed = {"seconds", "seconds_left", "done"}
    return {one["file"]: {key: told for key, told in one.items() if key not in timed} for one in files}


@pytest.mark.parametrize("sent", [False, True])
def test_it_is_the_report_of_a_check_without_a_cluster(tmp_path: Path, farm: Farm, sent: bool):
    farm.add_worker()
    for name in ("hero", "캐릭터 2"):
        rig_file(tmp_path / f"{name}.blend")
    (tmp_path / "broken.glb").write_bytes(b"no rig")
    own = (CHECKOUT / "skinning_addon/core/profiles/data/threejs.toml").read_text(encoding="utf-8")
    (tmp_path / "ours.toml").write_text(own, encoding="utf-8")
    options = ("--device=cpu", "--clips=all", "--frames=-1:4:2.5", "--tolerance=0.3mm", "--format=jsonl")
    options = (
        ".",
        *options,
        "--profile=ours.toml",
        "--profile=unity-4",
        "--export-option=export_def_bones=true",
    )
    alone = checked(tmp_path, *options)
    spread = checked(tmp_path, *options, f"--cluster={farm.address}", *["--send-files"] * sent)
    assert spread.returncode == alone.returncode == 2
    assert without_times(spread.stdout) == without_times(alone.stdout)
    assert len(without_times(alone.stdout)) == 3
    assert spread.stdout.splitlines()[0] == alone.stdout.splitlines()[0]
    assert "Traceback" not in spread.stderr


def test_a_crash_is_a_result_and_a_killed_worker_loses_nothing(tmp_path: Path, farm: Farm):
    """Eight workers; one is killed while it is at a file that another one then checks."""
    workers = [farm.add_worker(program=str(STAND_IN)) for _ in range(8)]
    names = [f"wait {number}.glb" for number in range(40)]
    for name in (*names, "crash.glb"):
        (tmp_path / name).touch()
    process = started(tmp_path, *names, "crash.glb", "--report=jsonl=out.jsonl", f"--cluster={farm.address}")
    for _ in range(600):
        out = tmp_path / "out.jsonl"
        if out.exists() and len(out.read_text(encoding="utf-8").splitlines()) > 5:
            break
        time.sleep(0.05)
    workers[0].send_signal(signal.SIGKILL)
    _, errors = process.communicate(timeout=120)
    found = without_times((tmp_path / "out.jsonl").read_text(encoding="utf-8"))
    assert found.keys() == {*names, "crash.glb"}
    assert {name for name, one in found.items() if one["error"]} == {"crash.glb"}
    assert "died of SIGSEGV" in str(found["crash.glb"]["error"])
    assert process.returncode == 2
    assert "Traceback" not in errors


def test_a_signal_leaves_a_report_of_what_is_done(tmp_path: Path, farm: Farm):
    for _ in range(2):
        farm.add_worker(program=str(STAND_IN))
    for name in ("good.glb", "hang.glb"):
        (tmp_path / name).touch()
    out = tmp_path / "out.jsonl"
    process = started(
        tmp_path, "good.glb", "hang.glb", "--report=jsonl=out.jsonl", f"--cluster={farm.address}"
    )
    for _ in range(600):
        if out.exists() and "good.glb" in out.read_text(encoding="utf-8"):
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 143
    assert errors == "skinscope: Interrupted by SIGTERM after 1 of 2 files.\n"
    found = without_times(out.read_text(encoding="utf-8"))
    assert found["good.glb"]["error"] is None
    assert found.keys() == {"good.glb"}


def test_a_worker_with_another_version_is_named_and_not_asked(tmp_path: Path, farm: Farm):
    other = tmp_path / "other"
    for name in ("skinning_addon", "gpu_shaders"):
        shutil.copytree(CHECKOUT / name, other / name, ignore=shutil.ignore_patterns("__pycache__"))
    manifest = (CHECKOUT / "blender_manifest.toml").read_text(encoding="utf-8")
    changed = re.sub(r'(?m)^version = ".*"', 'version = "9.8.7"', manifest)
    (other / "blender_manifest.toml").write_text(changed, encoding="utf-8")
    (other / "skinning_addon" / "more.py").touch()
    farm.add_worker(other, str(STAND_IN))
    (tmp_path / "good.glb").touch()
    refused = checked(tmp_path, "good.glb", f"--cluster={farm.address}")
    assert refused.returncode == 2
    assert re.search(r"'tcp://[^']*' has 9\.8\.7; install the same everywhere\.\n$", refused.stderr)
    farm.add_worker(program=str(STAND_IN))
    time.sleep(5)
    result = checked(tmp_path, "good.glb", f"--cluster={farm.address}")
    assert result.returncode == 0, result.stderr
    assert "has 9.8.7" in result.stderr


def test_a_path_that_a_worker_does_not_see_is_named(tmp_path: Path, farm: Farm):
    farm.add_worker(program=str(STAND_IN))
    result = checked(tmp_path, "nothing.glb", f"--cluster={farm.address}")
    assert result.returncode == 2
    assert f"'{tmp_path}/nothing.glb' is not there on '" in result.stderr
    sent = checked(tmp_path, "nothing.glb", f"--cluster={farm.address}", "--send-files")
    assert sent.returncode == 2
    assert "No such file" in sent.stderr


def test_nothing_that_answers(tmp_path: Path):
    with socket.socket() as deaf:
        # It takes connections, and says nothing.
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        address = f"tcp://127.0.0.1:{deaf.getsockname()[1]}"
        result = checked(tmp_path, "good.glb", f"--cluster={address}")
    assert result.returncode == 2
    assert result.stderr.startswith(f"skinscope: No scheduler of Dask answers at '{address}';")
    assert len(result.stderr.splitlines()) == 1


def test_without_dask_it_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
):
    import io

    from skinning_addon.command_line.main import run_command

    monkeypatch.setitem(sys.modules, "distributed", None)
    arguments = parse_arguments(["check", "good.glb", "--cluster", "tcp://127.0.0.1:8786"])
    assert run_command(arguments, io.StringIO()) == 2
    assert 'pip install "skinscope[cluster]"' in capfd.readouterr().err


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--profile", "threejs", "--profile", "unity-2", "--export-option", "export_def_bones=true"],
        ["--clips", 'Walk "fast",Run\x7f\t', "--frames", "-3:7.5:0.25", "--tolerance", "0.1%"],
        ["--clips", "all", "--frames", "4", "--tolerance", "0.123456789mm", "--visibility", "render"],
        ["--clips-from", "walk.glb", "--retarget", "--device", "cpu", "--cache", "kept"],
    ],
)
def test_settings_as_text_measure_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str]
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "skinscope.toml").write_text(
        '[thresholds]\ngood = "0.7mm"\nfail = "5.1mm"\n', encoding="utf-8"
    )
    (one,) = settings_of(parse_arguments(["check", "hero.blend", *options]), print)
    folder = tmp_path / "there"
    folder.mkdir()
    read = read_settings_text(settings_text(one), "hero.blend", folder)
    if "--clips-from" in options:
        assert read.clips_from == str(tmp_path / "walk.glb")
        assert (read.cache, read.retarget, read.device) == (tmp_path / "kept", True, "cpu")
    else:
        assert read.measured_with() == one.measured_with()
