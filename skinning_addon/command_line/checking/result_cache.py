"""A cache of check results, keyed by all they depend on: the file's content, the files it reads, the
settings, the program.

One JSON file per result, in a folder that can be deleted at any time. A file is looked up by its content, not
by its name or
date. Its linked files are known only once it has been opened, so they are stored with the result and compared
before use.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from ...core.text.errors import OutputError
from ...measurement.check.report import FileReport
from ..arguments.file_settings import FileSettings
from ..program.output_files import prepared_folder, write_file
from ..program.streams import complain
from ..program.versions import program_digest
from ..reports.report_json import file_entry, read_file_entry

VERSION = 2

NEVER = (".usd", ".usda", ".usdc")
"""USD files are composed of layers in other files, and no API lists those."""


def prepare_cache(folder: Path) -> None:
    """Make the folder unless it exists. A read-only one is used as it is, with a note on standard error.

    Raises:
        OutputError: it can't be made, or isn't a folder.
    """
    try:
        prepared_folder(str(folder), "--cache")
    except OutputError as error:
        if not folder.is_dir():
            raise
        complain(f"Cached results are used, but new ones can't be cached: {error}")


def find_result(settings: FileSettings, blender: str) -> FileReport | None:
    """Return the report of a file that was checked before with the same settings, by the same program, if there
    is one.
    """
    path = entry_path(settings, blender)
    if path is None:
        return None
    try:
        entry = json.loads(path.read_text(encoding="utf-8"))
        if entry["digest"] != _digest_of(entry["reads"], entry["report"]):
            return None
        if any(
            content_digest(Path(settings.file).parent / name) != one for name, one in entry["reads"].items()
        ):
            return None
        return read_file_entry(entry["report"] | {"file": settings.file})
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        # Written by something else, or changed: same as not there.
        return None


def keep_result(path: Path, settings: FileSettings, report: FileReport, reads: list[Path]) -> None:
    """Keep a report. path: see `entry_path`. reads: the other files that the file depends on.

    If the folder can't be written to, as a shared one may not be, that is mentioned; the report is
    unaffected.
    """
    folder = Path(settings.file).absolute().parent
    entry: dict[str, Any] = {
        "version": VERSION,
        "reads": {os.path.relpath(path, folder): content_digest(path) for path in reads},
        "report": file_entry(report),
    }
    # As it will be read back: JSON turns tuples into lists.
    entry["digest"] = _digest_of(entry["reads"], json.loads(json.dumps(entry["report"])))
    try:
        write_file(path, json.dumps(entry, ensure_ascii=False))
    except OutputError as error:
        complain(f"The result of '{settings.file}' can't be cached: {error}")


def files_read(file: str) -> list[Path]:
    """Return the other files that the open file depends on: what Blender lists, and a .gltf file's own list."""
    import bpy

    own = Path(file).absolute()
    paths = {Path(one) for one in bpy.utils.blend_paths(absolute=True)}
    if own.suffix.lower() == ".gltf":
        document = json.loads(own.read_bytes())
        uris = [one.get("uri", "") for one in document.get("buffers", [])]
        paths |= {own.parent / unquote(uri) for uri in uris if uri and not uri.startswith("data:")}
    return sorted(paths - {own})


def entry_path(settings: FileSettings, blender: str) -> Path | None:
    """Return the file that a result is kept in; None if it isn't kept."""
    read = (settings.file, settings.clips_from or settings.file)
    if settings.cache is None or any(Path(one).suffix.lower() in NEVER for one in read):
        return None
    content = content_digest(Path(settings.file))
    if content is None:
        return None
    kind = Path(settings.file).suffix.lower()
    key = f"{program_digest()}\n{blender}\n{kind}\n{content}\n{settings.measured_with()}"
    return settings.cache / f"{hashlib.sha256(key.encode()).hexdigest()}.json"


def _digest_of(reads: object, report: object) -> str:
    """Return a digest of an entry's content, so that entries changed by anything but this program are not
    trusted.
    """
    return hashlib.sha256(json.dumps([reads, report], sort_keys=True).encode()).hexdigest()


def content_digest(path: Path) -> str | None:
    """Return the SHA-256 digest of a file's content; None if it can't be read."""
    try:
        if not path.is_file():
            # Reading a pipe would block.
            return None
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None
