"""Packing a file's clips in a separate Blender, so that the user's session opens and imports nothing.

An importer changes the scene's frame range and rate, the selection and the mode, and can crash Blender.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bpy

from ...core.text.errors import ClipError, SkinscopeError, SourceFileError
from ...core.text.message import Message
from .clip_package import CONTENTS, PackedClips, pack_clips, read_packed_clips

REFUSAL = "refusal.json"

MINUTES_AT_MOST = 5

EXPRESSION = """\
import sys
sys.path.insert(0, {root})
import bpy
from skinning_addon.scene.brought.clip_package_process import pack_or_refuse
pack_or_refuse({file}, {folder})
"""


@contextmanager
def packed_elsewhere(file: Path) -> Iterator[PackedClips]:
    """Pack a file's clips in another process; the package lasts as long as the `with` block.

    Raises:
        SourceFileError, ClipError: the file can't be read, or has no clips.
    """
    with tempfile.TemporaryDirectory(prefix="skinscope-clips-") as name:
        folder = Path(name)
        code = EXPRESSION.format(
            root=ascii(str(Path(__file__).parents[3])), file=ascii(str(file)), folder=ascii(name)
        )
        try:
            # Our own program; the user's path is a literal in it, and no shell is involved.
            ended = subprocess.run(  # noqa: S603
                [*_blender(), code],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=60 * MINUTES_AT_MOST,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise SourceFileError(
                "Reading '{path}' was stopped after {minutes} minutes; save it as a smaller file.",
                path=file,
                minutes=MINUTES_AT_MOST,
            ) from None
        if (folder / REFUSAL).is_file():
            raise _read_refusal(folder / REFUSAL)
        if not (folder / CONTENTS).is_file():
            raise SourceFileError(
                "Blender exited with status {status} while reading '{path}'; check that the file is "
                "complete, or export it again.",
                path=file,
                status=ended.returncode,
            )
        yield read_packed_clips(folder)


def pack_or_refuse(file: str, folder: str) -> None:
    """Pack a file's clips, or write down why that's impossible; runs in the other process."""
    try:
        pack_clips(file, Path(folder))
    except SkinscopeError as error:
        told = {"kind": type(error).__name__, "message": _plain(error.args[0])}
        (Path(folder) / REFUSAL).write_text(json.dumps(told), encoding="utf-8")


def _blender() -> list[str]:
    """Return the command that starts a Blender and runs the Python code appended to it."""
    if bpy.app.binary_path:
        return [
            bpy.app.binary_path,
            "--background",
            "--factory-startup",
            "--python-exit-code",
            "1",
            "--python-expr",
        ]
    return [sys.executable, "-P", "-c"]


def _read_refusal(path: Path) -> SkinscopeError:
    told = json.loads(path.read_text(encoding="utf-8"))
    kind = {one.__name__: one for one in (ClipError, SourceFileError)}.get(told["kind"], SkinscopeError)
    message = _message(told["message"])
    return kind(message.template, **message.arguments)


def _plain(value: object) -> object:
    """Convert a message to JSON types, so that it can still be translated later."""
    if isinstance(value, Message):
        arguments = {name: _plain(one) for name, one in value.arguments.items()}
        return {"template": value.template, "arguments": arguments}
    return value if isinstance(value, int | float) else str(value)


def _message(plain: dict[str, Any]) -> Message:
    arguments = {
        name: _message(one) if isinstance(one, dict) else one for name, one in plain["arguments"].items()
    }
    return Message(plain["template"], **arguments)
