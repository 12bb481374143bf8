"""A path to write to that is a file to read: refused before anything is opened, by whatever name."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.command_line.conftest import Program, skinscope

__all__ = ["skinscope"]

CONTENT = b"stays"

COMMANDS = {
    "refit": ("refit", "{file}", "--profile=threejs", "--output={same}"),
    "refit --bones": ("refit", "{file}", "--profile=threejs", "--bones=5", "--output={same}"),
    "refit --report": ("refit", "{file}", "--profile=threejs", "--output={other}.glb", "--report={same}"),
    "check": ("check", "{file}", "--output={same}"),
    "check --report": ("check", "{file}", "--report=json={same}"),
    "check --summary": ("check", "{file}", "--summary={same}"),
    "check-file": ("check-file", "{file}", "--against={other}", "--output={same}"),
    "check-file --against": ("check-file", "{other}", "--against={file}", "--output={same}"),
    "check-export --keep": ("check-export", "{file}", "--keep={same}"),
    "learn": ("learn", "--rig={file}", "--output={same}"),
    "report": ("report", "{other}", "{file}", "--format=json", "--output={same}"),
    "report --report": ("report", "{file}", "--report=json={same}"),
    "report --summary": ("report", "{file}", "--summary={same}"),
    "play --events": ("play", "{other}", "--script={file}", "--events={same}"),
    "diff": ("diff", "{folder}", "{file}", "--output={same}"),
}

EXTENSIONS = {"refit": ".blend", "refit --bones": ".blend", "check-export --keep": ".glb"}


def by_symlink(file: Path, other: Path) -> None:
    other.symlink_to(file)


def by_hard_link(file: Path, other: Path) -> None:
    os.link(file, other)


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("link", [None, by_symlink, by_hard_link])
def test_the_file_that_is_read_stays(
    tmp_path: Path, skinscope: Program, name: str, link: Callable[[Path, Path], None] | None
):
    extension = EXTENSIONS.get(name, ".json")
    file, same = tmp_path / f"file{extension}", tmp_path / "folder" / ".." / f"file{extension}"
    (tmp_path / "folder").mkdir()
    file.write_bytes(CONTENT)
    if link is not None:
        same = tmp_path / "folder" / f"link{extension}"
        link(file, same)
    places = {"file": file, "same": same, "other": tmp_path / "other", "folder": tmp_path / "folder"}
    result = skinscope(*(one.format(**places) for one in COMMANDS[name]))
    assert result.status == 2
    option = next((one for one in ("--report", "--summary", "--keep", "--events") if one in name), "--output")
    assert result.complaints == (
        f"'{same}' is the file that is read, and stays; choose another path with {option}.",
    )
    assert file.read_bytes() == CONTENT
    assert {one.name for one in tmp_path.iterdir()} == {file.name, "folder"}


@pytest.mark.skipif(os.name != "posix", reason="permissions as POSIX has them")
def test_the_option_that_names_an_unwritable_path_is_named(tmp_path: Path, skinscope: Program):
    file = tmp_path / "file.blend"
    file.write_bytes(CONTENT)
    nowhere = file / "report.json"
    output = tmp_path / "copy.glb"
    result = skinscope("refit", file, "--profile=threejs", f"--output={output}", f"--report={nowhere}")
    assert result.status == 2
    assert result.complaints[-1].endswith("choose another path with --report.")
    assert not output.exists()
