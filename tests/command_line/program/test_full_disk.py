"""A full disk: files stay as they were, and the program ends with status 2 and a sentence."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.command_line.program.output_files import (
    Outputs,
)
from skinning_addon.command_line.refitting.written_copies import write_copies
from skinning_addon.core.text.errors import OutputError, SkinscopeError
from tests.command_line.conftest import Program
from tests.command_line.program.stand_in_process import names_in, process
from tests.command_line.rig_files import animated_rig, rig_file
from tests.scene.random_rig import RigOptions

pytestmark = pytest.mark.skipif(os.name != "posix", reason="limits of file sizes as POSIX has them")

ON_THE_PROCESS = ("--device", "cpu", "--frames", "5")


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """Let no file grow beyond `size` bytes, within the block: what happens to writers is what a full disk does
    to them.
    """
    import resource

    # Python's own executable ignores the resulting signal; a desktop Blender would end.
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def test_a_full_disk_leaves_what_was_there(tmp_path: Path):
    one, other = tmp_path / "one.json", tmp_path / "other.npz"
    one.write_text("before", encoding="utf-8")

    def write_both() -> None:
        with Outputs() as outputs:
            outputs.text(one, "behind")
            outputs.arrays(other, {"positions": np.zeros((1000, 3))})

    with room_for(1000), pytest.raises(OutputError) as refused:
        write_both()
    assert str(refused.value).startswith(f"'{other}' can't be written (File too large); choose another path")
    assert one.read_text(encoding="utf-8") == "before"
    assert names_in(tmp_path) == ["one.json"]
    write_both()
    assert one.read_text(encoding="utf-8") == "behind"
    assert names_in(tmp_path) == ["one.json", "other.npz"]


def test_a_full_disk_is_status_2_for_every_command_that_writes(tmp_path: Path, skinscope: Program):
    rig = rig_file(tmp_path / "rig.blend")
    out = tmp_path / "out"
    out.mkdir()
    for arguments in (
        ("check", rig, "--format", "json", "--output", out / "a.json"),
        ("check", rig, "--summary", out / "a.html"),
        ("check", rig, "--baseline", out / "b.json", "--write-baseline", "--tolerance", "1e-9mm"),
        ("export", rig, "--output", out),
        ("play", rig, "--output", out / "a.npz"),
        ("play", rig, "--events", out / "a.json"),
    ):
        frames = () if arguments[0] == "play" else ON_THE_PROCESS[2:]
        with room_for(200):
            result = skinscope(*arguments, *ON_THE_PROCESS[:2], *frames)
        assert result.status == 2, arguments
        # The test's own record of it is limited to the same size.
        said = result.complaints[-1]
        assert len(said) > 40
        assert said.startswith(f"'{out}/"[: len(said)])
        assert [one for one in out.rglob("*") if one.is_file()] == []


@pytest.mark.parametrize(
    ("extension", "said"),
    [
        (".glb", "Blender's glTF exporter can't write the file: File too large. Free space on the disk, or"),
        (".fbx", "Blender's FBX exporter can't write the file: File too large. Free space on the disk, or"),
        # Blender 4.2 says that the file that it could not write is not there.
        (".blend", "; free space on the disk, or choose another path with --output."),
    ],
)
def test_a_copy_that_does_not_fit_is_an_error(tmp_path: Path, extension: str, said: str):
    animated_rig(RigOptions())
    file = tmp_path / f".temporary{extension}"
    with room_for(60), pytest.raises(SkinscopeError) as refused:
        write_copies([], {}, file, extension, "to/copy.blend")
    assert said in str(refused.value)
    assert ".temporary" not in str(refused.value)


@pytest.mark.gpu
def test_a_picture_that_does_not_fit_is_an_error(tmp_path: Path, skinscope: Program):
    rig = rig_file(tmp_path / "rig.blend")
    with room_for(1000):
        result = skinscope("render", rig, "--output", tmp_path / "a.png")
    assert result.status == 2
    assert result.complaints[-1].startswith(f"'{tmp_path / 'a.png'}' can't be written (File too large)")
    assert names_in(tmp_path) == ["rig.blend"]


def test_a_demo_file_that_does_not_fit_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from skinning_addon.command_line.showing import demo

    monkeypatch.setattr(demo, "build_demo_character", bpy.ops.mesh.primitive_monkey_add)
    path = tmp_path / "character.blend"
    with room_for(1000), pytest.raises(OutputError):
        demo._build(path)
    assert names_in(tmp_path) == []
    demo._build(path)
    assert names_in(tmp_path) == ["character.blend"]
    bpy.ops.wm.open_mainfile(filepath=str(path))
    assert "Suzanne" in bpy.data.objects


@pytest.mark.processes
def test_no_room_for_temporary_files_is_no_internal_error():
    import resource

    def without_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

    result = process("check", "good.glb", "crash.glb", stdout=subprocess.PIPE, preexec_fn=without_room)
    assert result.returncode == 2
    assert "Traceback" not in result.stderr
    assert "skinscope: good.glb: The disk has no space left (File too large); free some" in result.stderr
    assert "2 files: 0 passed, 2 not checked." in result.stdout


def test_an_export_that_fails_leaves_the_bundle_before(tmp_path: Path, skinscope: Program):
    rig = rig_file(tmp_path / "rig.blend")
    out = tmp_path / "out"
    assert skinscope("export", rig, "--output", out, *ON_THE_PROCESS).status == 0
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    with room_for(20_000):
        assert skinscope("export", rig, "--output", out, "--device", "cpu").status == 2
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before
