"""What Blender and its importers print: which lines only tell how far they are, and which complain."""

from __future__ import annotations

import re

CLOCK = re.compile(r"^(?:\d+:)?\d+:\d+(?:\.\d+)?\s*(?:\|\s*)?")
"""The time of day, or since the start, that logs begin a line with."""

COMPLAINT = re.compile(
    r"\b(?:warn(?:ing)?|error|nan|invalid|failed|could not|cannot|can't|missing|unable)\b", re.IGNORECASE
)

_CHATTER = re.compile(
    # Add-ons that log as Python does, glTF among them.
    r"(?:INFO|DEBUG)\b"
    # Blender's own log since 5.0: a category and, unless it is merely information, a level.
    r"|[\w.]+ +\| (?!(?:WARN|ERROR|FATAL))"
    # What its file browser misses at the start, in containers.
    r"|system\.path +\| "
    r"|Read blend: |FBX version: |FBX import of "
)

_TRACEBACK = "Traceback (most recent call last):"


def is_chatter(line: str) -> bool:
    """Tell whether a line says no more than what Blender is at; names of files and objects in it may say anything."""
    return _CHATTER.match(CLOCK.sub("", line).lstrip()) is not None


def without_chatter(printed: str) -> str:
    """Return what was printed, but for the lines that are chatter."""
    return "\n".join(line for line in printed.splitlines() if not is_chatter(line))


def complaints_in(printed: str) -> list[str]:
    """List the lines that complain about something, without the time; a traceback counts by its last line alone."""
    lines = [CLOCK.sub("", line).strip() for line in printed.splitlines() if not is_chatter(line)]
    return [line for line in lines if COMPLAINT.search(line)]


def worth_telling(printed: str) -> str:
    """Return what people want to know of all that was printed while a file was opened well: complaints, and tracebacks whole."""
    start = printed.find(_TRACEBACK)
    if start < 0:
        return "\n".join(complaints_in(printed))
    return "\n".join((*complaints_in(printed[:start]), without_chatter(printed[start:])))
