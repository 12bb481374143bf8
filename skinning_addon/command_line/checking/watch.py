"""`skinscope watch`: checks files, then each again whenever it is saved."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from ...core.text.errors import SkinscopeError
from ...core.verdicts.suppression import this_day
from ...measurement.check.report import FileReport
from ..arguments.check_settings import settings_of
from ..arguments.file_settings import FileSettings
from ..program.progress import ProgressLine
from ..program.streams import complain
from ..reports.exit_status import exit_status
from ..reports.report_text import write_summary, write_text
from .answers import Answer
from .baseline import read_baseline, with_known
from .interruption import Interrupted, interruptible
from .judging import judged
from .workers import Limits, Workers

SECONDS_BETWEEN_LOOKS = 0.5
"""Nothing tells a Python program of changes on every system."""

Stamp = tuple[int, int] | None
"""When a file was last changed, in nanoseconds, and its size; None if it isn't there."""


@dataclass
class _Watched:
    """What is known of the files so far, by file. at_last_look: their stamps. checked: the stamps that were
    checked, and how. reports: what came of it. said: the complaint that has just been made.
    """

    at_last_look: dict[str, Stamp] = field(default_factory=dict)
    checked: dict[str, tuple[Stamp, str]] = field(default_factory=dict)
    reports: dict[str, FileReport] = field(default_factory=dict)
    said: str = ""

    def due(self, settings: Sequence[FileSettings]) -> list[FileSettings]:
        """Return the files to check now: new or changed, or to be measured otherwise, and saved completely: not
        changed since the last look.
        """
        stamps = {one.file: stamp_of(one.file) for one in settings}
        still = {file for file, stamp in stamps.items() if self.at_last_look.get(file, stamp) == stamp}
        self.at_last_look = stamps
        for file in self.reports.keys() - stamps.keys():
            del self.reports[file], self.checked[file]
        return [
            one
            for one in settings
            if one.file in still and self.checked.get(one.file) != (stamps[one.file], _how(one))
        ]

    def take(self, one: FileSettings, answer: Answer) -> FileReport:
        """Judge an answer, and remember it."""
        report = judged(answer.report, one, this_day())
        if one.baseline is not None:
            report = with_known(report, read_baseline(one.baseline))
        self.checked[one.file] = self.at_last_look[one.file], _how(one)
        self.reports[one.file] = report
        return report


def _how(one: FileSettings) -> str:
    """Return what a file's report depends on besides its content."""
    return f"{one.measured_with()} {sorted(one.severities.items())} {one.suppressions} {one.baseline}"


def stamp_of(file: str) -> Stamp:
    """Return a file's stamp."""
    try:
        found = Path(file).stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def watch(arguments: argparse.Namespace, output: TextIO, wait: Callable[[float], None] = time.sleep) -> int:
    """Check and watch the files until a signal ends it; return the exit status of the last results.

    wait: takes seconds; for tests.

    Raises:
        SkinscopeError: nothing can be checked at all.
    """
    watched, progress = _Watched(), ProgressLine()
    settings_of(arguments, complain)
    with Workers(arguments.jobs, Limits.of(arguments)) as workers:
        try:
            with interruptible():
                while True:
                    due = watched.due(_settings(arguments, watched))
                    if due:
                        _check(due, watched, workers, output)
                        progress.say(f"Watching {len(watched.reports)} files; Ctrl-C ends it.")
                    wait(SECONDS_BETWEEN_LOOKS)
        except Interrupted:
            progress.clear()
    return exit_status(list(watched.reports.values()))


def _settings(arguments: argparse.Namespace, watched: _Watched) -> list[FileSettings]:
    """Return the settings of all files as they are now; none while a configuration is being edited."""
    try:
        found = settings_of(arguments, lambda _sentence: None)
    except SkinscopeError as error:
        if str(error) != watched.said:
            complain(str(error))
        watched.said = str(error)
        return []
    watched.said = ""
    return found


def _check(due: Sequence[FileSettings], watched: _Watched, workers: Workers, output: TextIO) -> None:
    before: Mapping[str, FileReport] = dict(watched.reports)
    for index, answer in workers.answers(due):
        report = watched.take(due[index], answer)
        if report.error is not None:
            complain(report.error)
        else:
            output.write(write_text([report], with_errors=False))
        if (former := before.get(report.file)) is not None and former.passed is not report.passed:
            output.write(f"{report.file} {'passes now' if report.passed else 'fails now'}.\n")
        output.write("\n")
        output.flush()
    if len(watched.reports) > 1:
        output.write(write_summary(list(watched.reports.values())))
        output.flush()
