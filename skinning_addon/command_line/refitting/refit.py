"""`skinscope refit`: game-ready copies of a file's characters, in a file of their own."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

import bpy

from ...core.text.errors import BindingError, OutputError, UsageError
from ...drawing.native_output import captured_native_output
from ...measurement.profiles.game_ready import GameReadyCopy, GameReadyWork, clips_of, meshes_to_copy
from ...measurement.refit.fitted_plan import fitted_plan
from ...measurement.refit.refit import Refit, RefitOptions
from ...measurement.refit.refit import refit as fit_character
from ...scene.clips.clips import find_clips
from ...scene.clips.playback import Playback
from ...scene.exports.exporters import exporter_for
from ...scene.identification import identity
from ...scene.objects.deformed_meshes import deformed_meshes, make_evaluable, meshes_of_armature
from ...scene.refit.copies_alone import EXPORT_OPTIONS, leave_only_copies
from ..program.blender_session import open_quietly
from ..program.output_files import Outputs, prepared_file
from ..program.progress import ProgressLine
from .refit_report import report_of, told

BLEND = ".blend"
WRITTEN = (BLEND, ".glb", ".fbx")


def refit(arguments: argparse.Namespace, output: TextIO) -> int:
    """Write the copies and say how far off they are; return 0.

    Raises:
        SkinscopeError: the file can't be read, has no character or no clip, or the copies can't be written.
    """
    written = Path(arguments.output)
    if written.suffix.lower() not in WRITTEN:
        raise UsageError(
            "'{path}' is not a file that copies are written to; choose a name ending in {extensions}.",
            path=arguments.output,
            extensions=", ".join(WRITTEN),
        )
    file = prepared_file(arguments.output)
    report = prepared_file(arguments.report, ".json") if arguments.report else None
    with ProgressLine() as progress:
        _open(arguments.file, progress)
        names = [identity(one) for one, _ in _characters(arguments.file, arguments.clips)]
        fits: dict[str, Refit] = {name: _fitted(arguments, name, progress) for name in names}
        # Fitting plays the scene and changes it.
        _open(arguments.file, progress)
        copies = [
            _copied(arguments, one, playbacks, fits[identity(one)], progress)
            for one, playbacks in _characters(arguments.file, arguments.clips)
        ]
        with Outputs() as outputs:
            progress.say(arguments.output)
            _write(copies, outputs.path(file), written.suffix.lower())
            if report is not None:
                text = report_of(copies, fits, arguments.profile, arguments.file, arguments.output)
                outputs.text(report, text)
    output.write(told(copies, arguments.profile, arguments.output))
    return 0


def _characters(
    file: str, names: Sequence[str] | None
) -> list[tuple[bpy.types.Object, Sequence[Playback] | None]]:
    """List the armatures that deform meshes, each with the clips that were asked for; None for all of them.

    Raises:
        BindingError: there is no such armature. UsageError: a clip is unknown.
    """
    scene = bpy.context.scene
    armatures = [one for one in scene.objects if one.type == "ARMATURE" and meshes_of_armature(scene, one)]
    if not armatures:
        raise BindingError(
            "'{file}' has no mesh that an armature deforms, so there is nothing to copy.", file=file
        )
    if names is None:
        return [(one, None) for one in armatures]
    clips = find_clips(scene, names, armatures)
    chosen: list[tuple[bpy.types.Object, Sequence[Playback] | None]] = []
    for one in armatures:
        own: list[Playback] = [clip for clip in clips if identity(one) in clip.armatures]
        if own:
            chosen.append((one, own))
    return chosen


def _open(file: str, progress: ProgressLine) -> None:
    open_quietly(file, progress)
    scene = bpy.context.scene
    for one in deformed_meshes(scene):
        make_evaluable(one, scene, bpy.context.view_layer)


def _fitted(arguments: argparse.Namespace, name: str, progress: ProgressLine) -> Refit:
    """Fit the meshes of an armature, in a file that is opened for it."""
    _open(arguments.file, progress)
    armature, playbacks = next(
        one for one in _characters(arguments.file, arguments.clips) if identity(one[0]) == name
    )
    scene = bpy.context.scene
    return fit_character(
        scene,
        armature,
        meshes_to_copy(scene, armature),
        clips_of(scene, armature) if playbacks is None else playbacks,
        profile=arguments.profile,
        options=RefitOptions(arguments.hold_out or "", arguments.helper_bones),
        progress=lambda done, _: progress.say(f"{arguments.file}: {armature.name}, fitting, {done:.0%}"),
    )


def _copied(
    arguments: argparse.Namespace,
    armature: bpy.types.Object,
    playbacks: Sequence[Playback] | None,
    fit: Refit,
    progress: ProgressLine,
) -> GameReadyCopy:
    work = GameReadyWork(bpy.context, armature, arguments.profile, playbacks, fitted_plan(fit))
    for one in work.steps():
        progress.say(f"{arguments.file}: {armature.name}, {one.done}%")
    if not work.result.plan.plan.clips:
        raise UsageError(
            "Nothing moves '{armature}', so there is no clip to copy; key its bones.",
            armature=armature.name,
        )
    return work.result


def _write(copies: Sequence[GameReadyCopy], file: Path, extension: str) -> None:
    """Save the open file, or export the copies alone.

    Raises:
        OutputError, ExportError: that fails.
    """
    if extension == BLEND:
        try:
            with captured_native_output():
                bpy.ops.wm.save_as_mainfile(filepath=str(file), copy=True, check_existing=False)
        except RuntimeError as error:
            raise OutputError(
                "'{path}' can't be saved: {reason}; choose another place.", path=file.name, reason=str(error)
            ) from error
        return
    leave_only_copies([(bpy.data.collections[one.collection], one.plan.plan) for one in copies])
    exporter = exporter_for(f"copy{extension}")
    assert exporter is not None  # noqa: S101 - for the type checker
    known = exporter.option_names()
    options = {name: value for name, value in EXPORT_OPTIONS[exporter.id].items() if name in known}
    with captured_native_output():
        exporter.export(file, options)
