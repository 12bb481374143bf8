"""Output files: written completely or not at all, and to whatever may be in a file's place."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.command_line.program.folder_names import folder_names
from skinning_addon.command_line.program.output_files import (
    Outputs,
    prepared_file,
    prepared_folder,
    write_file,
)
from skinning_addon.core.text.errors import OutputError
from skinning_addon.measurement.pictures.png_file import png_content
from tests.command_line.checking.test_workers import STAND_IN
from tests.command_line.conftest import Program
from tests.command_line.program.stand_in_process import names_in, process
from tests.installed_package import CHECKOUT

pytestmark = pytest.mark.skipif(os.name != "posix", reason="limits, links and pipes as POSIX has them")


def test_pictures_are_what_blender_reads(tmp_path: Path):
    pixels = np.random.default_rng(1).integers(0, 256, (5, 7, 4), dtype=np.uint8)
    pixels[..., 3] = 255
    path = tmp_path / "a.png"
    path.write_bytes(png_content(pixels))
    image = bpy.data.images.load(str(path))
    assert tuple(image.size) == (7, 5)
    read = np.empty(pixels.size, dtype=np.float32)
    image.pixels.foreach_get(read)
    assert np.array_equal((read.reshape(pixels.shape)[::-1] * 255).round(), pixels)


@pytest.mark.processes
@pytest.mark.parametrize("device", ["/dev/full", "closed"])
def test_a_report_that_standard_output_does_not_take_is_status_2(device: str, tmp_path: Path):
    for report_format in ("text", "json"):
        if device == "closed":
            result = process("check", "good.glb", f"--format={report_format}", preexec_fn=lambda: os.close(1))
        else:
            with Path(device).open("w", encoding="utf-8") as full:
                result = process("check", "good.glb", f"--format={report_format}", stdout=full)
        assert result.returncode == 2
        (line,) = result.stderr.splitlines()
        assert line.startswith("skinscope: The report can't be written to standard output (")
    path = tmp_path / "a.json"
    result = process("check", "good.glb", f"--output={path}", preexec_fn=lambda: os.close(1))
    assert (result.returncode, result.stderr, path.exists()) == (0, "", True)


@pytest.mark.processes
@pytest.mark.skipif(bool(bpy.app.binary_path), reason="stands in for Blender")
def test_a_closed_error_stream_changes_nothing(tmp_path: Path):
    path = tmp_path / "a"
    with path.open("w", encoding="utf-8") as output:
        command = [sys.executable, str(STAND_IN), "check", "good.glb", "crash.glb"]
        environment = os.environ | {"PYTHONPATH": str(CHECKOUT)}
        closed = subprocess.run(
            command, env=environment, stdout=output, preexec_fn=lambda: os.close(2), check=False
        )
        assert closed.returncode == 2
        with Path("/dev/full").open("w", encoding="utf-8") as device:
            full = subprocess.run(command, env=environment, stdout=output, stderr=device, check=False)
        assert full.returncode == 2
    assert "skinscope:" not in path.read_text(encoding="utf-8")


@pytest.mark.processes
def test_devices_and_pipes_are_written_to(tmp_path: Path):
    for device in ("/dev/null", "/dev/full"):
        before = Path(device).stat()
        assert process("check", "good.glb", f"--output={device}").returncode == (
            0 if device == "/dev/null" else 2
        )
        assert Path(device).stat().st_rdev == before.st_rdev
    for stdout in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
        result = process("check", "good.glb", f"--output={stdout}", stdout=subprocess.PIPE)
        assert (result.returncode, result.stderr) == (0, "")
        assert result.stdout.startswith("good.glb: exact.")
    appended = tmp_path / "log"
    with appended.open("w", encoding="utf-8") as log:
        log.write("before\n")
        log.flush()
        process("check", "good.glb", "--output=/dev/stdout", stdout=log)
    assert appended.read_text(encoding="utf-8").startswith("before\ngood.glb: exact.")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text(encoding="utf-8")))
    reader.start()
    assert process("check", "good.glb", f"--output={pipe}").returncode == 0
    reader.join(20)
    assert read[0].startswith("good.glb: exact.")
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_links_and_permissions_stay(tmp_path: Path):
    (tmp_path / "real").mkdir()
    target = tmp_path / "real" / "a.json"
    target.write_text("before", encoding="utf-8")
    target.chmod(0o640)
    link, dangling = tmp_path / "link.json", tmp_path / "dangling.json"
    link.symlink_to("real/a.json")
    dangling.symlink_to("real/new.json")
    for file in (link, dangling):
        write_file(file, "behind")
        assert file.is_symlink()
        assert file.read_text(encoding="utf-8") == "behind"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    umask = os.umask(0o027)
    try:
        write_file(tmp_path / "new", "")
    finally:
        os.umask(umask)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640
    assert names_in(tmp_path / "real") == ["a.json", "new.json"]


def test_finding_out_leaves_no_trace(tmp_path: Path):
    old = tmp_path / "old"
    old.write_text("before", encoding="utf-8")
    before = old.stat()
    prepared_file(str(old))
    prepared_file(str(tmp_path / "new"))
    prepared_folder(str(tmp_path))
    assert old.stat() == before
    assert names_in(tmp_path) == ["old"]
    with pytest.raises(OutputError, match="Is a directory"):
        prepared_file(str(tmp_path))


@pytest.mark.parametrize("there", ["", "there", "there/bundle"])
def test_an_export_that_fails_leaves_no_folder_that_was_not_there(
    tmp_path: Path, skinscope: Program, there: str
):
    (tmp_path / there).mkdir(parents=True, exist_ok=True)
    before = sorted(tmp_path.rglob("*"))
    for arguments in (("no.blend",), ("no.blend", "--retarget")):
        result = skinscope("export", *arguments, "--output", tmp_path / "there" / "bundle", "--device", "cpu")
        assert result.status == 2
        assert sorted(tmp_path.rglob("*")) == before


def test_folders_of_a_bundle_that_can_not_be_written_go_with_it(tmp_path: Path):
    (tmp_path / "old").mkdir()

    def write(second: np.ndarray) -> None:
        with Outputs() as outputs:
            outputs.arrays(tmp_path / "new" / "a.npz", {"a": np.zeros(2)})
            outputs.arrays(tmp_path / "old" / "a.npz", {"a": second})

    with pytest.raises(ValueError, match="Object arrays"):
        write(np.array([None]))
    assert names_in(tmp_path) == ["old"]
    write(np.zeros(2))
    assert names_in(tmp_path / "new") == ["a.npz"]


@pytest.mark.parametrize(
    ("command", "option", "name", "kind"),
    [
        ("render", "--output", "a.jpg", "PNG"),
        ("play", "--output", "a.gif", "NPZ"),
        ("play", "--render", "a.mp4", "PNG"),
        ("play", "--events", "a.csv", "JSON"),
    ],
)
def test_a_name_that_promises_another_kind_of_file_is_refused(
    tmp_path: Path, skinscope: Program, *, command: str, option: str, name: str, kind: str
):
    result = skinscope(command, tmp_path / "any.blend", option, tmp_path / name)
    assert result.status == 2
    assert len(result.complaints) == 1
    assert f"has the wrong extension for a {kind} file; call it 'a.{kind.lower()}'." in result.complaints[0]
    assert names_in(tmp_path) == []


def test_several_at_once_do_not_get_in_each_others_way(tmp_path: Path):
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: prepared_folder(str(tmp_path)), range(400)))
        list(pool.map(lambda number: write_file(tmp_path / "a", str(number) * 1000), range(200)))
    assert names_in(tmp_path) == ["a"]
    assert len(set((tmp_path / "a").read_text(encoding="utf-8"))) <= 3


def test_a_pipe_that_nothing_writes_into_is_refused(tmp_path: Path, skinscope: Program):
    path = tmp_path / "rig.blend"
    os.mkfifo(path)
    for arguments in (("check", path), ("check", path, "--cache", tmp_path / "c"), ("export", path, "--output", tmp_path / "out")):  # fmt: skip
        result = skinscope(*arguments, "--device", "cpu")
        assert result.status == 2
        assert result.complaints == (
            f"'{path}' is a pipe or a device, not a file; save its output as a file.",
        )


def test_folders_have_no_names_that_windows_keeps_for_itself():
    names = folder_names(["con", "NUL", "Aux.", "com1", "LPT9", "console", "x" * 300, "x" * 300, "..."])
    reserved = {
        "con",
        "nul",
        "aux",
        "prn",
        *(f"{one}{place}" for one in ("com", "lpt") for place in range(10)),
    }
    assert reserved.isdisjoint(names)
    assert len(set(names)) == len(names)
    assert names[5] == "console"
    assert all(len(name) <= 128 and not name.endswith((".", " ")) for name in names)
