"""Game-ready copies, written: the open file with them, or a file of the copies alone."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import bpy

from ...core.text.errors import OutputError
from ...drawing.native_output import captured_native_output
from ...scene.exports.exporters import exporter_for
from ...scene.refit.copied_keys import KeyValues
from ...scene.refit.copies_alone import EXPORT_OPTIONS, leave_only_copies
from ...scene.refit.plan import CopyPlan
from ..program.output_files import prepared_file
from .file_notes import GLB, planned_frames, times_in

BLEND = ".blend"
WRITTEN = (BLEND, GLB, ".fbx")
REPORT = "--report"


def outputs_of(arguments: argparse.Namespace) -> tuple[Path, Path | None]:
    """Make sure that the file of copies and the report can be written; None if none was asked for.

    Raises:
        OutputError: see `prepared_file`.
    """
    inputs = [arguments.file]
    file = prepared_file(arguments.output, inputs=inputs)
    if not arguments.report:
        return file, None
    return file, prepared_file(arguments.report, ".json", option=REPORT, inputs=inputs)


def write_copies(
    copies: Sequence[tuple[bpy.types.Collection, CopyPlan]],
    keys: Mapping[str, Sequence[KeyValues]],
    file: Path,
    extension: str,
    called: str,
) -> None:
    """Save the open file, or export the copies alone. keys: see `leave_only_copies`. file: under its temporary
    name. called: what the user calls it.

    Raises:
        OutputError, ExportError: that fails.
    """
    if extension == BLEND:
        # Saving over the empty file that keeps the place would leave a backup.
        file.unlink(missing_ok=True)
        try:
            with captured_native_output():
                bpy.ops.wm.save_as_mainfile(filepath=str(file), copy=True, check_existing=False)
        except RuntimeError as error:
            raise OutputError(
                "'{path}' can't be saved ({reason}); free space on the disk, or choose another path with "
                "--output.",
                path=called,
                reason=str(error).removeprefix("Error: ").strip().rstrip("."),
            ) from error
        return
    leave_only_copies(copies, keys)
    exporter = exporter_for(f"copy{extension}")
    assert exporter is not None  # noqa: S101 - for the type checker
    known = exporter.option_names()
    options = {name: value for name, value in EXPORT_OPTIONS[exporter.id].items() if name in known}

    def export() -> None:
        with captured_native_output():
            exporter.export(file, options)

    if extension == GLB and bpy.context.scene.render.fps_base != 1.0:
        _export_at_own_rate(export, file, planned_frames([plan for _, plan in copies]))
    else:
        export()


def _export_at_own_rate(
    export: Callable[[], None], file: Path, planned: Mapping[str, tuple[float, float]]
) -> None:
    """Export a .glb with the scene's frames per second where these are no whole number.

    Blender's exporter multiplies by the divisor that it should divide by, as of 5.2: it takes the reciprocal,
    if the clips have the right length then.
    """
    render = bpy.context.scene.render
    divisor = render.fps_base
    rate = render.fps / divisor
    try:
        render.fps_base = 1 / divisor
        export()
        times = times_in(file)
    finally:
        render.fps_base = divisor
    for name, (first, last) in planned.items():
        frames = math.trunc(last) - math.trunc(first)
        start, end = times.get(name, (0.0, 0.0))
        if frames and end > start:
            if abs((end - start) * rate / frames - 1) > abs(divisor**2 - 1) / 2:
                export()
            return
