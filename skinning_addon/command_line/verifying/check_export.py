"""`skinscope check-export`: exports with the user's own settings, and verifies the file."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

import bpy

from ...core.text.errors import NothingToCompareError, OutputError, UsageError
from ...core.text.quoted import brief
from ...core.verdicts.finding import worst_first
from ...drawing.native_output import captured_native_output
from ...measurement.exported.comparison import listed
from ...measurement.exported.file_check import FileVerdict
from ...measurement.exported.file_check import check_file as checked_file
from ...measurement.exported.opened_file import opener_of
from ...measurement.exported.stages import EXPORTING, READING_BACK, progress_line
from ...measurement.findings.stack_findings import cut_after_armature
from ...scene.exports.export_settings import ExportSettings, settings_of_user
from ...scene.exports.exporters import BlenderExporter, cannot_keep, exporter_for, exporter_of
from ...scene.exports.vertex_numbers import number_vertices
from ...scene.identification import identity
from ...scene.objects.deformed_meshes import deformed_meshes
from ..program.blender_session import open_quietly
from ..program.output_files import prepared_file
from ..program.progress import ProgressLine
from .check_file import reported, settings_of, suppressions_carried, with_causes
from .verdict_report import Verification

GLTF = "gltf"


def check_export(arguments: argparse.Namespace, output: TextIO) -> int:
    """Export, compare, write the report, and return 0 if everything is within tolerance, else 1.

    Raises:
        SkinscopeError: see `verified_export`, or the report can't be written.
    """
    return reported(verified_export, arguments, output)


def verified_export(
    arguments: argparse.Namespace,
    progress: ProgressLine,
    last: Mapping[str, Any] | None = None,
    own: Mapping[str, Any] | None = None,
) -> Verification:
    """Export and compare. last: settings of the session's last export. own: the sidebar's, of any exporter.

    Raises:
        SkinscopeError: the file can't be read, can't be exported, or its export can't be read back.
    """
    kept = _kept_file(arguments.keep, arguments.file) if arguments.keep else None
    exporter = chosen_exporter(arguments.exporter, arguments.keep)
    given = given_options(arguments.export_option)
    with tempfile.TemporaryDirectory(prefix="skinscope-export-") as folder:
        open_quietly(arguments.file, progress)
        settings = settings_of_user(bpy.context.scene, exporter, arguments.preset, given, last=last, own=own)
        file = kept or Path(folder) / f"{Path(arguments.file).stem}{extension_of(exporter, settings)}"
        progress.say(progress_line(arguments.file, EXPORTING))
        _export(exporter, settings, file)
        # Exporters leave poses and frames changed.
        open_quietly(arguments.file, progress)
        progress.say(progress_line(arguments.file, READING_BACK))
        # Reading the file may close the scene.
        carried = suppressions_carried(bpy.context.scene)
        meshes = listed([identity(one) for one in deformed_meshes(bpy.context.scene)])
        try:
            verdict = _verdict(arguments, exporter, settings, file, progress)
        except NothingToCompareError as error:
            raise exporter.left_out(meshes) from error
        report = replace(verdict.report, file=arguments.file, suppressions=carried)
        report = with_causes(report, exporter.id, settings.options, arguments.file, progress)
    verdict = replace(verdict, report=report)
    return Verification(
        verdict, arguments.file, exporter.id, settings.options, settings.sources, str(kept) if kept else None
    )


def _kept_file(path: str, source: str) -> Path:
    try:
        return prepared_file(path, option="--keep", inputs=[source])
    except OutputError as error:
        if error.__cause__ is None:
            # It is the source.
            raise
        raise cannot_keep(path, getattr(error.__cause__, "strerror", None)) from error


def chosen_exporter(name: str | None, keep: str | None) -> BlenderExporter:
    """Return the named exporter; by default the one for the file to keep, or else glTF's.

    Raises:
        UsageError: the exporter does not write files like the one to keep.
    """
    by_file = exporter_for(keep) if keep else None
    chosen = exporter_of(name) if name else by_file or exporter_of(GLTF)
    if keep and by_file is not chosen:
        raise UsageError(
            "'{path}' is not a file that the {exporter} exporter writes; choose a name ending in {extensions}.",
            path=keep,
            exporter=chosen.label,
            extensions=", ".join(chosen.extensions),
        )
    return chosen


def given_options(texts: list[str]) -> Mapping[str, str]:
    """Read --export-option NAME=VALUE.

    Raises:
        UsageError: one has no value.
    """
    given: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise UsageError(
                "'{text}' is not an option of an exporter; write NAME=VALUE, such as export_def_bones=true.",
                text=brief(text),
            )
        given[name] = value
    return given


def extension_of(exporter: BlenderExporter, settings: ExportSettings) -> str:
    """Return the extension of the exported file."""
    if exporter.id == GLTF and str(settings.options.get("export_format", "GLB")) != "GLB":
        return ".gltf"
    return exporter.extensions[0]


def _export(exporter: BlenderExporter, settings: ExportSettings, file: Path) -> None:
    meshes = deformed_meshes(bpy.context.scene)
    if exporter.numbers:
        number_vertices(meshes, after_modifiers=applies_modifiers(exporter, settings))
    options = dict(settings.options)
    if exporter.id == GLTF:
        options["export_format"] = (
            "GLB" if file.suffix.lower() == ".glb" else options.get("export_format", "GLTF_SEPARATE")
        )
    with captured_native_output():
        exporter.export(file, options)


def applies_modifiers(exporter: BlenderExporter, settings: ExportSettings) -> bool:
    """Whether meshes are exported as they are after their modifiers."""
    name = exporter.applies_modifiers
    return not name or bool(settings.options.get(name, exporter.default(name)))


def _verdict(
    arguments: argparse.Namespace,
    exporter: BlenderExporter,
    settings: ExportSettings,
    file: Path,
    progress: ProgressLine,
) -> FileVerdict:
    scene = bpy.context.scene
    cut = []
    if not applies_modifiers(exporter, settings):
        cut = [finding for one in deformed_meshes(scene) for finding in cut_after_armature(one)]
    verdict = checked_file(
        scene, str(file), opener_of(str(file)), settings_of(arguments), progress=progress.frames
    )
    report = replace(verdict.report, findings=worst_first((*verdict.report.findings, *cut)))
    return replace(verdict, report=report)
