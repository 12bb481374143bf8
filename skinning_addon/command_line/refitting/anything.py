"""`skinscope refit --bones N`: bones for meshes that move without an armature, in a file of their own."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import TextIO

import bpy

from ...core.profiles.aspects import influence_limit
from ...core.text.errors import BindingError
from ...core.text.length import format_length
from ...core.text.message import Message
from ...measurement.refit.anything import BonesOfAnything, InBlender, compare_in_blender, find_bones
from ...measurement.refit.points_of_anything import record_points
from ...measurement.refit.tangent_frames import told_turned, turned_sentence
from ...scene.clips.playback import ScenePlayback
from ...scene.identification import object_of
from ...scene.refit.bones_of_anything import make_bones
from ...scene.refit.rest_of_anything import first_frame, meshes_without_armature
from ..program.blender_session import open_quietly
from ..program.output_files import Outputs
from ..program.progress import ProgressLine
from .file_notes import notes_after
from .refit_report import printed
from .written_copies import REPORT, outputs_of, write_copies

MOST_INFLUENCES = 8
"""Of a vertex, for engines that take any number."""

VERSION = 1


def refit_anything(arguments: argparse.Namespace, output: TextIO) -> int:
    """Write meshes with bones and say how far off they are; return 0.

    Raises:
        SkinscopeError: the file can't be read, nothing moves, or the bones can't be found or written.
    """
    file, report = outputs_of(arguments)
    with ProgressLine() as progress:
        fits = _found(arguments, progress)
        # Recording plays the scene and changes it.
        open_quietly(arguments.file, progress)
        scene = bpy.context.scene
        frame = fits[0].recorded.frames[0]
        first_frame(scene, [object_of(one.rest.object) for one in fits], frame)
        copies = [(make_bones(one.plan, one.rest, bpy.context), one) for one in fits]
        measured = [compare_in_blender(scene, one, collection) for collection, one in copies]
        scene.frame_set(int(frame))
        with Outputs({} if report is None else {report: REPORT}) as outputs:
            progress.say(arguments.output)
            place = outputs.path(file)
            write_copies(
                [(collection, one.plan) for collection, one in copies],
                {},
                place,
                file.suffix.lower(),
                arguments.output,
            )
            notes = notes_after(place, [one.plan for one in fits], file.suffix.lower())
            if report is not None:
                outputs.text(report, _report(arguments, fits, measured, notes))
    output.write(printed([*_told(fits, measured), *notes], arguments.output))
    return 0


def _found(arguments: argparse.Namespace, progress: ProgressLine) -> list[BonesOfAnything]:
    open_quietly(arguments.file, progress)
    scene = bpy.context.scene
    said = f"{arguments.file}: {{}}, {{:.0%}}"
    recorded = record_points(
        scene,
        meshes_without_armature(scene),
        ScenePlayback(scene.frame_start, max(scene.frame_start, scene.frame_end)),
        lambda done: progress.say(said.format("playing", done)),
    )
    if not recorded:
        raise BindingError(
            "'{file}' has no mesh without an armature whose vertices move from frame {first} to {last}, so "
            "there is nothing to find bones for.",
            file=arguments.file,
            first=scene.frame_start,
            last=scene.frame_end,
        )
    influences = influence_limit(arguments.profile) or MOST_INFLUENCES
    return [
        find_bones(
            one,
            arguments.bones,
            influences,
            lambda done, name=one.rest.object: progress.say(said.format(name, done)),
        )
        for one in recorded
    ]


def _told(fits: list[BonesOfAnything], measured: list[InBlender]) -> list[str]:
    unit = bpy.context.scene.unit_settings.scale_length
    lines: list[str] = []
    for one, told in zip(fits, measured, strict=True):
        moves = Message(
            "'{mesh}' moves with {bones:,} bones within {largest}, 99.9% within {nearly_all}.",
            mesh=one.rest.object,
            bones=len(one.plan.bones) - 1,
            largest=format_length(unit * told.off.largest),
            nearly_all=format_length(unit * told.off.nearly_all),
        )
        turned = turned_sentence(told.turned)
        lines += [str(moves), *([f"{turned}."] if turned else [])]
    return lines


def _report(
    arguments: argparse.Namespace,
    fits: list[BonesOfAnything],
    measured: list[InBlender],
    notes: Sequence[str],
) -> str:
    """Return the report; distances in the scene's unit, angles in degrees. notes: about the file."""
    entries = [
        {
            "mesh": one.rest.object,
            "vertices": len(one.rest.positions),
            "own_mesh": one.rest.own,
            "bones": len(one.plan.bones) - 1,
            "frames": len(one.recorded.frames),
            "influences": int((one.plan.meshes[0].joints >= 0).sum(axis=1).max()),
            "after": asdict(told.off),
            **told_turned(told.turned),
        }
        for one, told in zip(fits, measured, strict=True)
    ]
    whole = {
        "version": VERSION,
        "file": arguments.file,
        "profile": arguments.profile.id,
        "output": arguments.output,
        "note": fits[0].plan.note,
        "file_notes": list(notes),
        "meshes": entries,
    }
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"
