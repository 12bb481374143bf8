"""`skinscope check`: compares every skinned mesh in the given files with Blender's own deformation."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TextIO

from ...core.text.errors import UsageError
from ...measurement.check.report import FileReport
from ..arguments.check_settings import settings_of
from ..arguments.file_settings import FileSettings
from ..program.output_files import prepared_file
from ..program.streams import complain
from ..program.unexpected import INTERNAL_ERROR
from .answers import Answer
from .baseline import Baseline, read_baseline
from .interruption import Interrupted, interruptible
from .result_cache import prepare_cache
from .running_report import Destination, RunningReport
from .worker_process import WorkerProcess
from .workers import Workers

PASSED, FAILED, UNREADABLE = 0, 1, 2

Answers = Callable[[Sequence[FileSettings]], Iterable[tuple[int, Answer]]]
"""Takes the settings of the files; yields answers as they come, each with its file's index."""


def check(arguments: argparse.Namespace, output: TextIO, first: WorkerProcess) -> int:
    """Check the files in worker processes and write the report; return the exit status.

    first: a process that has been started already.

    Raises:
        SkinscopeError: nothing can be checked at all.
    """
    with Workers(arguments.jobs, arguments.timeout, first) as workers:
        return checked(arguments, output, workers.answers)


def check_here(arguments: argparse.Namespace, output: TextIO) -> int:
    """Check the files in this process; for tests, where Blender is loaded already."""
    from ..program.progress import ProgressLine
    from .file_check import answer_to

    def answers(settings: Sequence[FileSettings]) -> Iterable[tuple[int, Answer]]:
        return ((index, answer_to(one, ProgressLine())) for index, one in enumerate(settings))

    return checked(arguments, output, answers)


def checked(arguments: argparse.Namespace, output: TextIO, answers: Answers) -> int:
    """Report the answers about the files; return the exit status.

    Raises:
        SkinscopeError: nothing can be checked at all, or the report can't be written.
    """
    settings = settings_of(arguments)
    baselines = _baselines(arguments, settings)
    destination = Destination(
        arguments.format,
        output,
        prepared_file(arguments.output) if arguments.output else None,
        prepared_file(arguments.summary) if arguments.summary else None,
    )
    for folder in {one.cache for one in settings if one.cache is not None}:
        prepare_cache(folder)
    report = RunningReport(settings, destination, baselines, arguments.write_baseline)
    with interruptible():
        try:
            for index, answer in answers(settings):
                report.take(index, answer)
            reports = report.end()
        except Interrupted as interruption:
            complain(f"Interrupted by {interruption.name} after {report.done} of {len(settings)} files.")
            report.end(f"was not checked: the check was interrupted by {interruption.name}")
            return interruption.status
    return INTERNAL_ERROR if report.internal else exit_status(reports)


def exit_status(reports: Sequence[FileReport]) -> int:
    """Return the exit status for the reports."""
    if any(report.error is not None for report in reports):
        return UNREADABLE
    return PASSED if all(report.passed for report in reports) else FAILED


def _baselines(arguments: argparse.Namespace, settings: Sequence[FileSettings]) -> dict[Path, Baseline]:
    """Read the existing baselines before any work; one that will be written need not exist."""
    paths = {one.baseline for one in settings if one.baseline is not None}
    if arguments.write_baseline and not paths:
        raise UsageError("--write-baseline needs a file to write to; choose one with --baseline.")
    return {
        path: {} if arguments.write_baseline and not path.exists() else read_baseline(path)
        for path in sorted(paths)
    }
