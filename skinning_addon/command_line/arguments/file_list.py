"""The files that a check is asked for: named, listed, or found in folders and by patterns. Needs no numpy."""

from __future__ import annotations

import glob
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path, PurePath

from ...core.text.errors import UsageError

READABLE = (".blend", ".glb", ".gltf", ".vrm", ".fbx", ".usd", ".usda", ".usdc", ".usdz")
"""Extensions that a folder is searched for."""

STANDARD_INPUT = "-"

LeftOut = Callable[[Path], bool]
"""Whether a file that was found, not named, is to be left out."""


def asked_files(
    names: Sequence[str],
    listed_in: str | None,
    patterns: Sequence[str],
    left_out: LeftOut,
    complain: Callable[[str], None],
) -> list[str]:
    """Return the files to check, in order, each once: those of a folder sorted by path.

    names: files, folders, and patterns such as 'heroes/**/*.blend'. listed_in: a file with one more name on
    each line, '-' for standard input. patterns: what to leave out of folders, see `matches`. left_out: the same
    by their configurations. complain: receives a sentence about each file that is named twice.

    Raises:
        UsageError: nothing is named, a list can't be read, or a folder or a pattern holds no files.
    """
    names = [*names, *(_listed(listed_in) if listed_in else ())]
    if not names:
        raise UsageError(
            f"'{listed_in}' lists no files; write one on each line."
            if listed_in
            else "No files are named; name files or folders, or a list of them with --files-from."
        )
    files: dict[str, str] = {}
    for name in names:
        found = _found(name, patterns, left_out)
        if found == [name] and _place(name) in files:
            complain(f"'{name}' is named more than once, and is checked once.")
        for one in found:
            files.setdefault(_place(one), one)
    return list(files.values())


def matches(path: PurePath, patterns: Sequence[str]) -> bool:
    """Whether one of the patterns stands for a path, or for a folder above it.

    path: relative to the folder that the patterns belong to. A pattern without a slash is compared with the
    name of each folder and file on the way ('backup', '*_old.blend'); one with a slash with the way itself.
    """
    ways = [PurePath(*path.parts[: number + 1]) for number in range(len(path.parts))]
    return any(
        fnmatchcase(way.as_posix() if "/" in pattern else way.name, pattern.rstrip("/"))
        for pattern in patterns
        for way in ways
    )


def _listed(path: str) -> list[str]:
    """Read a list of names: one on each line, or separated by zero bytes as `find -print0` does it."""
    if path == STANDARD_INPUT:
        content = sys.stdin.buffer.read()
    else:
        try:
            content = Path(path).read_bytes()
        except OSError as error:
            raise UsageError(
                f"The list '{path}' can't be read ({error.strerror}); choose another with --files-from."
            ) from error
    names = content.split(b"\0") if b"\0" in content else content.splitlines()
    # Names of files need not be valid Unicode.
    return [os.fsdecode(one) for one in names if one.strip()]


def _found(name: str, patterns: Sequence[str], left_out: LeftOut) -> list[str]:
    if Path(name).is_dir():
        found = list(_inside(name, patterns, left_out))
        if not found:
            raise UsageError(
                f"The folder '{name}' has no files to check; they end in {', '.join(READABLE[:-1])} or "
                f"{READABLE[-1]}."
            )
        return found
    # Brackets are common in names of files, and make no pattern alone.
    if ("*" in name or "?" in name) and not os.path.lexists(name):
        # Quoted, or on Windows, where no shell does it.
        matching = sorted(one for one in glob.glob(name, recursive=True) if Path(one).is_file())  # noqa: PTH207 - of any root
        if not matching:
            raise UsageError(f"No file matches '{name}'; write another pattern, or the names of files.")
        kept = [one for one in matching if not (matches(PurePath(one), patterns) or left_out(Path(one)))]
        if not kept:
            raise UsageError(f"Every file that matches '{name}' is excluded; write another pattern.")
        return kept
    return [name]


def _inside(folder: str, patterns: Sequence[str], left_out: LeftOut) -> Iterator[str]:
    for parent, folders, files in os.walk(folder):
        # In place, which is how the walk is told; hidden ones are a version control's or a cache, and an
        # environment of Python may hold Blender's own files.
        folders[:] = sorted(
            one for one in folders if not (one.startswith(".") or Path(parent, one, "pyvenv.cfg").exists())
        )
        for one in sorted(files):
            path = Path(parent, one)
            if path.suffix.lower() not in READABLE or one.startswith("."):
                continue
            if not (matches(path.relative_to(folder), patterns) or left_out(path)):
                yield str(path)


def _place(file: str) -> str:
    """Return the same text for all names of a file."""
    return os.path.normcase(Path(file).absolute().resolve())
