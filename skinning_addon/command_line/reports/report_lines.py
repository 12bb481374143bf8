"""Reports as JSON lines: the head of a run, then one line for each file as soon as it is done.

A line is complete once it ends in a line feed. Whatever ends the program in between, what stands before is
valid.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from ...measurement.check.report import FileReport
from .printable_report import json_text
from .report_json import VERSION, file_entry, read_file_entry
from .run import Run


@dataclass(frozen=True)
class FileLine:
    """What a line says of a file.

    number: its place in the run's list, from 0. blender: the version that checked it. seconds: that took.
    content: the SHA-256 digest of the file, "" if it couldn't be read. internal: whether the report's error is
    a defect of this program.
    """

    number: int
    report: FileReport
    blender: str
    seconds: float = 0.0
    content: str = ""
    internal: bool = False


@dataclass(frozen=True)
class Pace:
    """How far a check is: files done, of how many of this shard, and the seconds that the rest may take."""

    done: int
    files: int
    seconds_left: float


@dataclass(frozen=True)
class Lines:
    """What was read. length: of the complete lines, in bytes. files: one of each file, the last."""

    skinscope: str
    run: Run
    files: Sequence[FileLine]
    length: int


def head_line(skinscope: str, run: Run) -> str:
    """Return the first line."""
    return json_text({"version": VERSION, "skinscope": skinscope, "run": run.entry()}, indent=None)


def file_line(one: FileLine, pace: Pace) -> str:
    """Return a file's line."""
    entry = file_entry(one.report) | {
        "number": one.number + 1,
        "done": pace.done,
        "of": pace.files,
        "seconds": round(one.seconds, 3),
        "seconds_left": round(pace.seconds_left, 3),
        "blender": one.blender,
        "sha256": one.content,
        "internal": one.internal,
    }
    return json_text(entry, indent=None)


def read_lines(content: bytes) -> Lines:
    """Read what `head_line` and `file_line` wrote, as far as it is complete.

    Raises:
        ValueError, KeyError, TypeError, AttributeError: it is something else.
    """
    length = content.rfind(b"\n") + 1
    head, *rest = content[:length].decode("utf-8").split("\n")[:-1] or [""]
    document = json.loads(head)
    if document["version"] != VERSION:
        raise ValueError("version")
    files = {one.number: one for one in map(_read_file, rest)}
    return Lines(document["skinscope"], Run.read(document["run"]), list(files.values()), length)


def _read_file(line: str) -> FileLine:
    entry = json.loads(line)
    return FileLine(
        entry["number"] - 1,
        read_file_entry(entry),
        entry["blender"],
        entry["seconds"],
        entry["sha256"],
        entry["internal"],
    )
