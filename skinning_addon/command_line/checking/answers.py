"""A worker's answer to the reporting process, as JSON: even a corrupted Blender can't make the reader run
code.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from ...measurement.check.report import FileReport
from ..reports.report_json import file_entry, read_file_entry


@dataclass(frozen=True)
class Answer:
    """The report of a file. blender: the version that made it, '' if Blender was never started.

    internal: whether the report's error is a defect of this program. seconds: that it took, as the reporting
    process sees it.
    """

    report: FileReport
    blender: str = ""
    internal: bool = False
    seconds: float = 0.0


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
