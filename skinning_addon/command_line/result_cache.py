"""Results of checks, kept by what they depend on: the file's content, the files that it reads, the settings, the program.

One JSON file a result, in a folder that can be deleted at any time. A file is looked up by its content, not by its name or
date. What it links to is known only once it has been opened, so that is kept with the result, and compared before use.
"""

from __future__ import annotations

import hashlib
import json
import os
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from ..measurement.report import FileReport
from .check_settings import FileSettings
from .output_files import write_file
from .report_json import file_entry, read_file_entry

VERSION = 1

NEVER = (".usd", ".usda", ".usdc")
"""USD files are made of layers in other files, which nobody lists."""

PACKAGE = Path(__file__).parents[1]


def find_result(settings: FileSettings, blender: str) -> FileReport | None:
    """Return the report of a file that was checked before with the same settings, by the same program, if there is one."""
    place = _place(settings, blender)
    if place is None:
        return None
    try:
        entry = json.loads(place.read_text(encoding="utf-8"))
        if any(_digest(Path(settings.file).parent / name) != one for name, one in entry["reads"].items()):
            return None
        return read_file_entry(entry["report"] | {"file": settings.file})
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        # Half written, or by somebody else: as good as none.
        return None


def keep_result(settings: FileSettings, blender: str, report: FileReport, reads: list[Path]) -> None:
    """Keep a report. reads: the other files that the file depends on.

    Raises:
        OutputError: the folder can't be written to.
    """
    place = _place(settings, blender)
    if place is None or report.error is not None:
        return
    folder = Path(settings.file).absolute().parent
    entry: dict[str, Any] = {
        "version": VERSION,
        "reads": {os.path.relpath(path, folder): _digest(path) for path in reads},
        "report": file_entry(report),
    }
    # Another process may look at the same moment, and must find a whole file or none.
    half = place.with_suffix(f".{os.getpid()}")
    write_file(half, json.dumps(entry, ensure_ascii=False))
    half.replace(place)


def files_read(file: str) -> list[Path]:
    """Return the other files that the open file depends on: what Blender lists, and a .gltf file's own list."""
    import bpy

    own = Path(file).absolute()
    paths = {Path(one) for one in bpy.utils.blend_paths(absolute=True)}
    if own.suffix.lower() == ".gltf":
        document = json.loads(own.read_text(encoding="utf-8"))
        uris = [one.get("uri", "") for one in document.get("buffers", [])]
        paths |= {own.parent / unquote(uri) for uri in uris if uri and not uri.startswith("data:")}
    return sorted(paths - {own})


def _place(settings: FileSettings, blender: str) -> Path | None:
    if settings.cache is None or Path(settings.file).suffix.lower() in NEVER:
        return None
    content = _digest(Path(settings.file))
    if content is None:
        return None
    kind = Path(settings.file).suffix.lower()
    key = f"{_program()}\n{blender}\n{kind}\n{content}\n{settings.measured_with()}"
    return settings.cache / f"{hashlib.sha256(key.encode()).hexdigest()}.json"


def _digest(path: Path) -> str | None:
    """Return what stands for a file's content; None where it can't be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None


@cache
def _program() -> str:
    """Return what stands for this very program; its version alone would not notice a change in a checkout."""
    digest = hashlib.sha256()
    for folder in (PACKAGE, PACKAGE.parent / "gpu_shaders"):
        for path in sorted(folder.rglob("*")):
            if path.suffix in (".py", ".toml", ".glsl"):
                digest.update(
                    path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes() + b"\0"
                )
    return digest.hexdigest()
