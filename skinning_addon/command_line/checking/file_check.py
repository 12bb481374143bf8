"""Checks one file, in the process that has Blender."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import cache
from pathlib import Path

import bpy

from ...core.text.errors import SkinscopeError
from ...core.verdicts.finding import worst_first
from ...measurement.check.block_measuring import Sharing
from ...measurement.check.check import check_scene
from ...measurement.check.check_settings import CheckSettings
from ...measurement.check.report import FileReport
from ...measurement.findings.file_findings import findings_of_brought_clips, findings_of_importer
from ...scene.objects.instanced_meshes import bring_in_instanced
from ..arguments.file_settings import FileSettings
from ..program.blender_session import chosen_frames, open_quietly, started_device
from ..program.clips_from import bring, names_to_play, packed_clips, told_of
from ..program.progress import ProgressLine
from ..program.unexpected import internal_error, lack_of_room
from ..program.versions import blender_version
from .answers import Answer
from .fixed_copy import with_fixes
from .pictures import can_draw, draw_picture, with_picture
from .result_cache import entry_path, files_read, find_result, keep_result
from .shared_blocks import HelpedError, Helping, Leading, SharedFolder


def answer_to(
    one: FileSettings,
    progress: ProgressLine,
    tracebacks: str | None = None,
    folder: SharedFolder | None = None,
) -> Answer:
    """Check a file, unless its result is cached. Anything that goes wrong becomes the report's error.

    tracebacks: folder for the traceback of an unexpected exception. folder: for other processes to take part.
    """
    try:
        kept = find_result(one, blender_version()) if one.fix is None else None
        report = with_picture(kept, one) if kept is not None else None
        if report is None or (one.pictures is not None and not report.picture and can_draw()):
            report = with_fixes(
                with_picture(measured_file(one, progress, folder and Leading(folder)), one), one, progress
            )
    except SkinscopeError as error:
        return Answer(FileReport(one.file, error=str(error)), blender_version())
    except Exception as error:  # noqa: BLE001
        # The boundary of a file: the others, and the report, must not suffer from what nothing foresaw.
        if sentence := lack_of_room(error):
            return Answer(FileReport(one.file, error=sentence), blender_version())
        message = internal_error(error, f"checking '{one.file}'", tracebacks)
        return Answer(FileReport(one.file, error=message), blender_version(), internal=True)
    return Answer(report, blender_version())


def help_with(one: FileSettings, progress: ProgressLine, folder: SharedFolder) -> bool:
    """Measure what is left of a file that another process leads; return whether this one can be used again.
    Whatever goes wrong goes wrong there too, and is told there.
    """
    try:
        measured_file(replace(one, cache=None, pictures=None, fix=None), progress, Helping(folder))
    except (HelpedError, SkinscopeError):
        return True
    except Exception:  # noqa: BLE001
        return False
    return True


def measured_file(one: FileSettings, progress: ProgressLine, sharing: Sharing | None = None) -> FileReport:
    """Open a file and compare its meshes with Blender; cache the result if asked to. sharing: with other
    processes, if any.

    Raises:
        SkinscopeError: the file can't be read, or lacks what was asked for.
    """
    device = _device(one.device)
    # Computed before the file is opened: if it were saved meanwhile, the result would pass for the new
    # file's.
    entry = entry_path(one, blender_version())
    with progress:
        with packed_clips(one.clips_from, one.file, one.clips, progress) as packed:
            reads: list[Path] = []
            if entry is not None and one.clips_from:
                reads += [Path(one.clips_from).absolute(), *files_read(one.clips_from)]
            printed = open_quietly(one.file, progress, reported=reports_complaints(one.file))
            reads += files_read(one.file) if entry is not None else []
            if packed is not None:
                # The character may be in a collection that the scene instances.
                bring_in_instanced(bpy.context.scene)
            brought = bring(packed, retarget=one.retarget)
        # Settings that measuring names differently or takes in another form; the rest passes through
        # unchanged.
        translated = {
            "device": device,
            "clips": names_to_play(brought, one.clips),
            "frames_of": chosen_frames(one.frames),
            "as_rendered": one.visibility == "render",
            "thresholds": one.thresholds,
        }
        settings = CheckSettings(**one.named({each.name for each in fields(CheckSettings)}) | translated)
        report = check_scene(bpy.context.scene, one.file, settings, progress.frames, sharing)
    if told := told_of(brought, one.clips):
        fit = findings_of_brought_clips(told)
        report = replace(report, findings=worst_first((*report.findings, *fit)))
    if reports_complaints(one.file):
        complaints = findings_of_importer(printed)
        report = replace(report, findings=worst_first((*report.findings, *complaints)))
    if entry is not None:
        keep_result(entry, one, report, reads)
    draw_picture(bpy.context.scene, report, one, settings)
    return report


def reports_complaints(file: str) -> bool:
    """Whether the report includes Blender's complaints about opening the file: yes if an importer opens
    it.
    """
    return Path(file).suffix.lower() != ".blend"


@cache
def _device(device: str) -> str:
    return started_device(device)
