"""`skinscope check`: compares every skinned mesh in the given files with Blender's own deformation."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TextIO

from ...core.text.errors import UsageError
from ..arguments.check_settings import settings_of
from ..arguments.file_settings import FileSettings
from ..arguments.options import LINES
from ..program.output_files import prepared_file, prepared_folder
from ..program.streams import complain
from ..program.unexpected import INTERNAL_ERROR
from ..program.versions import skinscope_version
from ..reporting.page_options import told_on_page
from ..reports.exit_status import exit_status
from ..reports.formats import Circumstances
from ..reports.run import Run, run_id
from .answers import Answer
from .baseline import Baseline, read_baseline
from .interruption import Interrupted, interruptible
from .lines_report import LinesReport
from .result_cache import prepare_cache
from .running_report import Destination, Rewrites, RunningReport
from .worker_process import WorkerProcess
from .workers import Limits, Workers

Answers = Callable[[Sequence[FileSettings]], Iterable[tuple[int, Answer]]]
"""Takes the settings of the files; yields answers as they come, each with its file's index."""


def check(arguments: argparse.Namespace, output: TextIO, first: WorkerProcess) -> int:
    """Check the files in worker processes and write the report; return the exit status.

    first: a process that has been started already.

    Raises:
        SkinscopeError: nothing can be checked at all.
    """
    with Workers(arguments.jobs, Limits.of(arguments), first) as workers:
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
    run, settings = part_of_run(settings_of(arguments, complain), arguments.shard)
    if not settings:
        complain(f"Shard {run.shard}/{run.shards} has none of the {run.files} files; its report is empty.")
    baselines = _baselines(arguments, settings)
    for folder in {one.cache for one in settings if one.cache is not None}:
        prepare_cache(folder)
    for option in ("pictures", "fix"):
        for folder in {path for one in settings if (path := getattr(one, option)) is not None}:
            prepared_folder(str(folder), f"--{option}")
    _refuse_same_copies(settings)
    circumstances = Circumstances(
        skinscope_version(), run=run, rule_pages=arguments.rule_pages or "", told=told_on_page(arguments)
    )
    destination = _destination(arguments, output, run, settings)
    report = RunningReport(settings, destination, baselines, _rewrites(arguments), circumstances, run)
    with ExitStack() as open_files, interruptible():
        for lines in destination.lines:
            open_files.callback(lines.close)
        try:
            left = list(range(len(settings)))
            for lines in destination.lines:
                for index, one in lines.kept.items():
                    report.take(
                        index, Answer(one.report, one.blender, one.internal, one.seconds), is_kept=True
                    )
                left = [index for index in left if index not in lines.kept]
            for index, answer in answers([settings[index] for index in left]):
                report.take(left[index], answer)
            reports = report.end()
        except Interrupted as interruption:
            complain(f"Interrupted by {interruption.name} after {report.done} of {len(settings)} files.")
            report.end(f"was not checked: the check was interrupted by {interruption.name}")
            return interruption.status
    if report.internal:
        return INTERNAL_ERROR
    return 0 if arguments.exit_zero else exit_status(reports)


def _refuse_same_copies(settings: Sequence[FileSettings]) -> None:
    """Refuse files whose copies would have one name."""
    places: dict[Path, str] = {}
    for one in settings:
        copy = one.fixed_copy
        if copy is not None and places.setdefault(copy, one.file) != one.file:
            raise UsageError(
                f"The copies of '{places[copy]}' and '{one.file}' would both be '{copy}'; check them one by "
                "one, with another folder for --fix."
            )


def part_of_run(settings: Sequence[FileSettings], shard: tuple[int, int]) -> tuple[Run, list[FileSettings]]:
    """Return the run that checks all files, and the settings of those that are checked here.

    shard: its number and how many there are.
    """
    told = [
        (one.file, f"{one.measured_with()} {sorted(one.severities.items())} {one.suppressions}")
        for one in settings
    ]
    run = Run(run_id(skinscope_version(), told), len(settings), *shard)
    return run, [settings[number] for number in run.numbers]


def _destination(
    arguments: argparse.Namespace, output: TextIO, run: Run, settings: Sequence[FileSettings]
) -> Destination:
    """Make sure that all reports can be written, and begin those that grow."""
    files = [(arguments.format, arguments.output, "--output")] if arguments.output else []
    files += [(report_format, path, "--report") for report_format, path in arguments.report or []]
    files += [("html", arguments.summary, "--summary")] if arguments.summary else []
    inputs = [one.file for one in settings]
    prepared = [
        (report_format, prepared_file(path, option=option, inputs=inputs))
        for report_format, path, option in files
    ]
    growing = [path for report_format, path in prepared if report_format == LINES]
    if arguments.resume and len(growing) != 1:
        raise UsageError("--resume goes on with one file of JSON lines; name it with --report jsonl=PATH.")
    if len({path for _, path in prepared}) < len(prepared):
        raise UsageError("Two reports can't be written to one file; give each a path of its own.")
    streamed = "" if arguments.output else arguments.format
    version = skinscope_version()
    lines = [
        LinesReport.resumed(path, version, run, settings)
        if arguments.resume
        else LinesReport.to_file(path, version, run)
        for path in growing
    ]
    if streamed == LINES:
        lines.append(LinesReport.to_stream(output, version, run))
    return Destination(streamed, output, [one for one in prepared if one[0] != LINES], lines)


def _rewrites(arguments: argparse.Namespace) -> Rewrites:
    if arguments.write_baseline:
        return Rewrites.WHOLE
    return Rewrites.PRUNED if arguments.baseline_prune else Rewrites.NOT


def _baselines(arguments: argparse.Namespace, settings: Sequence[FileSettings]) -> dict[Path, Baseline]:
    """Read the existing baselines before any work; one that will be written need not exist."""
    paths = {one.baseline for one in settings if one.baseline is not None}
    if arguments.write_baseline and not paths:
        raise UsageError("--write-baseline needs a file to write to; choose one with --baseline.")
    if arguments.baseline_prune and not paths:
        raise UsageError("--baseline-prune needs a baseline; choose one with --baseline.")
    if arguments.baseline_prune and arguments.write_baseline:
        raise UsageError("--write-baseline forgets what was fixed by itself; leave out --baseline-prune.")
    return {
        path: Baseline(folder=path.parent)
        if arguments.write_baseline and not path.exists()
        else read_baseline(path)
        for path in sorted(paths)
    }
