"""`check-export` or `check-file` in a Blender of its own, so that the user's session neither exports nor plays
anything.

The two processes share a folder: it holds the request, a line of progress, and the answer or a refusal.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import bpy

from ...core.text.errors import ExportError, SkinscopeError
from ...core.text.message import Message
from ...core.text.message_record import recorded, restored
from ...measurement.check.report import FileReport
from ..arguments.parser import parse_arguments
from ..program.output_files import write_file
from ..program.progress import ProgressLine
from ..reports.report_json import read_file_entry
from .check_export import verified_export
from .check_file import verified_file
from .verdict_report import Verification, write_verification

REQUEST, PROGRESS, ANSWER, REFUSAL = "request.json", "progress.json", "answer.json", "refusal.json"
CHECK_FILE = "check-file"
WORDS = "words.json"
"""The messages of the answer, with which the texts in it can be translated."""

EXPRESSION = """\
import sys
sys.path.insert(0, {root})
import bpy
from skinning_addon.command_line.verifying.background import answer_request
answer_request({folder})
"""


@dataclass(frozen=True, eq=False)
class Answer:
    """The verdict. report: like that of `check`. reader: what read the file, in words. sources: where the
    exporter's settings come from, in words. kept: the path of the exported file; None if it was deleted.
    """

    report: FileReport
    reader: str
    sources: tuple[str, ...]
    kept: str | None


class BackgroundExport:
    """A check of an export that runs in another Blender. End it with `stop`, whether it is done or not."""

    def __init__(self, folder: Path, arguments: list[str], options: Mapping[str, Any]) -> None:
        """Start it. folder: its own, for both processes. arguments: the command and its arguments. options: of
        the exporter: those of the session's last export, for `check-export`, or those that the file was
        exported with, for `check-file`.
        """
        self._folder, self._command = folder, arguments[0]
        request = {"arguments": arguments, "options": options}
        (folder / REQUEST).write_text(json.dumps(request), encoding="utf-8")
        root = str(Path(__file__).parents[3])
        code = EXPRESSION.format(root=ascii(root), folder=ascii(str(folder)))
        # If it is killed, its own and Blender's temporary files stay behind: here they are deleted with the
        # folder.
        temporary = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder))
        with (folder / "printed.txt").open("wb") as printed:
            # This runs our own program without a shell; the user's paths are data in the request.
            self._process = subprocess.Popen(  # noqa: S603
                [*_blender(), code],
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=subprocess.STDOUT,
                env=os.environ | temporary,
                start_new_session=True,
            )

    @property
    def is_done(self) -> bool:
        """Whether it has ended."""
        return self._process.poll() is not None

    @property
    def progress(self) -> str:
        """The last line of progress, a message; '' if there is none yet."""
        with contextlib.suppress(OSError, ValueError):
            return restored(json.loads((self._folder / PROGRESS).read_text(encoding="utf-8")))
        return ""

    def answer(self) -> Answer:
        """Return the verdict, once it is done.

        Raises:
            SkinscopeError: the export can't be checked.
        """
        refusal, answer = self._folder / REFUSAL, self._folder / ANSWER
        if refusal.is_file():
            raise SkinscopeError(restored(json.loads(refusal.read_text(encoding="utf-8"))))
        if not answer.is_file():
            raise self._ended_early(self._process.wait())
        (entry,) = json.loads(answer.read_text(encoding="utf-8"))["files"]
        verified = entry["verified"]
        read_by: str = verified["by"]
        settings_from: list[str] = verified["settings_from"]
        told = json.loads((self._folder / WORDS).read_text(encoding="utf-8"))
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

    def stop(self) -> None:
        """End the process and everything that it has started, at once."""
        if os.name == "posix":
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()


def answer_request(folder: str) -> None:
    """Check the export that a folder requests, and write the answer there; runs in the other process."""
    path = Path(folder)
    request = json.loads((path / REQUEST).read_text(encoding="utf-8"))

    def show(line: str) -> None:
        staged = path / f"{PROGRESS}.new"
        staged.write_text(json.dumps(recorded(line)), encoding="utf-8")
        staged.replace(path / PROGRESS)

    try:
        arguments, progress = parse_arguments(request["arguments"]), ProgressLine(show)
        if arguments.command == CHECK_FILE:
            one = verified_file(arguments, progress, request["options"])
        else:
            one = verified_export(arguments, progress, request["options"])
        write_file(path / WORDS, json.dumps([recorded(each) for each in _messages(one)]))
        write_file(path / ANSWER, write_verification(one, "json"))
    except SkinscopeError as error:
        (path / REFUSAL).write_text(json.dumps(recorded(error.args[0])), encoding="utf-8")


def _messages(one: Verification) -> Iterator[Message]:
    """List the messages of a verification, whose texts the answer holds."""
    findings = one.verdict.report.findings
    texts = (
        one.verdict.reader,
        *one.sources,
        *(text for each in findings for text in (each.message, each.fix)),
    )
    yield from (text for text in texts if isinstance(text, Message))


def _blender() -> list[str]:
    """Return the command that starts a Blender and runs the Python code appended to it."""
    if bpy.app.binary_path:
        return [
            bpy.app.binary_path,
            "--background",
            "--python-exit-code",
            "1",
            "--python-expr",
        ]
    return [sys.executable, "-P", "-c"]
