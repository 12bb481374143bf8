"""`skinscope check`: compares every skinned mesh of some files with Blender's own deformation."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO

from ..core.errors import SkinscopeError, UsageError
from ..measurement.report import FileReport
from .baseline import Baseline, read_baseline, with_known, write_baseline
from .check_settings import FileSettings, settings_of
from .output_files import prepared_file, prepared_folder, write_file
from .report_html import write_html
from .report_json import write_json
from .report_junit import write_junit
from .report_sarif import write_sarif
from .report_text import write_text
from .streams import complain

PASSED, FAILED, UNREADABLE = 0, 1, 2

Checked = tuple[list[FileReport], str, str]
"""Reports in the order of the files, and the versions of Skinscope and Blender."""


def check(arguments: argparse.Namespace, output: TextIO) -> int:
    """Check the files and write the report; return the exit status.

    Raises:
        SkinscopeError: nothing can be checked at all.
    """
    settings = settings_of(arguments)
    baselines = _baselines(arguments, settings)
    path = prepared_file(arguments.output) if arguments.output else None
    summary = prepared_file(arguments.summary) if arguments.summary else None
    for folder in {one.cache for one in settings if one.cache is not None}:
        prepared_folder(str(folder))
    reports, skinscope, blender = _checked(arguments, settings)
    reports = [one.judged(report) for one, report in zip(settings, reports, strict=True)]
    if arguments.write_baseline:
        baselines = {
            baseline: write_baseline(baseline, [report for _, report in of_baseline])
            for baseline in baselines
            if (
                of_baseline := [
                    pair for pair in zip(settings, reports, strict=True) if pair[0].baseline == baseline
                ]
            )
        }
    reports = [
        with_known(report, baselines[one.baseline], one.baseline.parent) if one.baseline else report
        for one, report in zip(settings, reports, strict=True)
    ]
    text = _written(arguments.format, reports, skinscope, blender, with_errors=path is not None)
    if path is None:
        output.write(text)
    else:
        write_file(path, text)
    if summary is not None:
        write_file(summary, write_html(reports, skinscope, blender))
    return exit_status(reports)


def exit_status(reports: Sequence[FileReport]) -> int:
    """Return the exit status that goes with some reports."""
    if any(report.error is not None for report in reports):
        return UNREADABLE
    return PASSED if all(report.passed for report in reports) else FAILED


def _baselines(arguments: argparse.Namespace, settings: Sequence[FileSettings]) -> dict[Path, Baseline]:
    """Read the baselines that there are before anything is done; one that is to be written need not exist."""
    paths = {one.baseline for one in settings if one.baseline is not None}
    if arguments.write_baseline and not paths:
        raise UsageError("--write-baseline needs to know where to; name a file with --baseline.")
    return {
        path: {} if arguments.write_baseline and not path.exists() else read_baseline(path)
        for path in sorted(paths)
    }


def _written(
    report_format: str, reports: Sequence[FileReport], skinscope: str, blender: str, *, with_errors: bool
) -> str:
    if report_format == "text":
        return write_text(reports, with_errors=with_errors)
    write = {"json": write_json, "junit": write_junit, "sarif": write_sarif}[report_format]
    return write(reports, skinscope, blender)


def _checked(arguments: argparse.Namespace, settings: Sequence[FileSettings]) -> Checked:
    """Check what no result is kept of: here, or each file in a process of its own."""
    kept = _kept(settings)
    left = [one for place, one in enumerate(settings) if place not in kept]
    if min(arguments.jobs, len(left)) > 1:
        from .workers import check_in_workers

        fresh, skinscope, blender = check_in_workers(arguments, [one.file for one in left])
    else:
        from .versions import blender_version, skinscope_version

        fresh, skinscope, blender = list(_checked_here(left)), skinscope_version(), blender_version()
    rest = iter(fresh)
    return (
        [kept[place] if place in kept else next(rest) for place in range(len(settings))],
        skinscope,
        blender,
    )


def _kept(settings: Sequence[FileSettings]) -> dict[int, FileReport]:
    if all(one.cache is None for one in settings):
        return {}
    from .result_cache import find_result
    from .versions import blender_version

    found = ((place, find_result(one, blender_version())) for place, one in enumerate(settings))
    return {place: report for place, report in found if report is not None}


def _checked_here(settings: Sequence[FileSettings]) -> Iterator[FileReport]:
    if not settings:
        return
    from .blender_session import started_device

    device = started_device(settings[0].device)
    for one in settings:
        try:
            yield _checked_file(one, device)
        except SkinscopeError as error:
            message = str(error)
            # A sentence about the file's contents, such as a clip that it lacks, need not name the file itself.
            complain(message if one.file in message else f"{one.file}: {message}")
            yield FileReport(one.file, error=message)


def _checked_file(one: FileSettings, device: str) -> FileReport:
    import bpy

    from ..measurement.check import CheckSettings, check_scene
    from .blender_session import chosen_frames, open_quietly
    from .progress import ProgressLine
    from .result_cache import files_read, keep_result
    from .versions import blender_version

    settings = CheckSettings(
        device=device,
        clips=one.clips,
        frames_of=chosen_frames(one.frames),
        tolerance=one.tolerance,
        profiles=one.profiles,
        as_rendered=one.visibility == "render",
        thresholds=one.thresholds.thresholds,
    )
    with ProgressLine() as progress:
        open_quietly(one.file, progress)
        reads = files_read(one.file) if one.cache is not None else []
        report = check_scene(bpy.context.scene, one.file, settings, progress.frames)
    keep_result(one, blender_version(), report, reads)
    return report
