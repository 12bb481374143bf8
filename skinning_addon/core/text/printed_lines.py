"""Blender's and its importers' printed output: which lines are mere progress, and which complain."""

from __future__ import annotations

import re

CLOCK = re.compile(r"^(?:\d+:)?\d+:\d+(?:\.\d+)?\s*(?:\|\s*)?")
"""The timestamp, absolute or since the start, that begins a log line."""

COMPLAINT = re.compile(
    r"\b(?:warn(?:ing)?|error|nan|invalid|failed|could not|cannot|can't|missing|unable)\b", re.IGNORECASE
)

_CHATTER = re.compile(
    # Add-ons that use Python's logging, such as glTF.
    r"(?:INFO|DEBUG)\b"
    # Blender's own log since 5.0: a category and, unless it is merely information, a level.
    r"|[\w.]+ +\| (?!(?:WARN|ERROR|FATAL))"
    # What its file browser reports missing at startup, in containers.
    r"|system\.path +\| "
    r"|Read blend: |FBX version: |FBX import of "
)

_TRACEBACK = "Traceback (most recent call last):"


def is_chatter(line: str) -> bool:
    """Tell whether a line only reports progress; file and object names in it may say anything."""
    return _CHATTER.match(CLOCK.sub("", line).lstrip()) is not None


def without_chatter(printed: str) -> str:
    """Return the printed text without the chatter."""
    return "\n".join(line for line in printed.splitlines() if not is_chatter(line))


def complaints_in(printed: str) -> list[str]:
    """List the lines that complain about something, without timestamps; a traceback counts only by its last
    line.
    """
    lines = [CLOCK.sub("", line).strip() for line in printed.splitlines() if not is_chatter(line)]
    return [line for line in lines if COMPLAINT.search(line)]


def worth_telling(printed: str) -> str:
    """Return the printed text worth showing after a file opened successfully: complaints, and whole
    tracebacks.
    """
    start = printed.find(_TRACEBACK)
    if start < 0:
        return "\n".join(complaints_in(printed))
    return "\n".join((*complaints_in(printed[:start]), without_chatter(printed[start:])))
