"""`skinscope refit`: game-ready copies of a file's characters, in a file of their own."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

import bpy

from ...core.text.errors import BindingError, UsageError
from ...measurement.profiles.game_ready import GameReadyCopy, GameReadyWork, clips_of, meshes_to_copy
from ...measurement.refit.fitted_plan import fitted_plan
from ...measurement.refit.refit import Refit
from ...measurement.refit.refit import refit as fit_character
from ...measurement.refit.refit_options import RefitOptions
from ...scene.clips.actions import GAME_READY
from ...scene.clips.clips import find_clips
from ...scene.clips.playback import Playback
from ...scene.identification import identity
from ...scene.matrices import inverse_of_object, row_vectors
from ...scene.objects.deformed_meshes import deformed_meshes, make_evaluable, meshes_of_armature
from ..arguments.refit_arguments import refuse_meaningless
from ..program.blender_session import open_quietly
from ..program.output_files import Outputs
from ..program.progress import ProgressLine
from .anything import refit_anything
from .file_notes import notes_after, notes_before
from .refit_report import metres_of, printed, report_of, told
from .written_copies import REPORT, WRITTEN, outputs_of, write_copies


def refit(arguments: argparse.Namespace, output: TextIO) -> int:
    """Write the copies and say how far off they are; return 0.

    Raises:
        SkinscopeError: the file can't be read, has no character or no clip, or the copies can't be written.
    """
    refuse_meaningless(arguments)
    written = Path(arguments.output)
    if written.suffix.lower() not in WRITTEN:
        raise UsageError(
            "'{path}' is not a file that copies are written to; choose a name ending in {extensions}.",
            path=arguments.output,
            extensions=", ".join(WRITTEN),
        )
    if arguments.bones is not None:
        return refit_anything(arguments, output)
    file, report = outputs_of(arguments)
    with ProgressLine() as progress:
        _open(arguments.file, progress)
        names = [identity(one) for one, _ in _characters(arguments.file, arguments.clips)]
        fits: dict[str, Refit] = {name: _fitted(arguments, name, progress) for name in names}
        # Fitting plays the scene and changes it.
        _open(arguments.file, progress, to_save=True)
        there_already = [one.name for one in _deforming() if GAME_READY in one]
        copies = [
            _copied(arguments, one, playbacks, fits[identity(one)], progress)
            for one, playbacks in _characters(arguments.file, arguments.clips)
        ]
        # Writing a file of the copies alone removes the originals.
        made = [(bpy.data.collections[one.collection], one.plan.plan) for one in copies]
        extension = written.suffix.lower()
        notes = notes_before(made, extension)
        lines = told(copies, fits, arguments.profile, there_already)
        with Outputs({} if report is None else {report: REPORT}) as outputs:
            progress.say(arguments.output)
            place = outputs.path(file)
            write_copies(
                made,
                {mesh: keys for one in copies for mesh, keys in one.keys.items()},
                place,
                extension,
                arguments.output,
            )
            notes += notes_after(place, [plan for _, plan in made], extension)
            if report is not None:
                text = report_of(
                    copies,
                    fits,
                    arguments.profile,
                    arguments.file,
                    arguments.output,
                    left_out=there_already,
                    notes=notes,
                )
                outputs.text(report, text)
    output.write(printed([*lines, *notes], arguments.output))
    return 0


def _characters(
    file: str, names: Sequence[str] | None
) -> list[tuple[bpy.types.Object, Sequence[Playback] | None]]:
    """List the armatures that deform meshes, each with the clips that were asked for; None for all of them.
    Game-ready copies are left out.

    Raises:
        BindingError: there is no such armature. UsageError: a clip is unknown.
    """
    scene = bpy.context.scene
    deforming = _deforming()
    armatures = [one for one in deforming if GAME_READY not in one]
    if not deforming:
        raise BindingError(
            "'{file}' has no mesh that an armature deforms, so there is nothing to copy.", file=file
        )
    if not armatures:
        raise BindingError(
            "The characters of '{file}' are game-ready copies already; choose the file with their originals.",
            file=file,
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


def _deforming() -> list[bpy.types.Object]:
    scene = bpy.context.scene
    return [one for one in scene.objects if one.type == "ARMATURE" and meshes_of_armature(scene, one)]


def _open(file: str, progress: ProgressLine, *, to_save: bool = False) -> None:
    open_quietly(file, progress)
    scene = bpy.context.scene
    for one in deformed_meshes(scene):
        make_evaluable(one, scene, bpy.context.view_layer, at_all_frames=not to_save)


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
        options=_options(arguments, armature),
        progress=lambda done, _: progress.say(f"{arguments.file}: {armature.name}, fitting, {done:.0%}"),
    )


def _options(arguments: argparse.Namespace, armature: bpy.types.Object) -> RefitOptions:
    """Return what was asked for.

    Raises:
        BindingError: the armature is scaled to zero, so it has no unit to compare lengths with.
    """
    inverse_of_object(row_vectors(armature.matrix_world), identity(armature))
    metres = metres_of(armature)
    usual = RefitOptions()
    return RefitOptions(
        arguments.hold_out or usual.hold_out,
        arguments.helper_bones or usual.helper_bones,
        arguments.kind or usual.kind,
        usual.tolerance if arguments.tolerance is None else arguments.tolerance / metres,
        usual.drift if arguments.most_drift is None else arguments.most_drift / metres,
        usual.turn if arguments.most_turn is None else arguments.most_turn,
        bool(arguments.clip_bones),
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
