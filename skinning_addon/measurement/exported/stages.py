"""What a check of an export is doing, for lines of progress."""

from __future__ import annotations

from ...core.text.message import Message

EXPORTING = Message("exporting")
READING_BACK = Message("reading the export back")
FINDING_CAUSES = Message("finding causes")


def progress_line(file: str, doing: Message) -> Message:
    """Say what is done with which file."""
    return Message("{file}: {doing}", file=file, doing=doing)
