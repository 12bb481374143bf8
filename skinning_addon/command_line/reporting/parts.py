"""Reports that checks have written, read back and put together."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from ...core.text.errors import SourceFileError, UsageError
from ...measurement.check.report import FileReport
from ..reports.formats import Circumstances
from ..reports.report_json import read_json
from ..reports.report_lines import read_lines
from ..reports.run import Run

NAMED = 5
"""How many of many things are named."""


@dataclass(frozen=True)
class Part:
    """One report.

    blenders: the versions that checked its files. files: each with its place in the run's list, or in the
    report if it is of no run. internal: whether one of them met a defect of this program.
    """

    path: str
    skinscope: str
    blenders: frozenset[str]
    run: Run | None
    files: Sequence[tuple[int, FileReport]]
    internal: bool = False


@dataclass(frozen=True)
class Merged:
    """All parts as one report. missing: sentences about what is not there."""

    reports: Sequence[FileReport]
    circumstances: Circumstances
    missing: Sequence[str]
    internal: bool


def read_part(path: str) -> Part:
    """Read a report in JSON or JSON lines.

    Raises:
        SourceFileError: it can't be read, or is something else.
    """
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise SourceFileError(
            "The report '{path}' can't be read ({reason}); name one that 'check' has written.",
            path=path,
            reason=error.strerror,
        ) from error
    try:
        return _document(path, content) if _is_document(content) else _lines(path, content)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise SourceFileError(
            "'{path}' is no report of a check; name one that 'check' has written with --format json or jsonl.",
            path=path,
        ) from error


def _is_document(content: bytes) -> bool:
    """Whether it is one JSON document, and not a line for each file."""
    try:
        return "files" in json.loads(content)
    except ValueError:
        return False


def _document(path: str, content: bytes) -> Part:
    reports, skinscope, blender, run = read_json(content.decode("utf-8"))
    numbers = run.numbers if run is not None else range(len(reports))
    blenders = frozenset({blender} - {""})
    return Part(path, skinscope, blenders, run, list(zip(numbers, reports, strict=True)))


def _lines(path: str, content: bytes) -> Part:
    lines = read_lines(content)
    blenders = frozenset({one.blender for one in lines.files} - {""})
    files = [(one.number, one.report) for one in lines.files]
    return Part(path, lines.skinscope, blenders, lines.run, files, any(one.internal for one in lines.files))


def merged(parts: Sequence[Part], *, mixed: bool = False) -> Merged:
    """Put parts together, files in the order of the list that was checked.

    mixed: they may be of different runs and versions.

    Raises:
        UsageError: they don't belong together, or have a file or a shard twice.
    """
    if not mixed:
        _refuse_different(parts)
    several = _same_of_all(parts, lambda one: one.run and one.run.id) is None
    # Of different runs one after the other: their numbers have nothing to do with each other.
    files = [
        (part_number if several else 0, number, part, report)
        for part_number, part in enumerate(parts)
        for number, report in part.files
    ]
    files.sort(key=lambda one: one[:2])
    _refuse_twice([(report.file, part.path) for _, _, part, report in files])
    circumstances = Circumstances(
        _same_of_all(parts, lambda one: one.skinscope) or _listed([one.skinscope for one in parts]),
        _listed(sorted({blender for one in parts for blender in one.blenders})),
        _whole_run(parts),
    )
    return Merged(
        [report for *_, report in files],
        circumstances,
        _missing(parts),
        any(one.internal for one in parts),
    )


def _refuse_different(parts: Sequence[Part]) -> None:
    def refuse(what: str, first: Part, second: Part, told: Callable[[Part], str]) -> None:
        raise UsageError(
            f"'{first.path}' and '{second.path}' are of different {what}{told(first)}{told(second)}; leave one "
            "out, or merge them nevertheless with --mixed."
        )

    for one, other in pairwise(parts):
        if one.skinscope != other.skinscope:
            refuse("versions of Skinscope", one, other, lambda part: f" ({part.skinscope})")
        if one.blenders and other.blenders and one.blenders != other.blenders:
            refuse("versions of Blender", one, other, lambda part: f" ({_listed(sorted(part.blenders))})")
        ids = [part.run and (part.run.id, part.run.shards) for part in (one, other)]
        if ids[0] != ids[1]:
            refuse("checks (other files, settings or shards)", one, other, lambda _part: "")


def _refuse_twice(files: Sequence[tuple[str, str]]) -> None:
    places: dict[str, str] = {}
    for file, path in files:
        if file in places:
            raise UsageError(
                f"'{places[file]}' and '{path}' both have a result of '{file}'; leave one out."
                if places[file] != path
                else f"'{path}' is named twice, or has two results of '{file}'; name each report once."
            )
        places[file] = path


def _whole_run(parts: Sequence[Part]) -> Run | None:
    """Return the run of all parts as a single shard; None if they are not of one, or not all of it."""
    run = parts[0].run
    if run is None or _missing(parts) or any(one.run is None or one.run.id != run.id for one in parts):
        return None
    return Run(run.id, run.files)


def _missing(parts: Sequence[Part]) -> list[str]:
    """Say which shards are missing, and which reports end before their shard does."""
    sentences: list[str] = []
    for part in parts:
        expected = 0 if part.run is None else len(part.run.numbers)
        if len(part.files) < expected:
            told = f"{len(part.files)} of its {expected} files"
            sentences.append(f"'{part.path}' has {told}; let its check go on with --resume.")
    shards: dict[tuple[str, int], set[int]] = {}
    for part in parts:
        if part.run is not None:
            shards.setdefault((part.run.id, part.run.shards), set()).add(part.run.shard)
    for (_, count), found in shards.items():
        lacking = [f"{one}/{count}" for one in range(1, count + 1) if one not in found]
        if lacking:
            sentences.append(f"The report of shard {_listed(lacking)} is missing; name it too.")
    return sentences


def _same_of_all(parts: Sequence[Part], what: Callable[[Part], str | None]) -> str | None:
    values = {what(one) for one in parts}
    return values.pop() if len(values) == 1 else None


def _listed(names: Sequence[str]) -> str:
    names = list(dict.fromkeys(names))
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more
