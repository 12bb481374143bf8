"""`check --fix DIR`: copies of the files, with what can be mended without changing anything in Blender."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import bpy

from ...core.text.errors import OutputError, UsageError
from ...measurement.check.harmless_fixes import make_fixes
from ...measurement.check.report import FileReport
from ...scene.files import save_copy
from ..arguments.file_settings import FileSettings
from ..arguments.same_file import is_same_file
from ..program.blender_session import open_quietly
from ..program.progress import ProgressLine
from ..program.streams import complain


def with_fixes(report: FileReport, one: FileSettings, progress: ProgressLine) -> FileReport:
    """Write a copy of a checked file with what was mended, opening it again; return the report that says so.

    If the copy can't be written, that is mentioned, and the report is as it was.
    """
    copy = one.fixed_copy
    if copy is None or report.error is not None:
        return report
    try:
        return replace(report, fixed=tuple(_fixed(one, copy, progress)))
    except (OutputError, UsageError) as error:
        complain(f"'{one.file}' is not fixed: {error}")
        return report


def _fixed(one: FileSettings, copy: Path, progress: ProgressLine) -> list[str]:
    if is_same_file(copy, one.file):
        raise UsageError(f"'{copy}' is the file itself; choose another folder with --fix.")
    said: list[str] = []
    refused: frozenset[tuple[str, str]] = frozenset()
    with progress:
        while True:
            # The check has played clips and shown what was hidden, and a fix that moves something stays undone.
            open_quietly(one.file, progress, reported=True)
            made = make_fixes(bpy.context.scene, one.thresholds.invisible, refused)
            if not made.undone:
                break
            said += [f"{each}." for each in made.told]
            refused = made.refused
    if not made.told:
        return said
    save_copy(copy)
    return [f"'{copy}' was written.", *(f"{each}." for each in made.told), *said]
