"""`skinscope check`: compares every skinned mesh of some files with Blender's own deformation."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import TextIO

from ..core.errors import SkinscopeError
from ..core.length import EXACT
from ..measurement.report import FileReport
from .output_files import prepared_file, write_file
from .report_json import write_json
from .report_text import write_text
from .streams import complain

PASSED, FAILED, UNREADABLE = 0, 1, 2


def check(arguments: argparse.Namespace, output: TextIO) -> int:
    """Check the files and write the report; return the exit status.

    Raises:
        SkinscopeError: nothing can be checked at all.
    """
    path = prepared_file(arguments.output) if arguments.output else None
    if min(arguments.jobs, len(arguments.files)) > 1:
        from .workers import check_in_workers

        reports, skinscope, blender = check_in_workers(arguments)
    else:
        from .versions import blender_version, skinscope_version

        reports, skinscope, blender = list(_checked(arguments)), skinscope_version(), blender_version()
    if arguments.format == "json":
        text = write_json(reports, skinscope, blender)
    else:
        text = write_text(reports, with_errors=path is not None)
    if path is None:
        output.write(text)
    else:
        write_file(path, text)
    return exit_status(reports)


def exit_status(reports: Sequence[FileReport]) -> int:
    """Return the exit status that goes with some reports."""
    if any(report.error is not None for report in reports):
        return UNREADABLE
    return PASSED if all(report.passed for report in reports) else FAILED


def _checked(arguments: argparse.Namespace) -> Iterator[FileReport]:
    from .blender_session import started_device

    device = started_device(arguments.device)
    for file in arguments.files:
        try:
            yield _checked_file(file, arguments, device)
        except SkinscopeError as error:
            message = str(error)
            # A sentence about the file's contents, such as a clip that it lacks, need not name the file itself.
            complain(message if file in message else f"{file}: {message}")
            yield FileReport(file, error=message)


def _checked_file(file: str, arguments: argparse.Namespace, device: str) -> FileReport:
    import bpy

    from ..measurement.check import CheckSettings, check_scene
    from .blender_session import chosen_frames, open_quietly
    from .progress import ProgressLine

    settings = CheckSettings(
        device=device,
        clips=arguments.clips,
        frames_of=chosen_frames(arguments.frames),
        tolerance=arguments.tolerance or EXACT,
        profile=arguments.profile,
    )
    with ProgressLine() as progress:
        open_quietly(file, progress)
        return check_scene(bpy.context.scene, file, settings, progress.frames)
