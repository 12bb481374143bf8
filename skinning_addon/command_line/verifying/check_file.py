"""`skinscope check-file`: an exported file against the rig that it was exported from."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TextIO

import bpy

from ...measurement.exported.file_check import FileCheckSettings
from ...measurement.exported.file_check import check_file as checked_file
from ...measurement.exported.opened_file import opener_of
from ..program.blender_session import open_quietly
from ..program.output_files import prepared_file, write_report
from ..program.progress import ProgressLine
from .verdict_report import Verification, write_verification

PASSED, FAILED = 0, 1


def check_file(arguments: argparse.Namespace, output: TextIO) -> int:
    """Compare the file, write the report, and return 0 if everything is within tolerance, else 1.

    Raises:
        SkinscopeError: a file can't be read, or the two have nothing in common.
    """
    return reported(verified_file, arguments, output)


def reported(
    verified: Callable[[argparse.Namespace, ProgressLine], Verification],
    arguments: argparse.Namespace,
    output: TextIO,
) -> int:
    """Verify a file, write the report, and return the exit status.

    Raises:
        SkinscopeError: the file can't be verified, or the report can't be written.
    """
    path = prepared_file(arguments.output) if arguments.output else None
    with ProgressLine() as progress:
        one = verified(arguments, progress)
    write_report(write_verification(one, arguments.format), path, output)
    return PASSED if one.verdict.report.passed else FAILED


def verified_file(arguments: argparse.Namespace, progress: ProgressLine) -> Verification:
    """Compare the file.

    Raises:
        SkinscopeError: a file can't be read, or the two have nothing in common.
    """
    opener = opener_of(arguments.file)
    open_quietly(arguments.against, progress)
    scene, settings = bpy.context.scene, settings_of(arguments)
    verdict = checked_file(scene, arguments.file, opener, settings, progress=progress.frames)
    return Verification(verdict, arguments.against)


def settings_of(arguments: argparse.Namespace) -> FileCheckSettings:
    """Return the settings of a comparison from the arguments."""
    return FileCheckSettings(arguments.clips, arguments.frames, arguments.tolerance)
