"""Game-ready copies, written: the open file with them, or a file of the copies alone."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

import bpy

from ...core.text.errors import OutputError
from ...core.text.identity import Identity
from ...drawing.native_output import captured_native_output
from ...scene.exports.exporters import exporter_for
from ...scene.refit.copied_keys import KeyValues
from ...scene.refit.copied_meshes import MAKES_VERTICES
from ...scene.refit.copies_alone import EXPORT_OPTIONS, leave_only_copies
from ...scene.refit.game_ready_copy import meshes_of_copy
from ...scene.refit.plan import CopyPlan
from ..program.output_files import prepared_file

BLEND = ".blend"
WRITTEN = (BLEND, ".glb", ".fbx")
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


def told_of_subdivision(copies: Sequence[tuple[bpy.types.Collection, CopyPlan]], extension: str) -> list[str]:
    """Say which meshes are written without their subdivision: the glTF exporter writes what it is made of."""
    if extension != ".glb":
        return []
    return [
        f"'{Identity.of(planned.object).name}' is written without its Subdivision; apply that first, or "
        "subdivide in the engine."
        for collection, plan in copies
        for mesh, planned in zip(meshes_of_copy(collection), plan.meshes, strict=True)
        if any(one.type in MAKES_VERTICES and one.show_viewport for one in mesh.modifiers)
    ]


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
    with captured_native_output():
        exporter.export(file, options)
