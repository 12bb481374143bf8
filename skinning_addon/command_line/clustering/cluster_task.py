"""What runs in a worker of Dask: hands a file to a process of ours that has Blender, and returns its answer.

Everything that goes in and out is text, but for the content of a file that is sent along. A crash of Blender is
an answer like any other, and no end of Dask's worker.
"""

from __future__ import annotations

import json
import platform
import tempfile
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...core.text.errors import SkinscopeError
from ...measurement.check.report import FileReport
from ..arguments.settings_text import SettingsText, read_settings_text
from ..checking.answers import Answer, answer_text
from ..checking.workers import Limits, Workers
from ..program.versions import program_digest, skinscope_version

_own = threading.local()
"""Each thread's Blender, warm from one file to the next."""


def versions() -> str:
    """Return what this machine has, as text: name, version and digest of the program."""
    told = {"host": platform.node(), "skinscope": skinscope_version(), "program": program_digest()}
    return json.dumps(told)


def check(told: str, content: bytes | None = None) -> str:
    """Check a file; return the answer, or what this machine has if the program is another one there.

    told: see `cluster.question`. content: of the file, if it is sent along.
    """
    question: dict[str, Any] = json.loads(told)
    here = json.loads(versions())
    if question["program"] != here["program"]:
        return json.dumps({"other": here})
    with tempfile.TemporaryDirectory(prefix="skinscope-") as folder:
        file = Path(question["file"])
        if content is not None:
            file = Path(folder) / file.name
            file.write_bytes(content)
        answer = _answer(question, file, Path(folder), here["host"])
    report = replace(answer.report, file=question["named"])
    if report.error is not None:
        report = replace(report, error=report.error.replace(str(file), question["file"]))
    return json.dumps({"answer": answer_text(replace(answer, report=report)), "seconds": answer.seconds})


def _answer(question: dict[str, Any], file: Path, folder: Path, host: str) -> Answer:
    if not file.exists():
        error = (
            f"'{file}' is not there on '{host}'; keep files where all machines of the cluster see them under "
            "the same name, or send them along with --send-files."
        )
        return Answer(FileReport(str(file), error=error))
    limits = Limits(**question["limits"])
    if getattr(_own, "limits", None) != limits:
        _own.limits, _own.workers = limits, Workers(1, limits)
    try:
        settings = read_settings_text(SettingsText(**question["settings"]), str(file), folder)
    except SkinscopeError as error:
        return Answer(FileReport(str(file), error=str(error)))
    return _own.workers.answer(settings)
