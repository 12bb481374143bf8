"""`check-export` or `check-file` in a Blender of its own, so that the user's session neither exports nor plays
anything.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...core.text.errors import ExportError
from ...core.text.message import Message
from ...core.text.message_record import recorded, restored
from ...measurement.check.report import FileReport
from ..arguments.parser import parse_arguments
from ..program.background_blender import BackgroundBlender, answered
from ..program.output_files import write_file
from ..program.progress import ProgressLine
from ..reports.report_json import read_file_entry
from .check_export import verified_export
from .check_file import verified_file
from .verdict_report import Verification, write_verification

ANSWER = "answer.json"
CHECK_FILE = "check-file"
WORDS = "words.json"
"""The messages of the answer, with which the texts in it can be translated."""


@dataclass(frozen=True, eq=False)
class Answer:
    """The verdict. report: like that of `check`. reader: what read the file, in words. sources: where the
    exporter's settings come from, in words. kept: the path of the exported file; None if it was deleted.
    """

    report: FileReport
    reader: str
    sources: tuple[str, ...]
    kept: str | None


class BackgroundExport(BackgroundBlender):
    """A check of an export that runs in another Blender."""

    def __init__(
        self,
        folder: Path,
        arguments: list[str],
        options: Mapping[str, Any],
        own: Mapping[str, Any] | None = None,
    ) -> None:
        """Start it. folder: its own, for both processes. arguments: the command and its arguments. options: of
        the exporter: those of the session's last export, for `check-export`, or those that the file was
        exported with, for `check-file`. own: the sidebar's settings, for `check-export`.

        Raises:
            UsageError: it can't be started.
        """
        self._answers, self._command = folder, arguments[0]
        request = {"arguments": arguments, "options": options, "own": own or {}}
        super().__init__(folder, "command_line.verifying.background", request)

    def answer(self) -> Answer:
        """Return the verdict, once it is done.

        Raises:
            SkinscopeError: the export can't be checked.
        """
        status, answer = self.status(), self._answers / ANSWER
        if not answer.is_file():
            raise self._ended_early(status)
        (entry,) = json.loads(answer.read_text(encoding="utf-8"))["files"]
        verified = entry["verified"]
        read_by: str = verified["by"]
        settings_from: list[str] = verified["settings_from"]
        told = json.loads((self._answers / WORDS).read_text(encoding="utf-8"))
        words: dict[str, str] = {one: one for one in map(restored, told)}
        report = read_file_entry(entry)
        findings = tuple(
            replace(one, message=words.get(one.message, one.message), fix=words.get(one.fix, one.fix))
            for one in report.findings
        )
        sources = tuple(words.get(one, one) for one in settings_from)
        reader = words.get(read_by, read_by)
        return Answer(replace(report, findings=findings), reader, sources, verified["kept"])

    def _ended_early(self, status: int) -> ExportError:
        if self._command == CHECK_FILE:
            return ExportError(
                "Blender exited with status {status} while comparing the exported file with the scene; press "
                "Check My Export to see why.",
                status=status,
            )
        return ExportError(
            "Blender exited with status {status} while exporting; export by hand to see why.", status=status
        )


def answer_request(folder: str) -> None:
    """Check the export that a folder requests, and write the answer there; runs in the other process."""
    answered(folder, _check)


def _check(folder: Path, request: Any, progress: ProgressLine) -> None:
    arguments = parse_arguments(request["arguments"])
    if arguments.command == CHECK_FILE:
        one = verified_file(arguments, progress, request["options"])
    else:
        one = verified_export(arguments, progress, request["options"], request["own"])
    write_file(folder / WORDS, json.dumps([recorded(each) for each in _messages(one)]))
    write_file(folder / ANSWER, write_verification(one, "json"))


def _messages(one: Verification) -> Iterator[Message]:
    """List the messages of a verification, whose texts the answer holds."""
    findings = one.verdict.report.findings
    texts = (
        one.verdict.reader,
        *one.sources,
        *(text for each in findings for text in (each.message, each.fix)),
    )
    yield from (text for text in texts if isinstance(text, Message))
