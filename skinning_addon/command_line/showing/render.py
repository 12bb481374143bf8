"""`skinscope render`: one picture of a character, skinned by us, inside Blender's own render of its scene."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TextIO

import bpy

from ...core.profiles.aspects import influence_limit
from ...core.profiles.profile import BLENDER
from ...core.text.length import format_length
from ...core.text.printable import printable
from ...core.verdicts.tolerance import EXACT
from ...drawing.display_settings import USUAL_LIMIT
from ...drawing.displays import find_display
from ...drawing.techniques import AUTOMATIC_TECHNIQUE, TechniqueChoice
from ...measurement.check.scan import SceneScan
from ...measurement.check.scene_playing import playbacks
from ...measurement.findings.stack_findings import cut_after_armature
from ...measurement.frame.mesh_measurement import scene_unit
from ...measurement.pictures.annotations import Annotations, fitted_size
from ...measurement.pictures.camera import Margins, three_quarter_camera
from ...measurement.pictures.picture import (
    CharacterPicture,
    PosedMesh,
    framed_points,
    heat_scale_for,
    posed_meshes,
)
from ...measurement.pictures.png_file import png_content
from ...scene.binding.rigid_parts import rigid_parts
from ...scene.clips.playback import ScenePlayback
from ...scene.identification import identity
from ...scene.objects.deformed_meshes import deformed_meshes
from ...scene.objects.modifier_stack import armature_objects
from ...scene.staging.clip_staging import Scanned
from ..program.blender_session import open_quietly, started_device
from ..program.output_files import Outputs, prepared_file
from ..program.progress import ProgressLine
from ..program.streams import complain

SIZE = (1280, 960)
EDGE = 24
"""Pixels between the picture's edge and its text."""

LABEL_SIZE = 20.0
LEGEND_SCALE = 1.4
MARGINS = Margins(left=0.14, right=0.14, bottom=0.08, top=0.12)


def render(arguments: argparse.Namespace, output: TextIO) -> int:
    """Draw the picture, write it, and say so.

    Raises:
        SkinscopeError: the file can't be read, there is nothing to draw or no GPU to draw with, or the picture
            can't be written.
    """
    display = find_display(arguments.display)
    choice = TechniqueChoice(arguments.technique, arguments.joints)
    path = prepared_file(arguments.output, ".png")
    device = started_device("gpu")
    with ProgressLine() as progress:
        open_quietly(arguments.file, progress)
    scene = bpy.context.scene
    meshes = shown_meshes(scene)
    for finding in [finding for one in meshes for finding in cut_after_armature(one)]:
        complain(finding.message)
    playback = playbacks(scene, [arguments.clip] if arguments.clip else None)[0]
    frame = chosen_frame(scene, playback, arguments.frame)
    profile = arguments.profile or BLENDER
    limit = USUAL_LIMIT if profile.is_blender else influence_limit(profile)
    with SceneScan(scene, meshes, device, (profile,)) as scan:
        posed = posed_meshes(scan, playback, frame)
        for error in scan.refused.values():
            complain(str(error))
        unit = scene_unit(bpy.context.evaluated_depsgraph_get())
        deformed = {identity(one) for one in deformed_meshes(scene)}
        # A raised sword doesn't make a character taller.
        heat_scale = heat_scale_for([one for one in posed if one.name in deformed] or posed, unit)
        camera = three_quarter_camera(framed_points(posed), SIZE, MARGINS)
        picture = CharacterPicture(scene, SIZE, camera)
        try:
            pixels = picture.skinned(posed, display.name, heat_scale, technique=choice, limit=limit)
        finally:
            picture.free()
    with Annotations(*SIZE) as annotations:
        shown = f"{Path(arguments.file).name}, {title(playback, frame)}"
        lines = [shown, f"{display.label}, profile {profile.id}", *drawn_by(choice, picture), summary(posed)]
        size = fitted_size(max(lines, key=len), LABEL_SIZE, annotations.width - 4 * EDGE)
        annotations.label("\n".join(map(printable, lines)), EDGE, EDGE, size)
        corner = annotations.width - EDGE, annotations.height - EDGE
        annotations.legend(
            display, heat_scale, unit, corner, LEGEND_SCALE, draw_calls=picture.draw_calls, limit=limit
        )
        pixels = annotations.over(pixels)
    with Outputs() as outputs:
        outputs.content(path, png_content(pixels))
    print(printable(f"{arguments.output}: {summary(posed)}"), file=output)
    return 0


def shown_meshes(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """List the visible meshes to draw: those deformed by an armature and those it carries along."""
    deformed = deformed_meshes(scene)
    armatures = dict.fromkeys(armature for one in deformed for armature in armature_objects(one))
    parts = [part for armature in armatures for part in rigid_parts(scene, armature)]
    seen = [one for one in deformed if one.visible_get()] or deformed
    return seen + [one for one in parts if one.visible_get()]


def chosen_frame(scene: bpy.types.Scene, playback: Scanned, frame: float | None) -> float:
    """Return the requested frame, or one that shows something: the scene's current one, a clip's middle."""
    if frame is not None:
        return frame
    if isinstance(playback, ScenePlayback):
        return scene.frame_current_final
    return round((playback.frame_start + playback.frame_end) / 2)


def title(playback: Scanned, frame: float) -> str:
    """Say what is shown."""
    clip = "" if isinstance(playback, ScenePlayback) else f"{playback.name}, "
    return f"{clip}frame {frame:g}"


def drawn_by(choice: TechniqueChoice, picture: CharacterPicture) -> list[str]:
    """If a technique was requested, name it and say how many draw calls it takes."""
    if choice.name == AUTOMATIC_TECHNIQUE:
        return []
    calls = sum(not one.on_cpu for sizes in picture.draw_calls for one in sizes)
    triangles = sum(one.triangles for sizes in picture.draw_calls for one in sizes if one.on_cpu)
    on_cpu = f", {triangles:,} triangles on the CPU" * bool(triangles)
    return [f"{choice.technique.label}: {calls} draw call{'s' * (calls != 1)}{on_cpu}"]


def summary(posed: list[PosedMesh]) -> str:
    """Say how far the character lies from Blender's."""
    deviations = [one.measurement.deviation for one in posed]
    worst = max(deviations, key=lambda one: one.max)
    exact = all(EXACT.allows(one) for one in deviations)
    return f"{'exact: ' * exact}largest deviation {format_length(worst.metres(worst.max))}"
