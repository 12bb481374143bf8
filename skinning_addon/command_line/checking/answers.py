"""What the process that checks a file hands to the one that reports, as JSON: a broken Blender can't make it do anything."""

from __future__ import annotations

import json
from dataclasses import dataclass

from ...measurement.check.report import FileReport
from ..reports.report_json import file_entry, read_file_entry


@dataclass(frozen=True)
class Answer:
    """The report of a file. blender: the version that made it, '' where it did not come to that.

    internal: whether the report's error is a defect of this program.
    """

    report: FileReport
    blender: str = ""
    internal: bool = False


def answer_text(answer: Answer) -> str:
    """Write an answer as text."""
    entry = {
        "report": file_entry(answer.report),
        "blender": answer.blender,
        "internal": answer.internal,
    }
    return json.dumps(entry)


def read_answer(text: str) -> Answer:
    """Read what `answer_text` wrote.

    Raises:
        ValueError, KeyError: it is something else.
    """
    entry = json.loads(text)
    return Answer(read_file_entry(entry["report"]), entry["blender"], entry["internal"])
