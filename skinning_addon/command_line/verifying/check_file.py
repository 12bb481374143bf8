"""`skinscope check-file`: an exported file against the rig that it was exported from."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date
from typing import Any, TextIO

import bpy

from ...core.verdicts.finding import worst_first
from ...core.verdicts.suppression import Suppression, this_day
from ...measurement.check.report import FileReport
from ...measurement.check.suppressed import with_suppressed
from ...measurement.exported.causes import findings_of_causes, profile_of_file
from ...measurement.exported.file_check import FileCheckSettings
from ...measurement.exported.file_check import check_file as checked_file
from ...measurement.exported.opened_file import opener_of
from ...measurement.exported.stages import FINDING_CAUSES, progress_line
from ...measurement.findings.suppressions import suppressions_of
from ...scene.exports.exporters import exporter_for
from ..arguments.config import find_config, read_config
from ..program.blender_session import open_quietly
from ..program.output_files import prepared_file, write_report
from ..program.progress import ProgressLine
from .verdict_report import Verification, write_verification

PASSED, FAILED = 0, 1

USD = "usd"


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
    inputs = [one for one in (arguments.file, getattr(arguments, "against", None)) if one]
    path = prepared_file(arguments.output, inputs=inputs) if arguments.output else None
    with ProgressLine() as progress:
        one = with_accepted(verified(arguments, progress), this_day())
    write_report(write_verification(one, arguments.format), path, output)
    return PASSED if one.verdict.report.passed else FAILED


def verified_file(
    arguments: argparse.Namespace, progress: ProgressLine, options: Mapping[str, Any] | None = None
) -> Verification:
    """Compare the file. options: with which Blender exported it, if they are known; causes are named then.

    Raises:
        SkinscopeError: a file can't be read, or the two have nothing in common.
    """
    opener = opener_of(arguments.file)
    open_quietly(arguments.against, progress)
    scene, settings = bpy.context.scene, settings_of(arguments)
    carried = suppressions_carried(scene)
    verdict = checked_file(scene, arguments.file, opener, settings, progress=progress.frames)
    verdict = replace(verdict, report=replace(verdict.report, suppressions=carried))
    if options is not None:
        exporter = exporter_for(arguments.file)
        report = replace(verdict.report, file=arguments.against)
        found = with_causes(report, exporter.id if exporter else "", options, arguments.against, progress)
        verdict = replace(verdict, report=replace(found, file=arguments.file))
    return Verification(verdict, arguments.against)


def suppressions_carried(scene: bpy.types.Scene) -> tuple[Suppression, ...]:
    """Return the suppressions that objects of the rig carry, as long as its scene is open."""
    return tuple(suppressions_of(scene.objects)[0])


def with_accepted(one: Verification, today: date) -> Verification:
    """Return a verification with what is suppressed today marked, by the rig's objects or its configuration.

    Raises:
        ConfigError: the configuration can't be read.
    """
    report, config = one.verdict.report, find_config(one.against)
    told = read_config(config).suppressions if config is not None else ()
    configured = [suppression for files, suppression in told if files.has(one.against)]
    report = with_suppressed(report, (*report.suppressions, *configured), today)
    return replace(one, verdict=replace(one.verdict, report=report))


def with_causes(
    report: FileReport, exporter: str, options: Mapping[str, Any], rig: str, progress: ProgressLine
) -> FileReport:
    """Return a report with the causes of what it measured. exporter, options: what wrote the file. rig: the
    .blend that it was exported from, which is opened again.
    """
    profile = profile_of_file(exporter, options)
    # A USD file without animation shows the rest pose, which has no further cause.
    at_rest = exporter == USD and any(one.rule == "no-animation-in-file" for one in report.findings)
    if profile is None or at_rest or all(one.passed for one in report.meshes):
        return report
    progress.say(progress_line(rig, FINDING_CAUSES))
    open_quietly(rig, progress)
    causes = findings_of_causes(bpy.context.scene, report, profile)
    return replace(report, findings=worst_first((*report.findings, *causes)))


def settings_of(arguments: argparse.Namespace) -> FileCheckSettings:
    """Return the settings of a comparison from the arguments."""
    return FileCheckSettings(arguments.clips, arguments.frames, arguments.tolerance)
