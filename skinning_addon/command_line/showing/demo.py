"""`skinscope demo`: builds a rigged human, skins it, compares, and writes a picture and a report."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import TextIO

import bpy

from ...core.text.printable import printable
from ...drawing.device import describe_gpu
from ...drawing.native_output import captured_native_output
from ...measurement.check.check import check_scene
from ...measurement.check.check_settings import CheckSettings
from ...measurement.check.report import FileReport
from ...measurement.check.scan import SceneScan
from ...measurement.frame.mesh_measurement import scene_unit
from ...measurement.pictures.picture import heat_scale_for, posed_meshes
from ...measurement.pictures.png_file import png_content
from ...scene.characters.demo_character import build_demo_character
from ...scene.clips.playback import ScenePlayback
from ...scene.files import open_empty_file
from ...scene.object_data import armature_of
from ...scene.objects.deformed_meshes import deformed_meshes
from ..program.blender_session import started_device
from ..program.output_files import Outputs, cannot_write, prepared_folder, write_file
from ..program.progress import ProgressLine
from ..program.versions import blender_version, skinscope_version
from ..reports.exit_status import exit_status
from ..reports.report_json import write_json
from ..reports.report_text import write_text
from .comparison import comparison_picture

SHOWN_FRAME = 22
"""The step with a wave: spine, elbows, knees and fingers all bend, and nothing hides the face in the
difference panel.
"""

CHARACTER, PICTURE, REPORT = "character.blend", "comparison.png", "report.json"


def demo(arguments: argparse.Namespace, output: TextIO) -> int:
    """Run the demo; return the exit status of its check.

    Raises:
        SkinscopeError: the folder can't be written to, or this Blender comes without Rigify.
        DeviceError: there is no GPU to draw the picture with; everything else has been done.
    """
    folder = prepared_folder(arguments.output)
    with ProgressLine() as progress:
        progress.say("building a human with Rigify")
        device = started_device("auto")
        scene = _build(folder / CHARACTER)
        progress.say("comparing with Blender")
        report = check_scene(
            scene, str(Path(arguments.output) / CHARACTER), CheckSettings(device), progress.frames
        )
        write_file(folder / REPORT, write_json([report], skinscope_version(), blender_version()))
        if device == "gpu":
            progress.say("drawing")
            _draw(scene, report, folder / PICTURE)
    output.write(_summary(report, scene, arguments.output, device))
    if device != "gpu":
        output.flush()
        # Asked for by name, it says why there is none.
        started_device("gpu")
    return exit_status([report])


def sentence(report: FileReport) -> str:
    """Say what the picture shows, so that it can stand on its own."""
    worst = max((mesh.worst for mesh in report.meshes), key=lambda one: one.max)
    distance = millimetres(worst.max)
    if all(mesh.worst.exact for mesh in report.meshes):
        return (
            f"Exact: over {worst.frames} frames, no vertex deviates from Blender's by more than {distance}."
        )
    return f"Over {worst.frames} frames, the largest deviation from Blender is {distance}."


def millimetres(metres: float) -> str:
    """Write a length in millimetres with one significant digit, rounded up: it stands after "no more than"."""
    length = 1e3 * metres
    if not length > 0:
        return "0 mm"
    unit = 10.0 ** math.floor(math.log10(length))
    rounded = math.ceil(length / unit - 1e-9) * unit
    decimals = max(0, -math.floor(math.log10(rounded) + 1e-9))
    return f"{rounded:.{decimals}f} mm"


def detail(report: FileReport) -> str:
    """Say what was measured, and on what."""
    vertices = sum(mesh.vertices for mesh in report.meshes)
    joints = sum(mesh.joints for mesh in report.meshes)
    exact = all(mesh.worst.exact for mesh in report.meshes)
    return (
        f"{vertices:,} vertices, {joints} joints, read back from the GPU ({describe_gpu()}) and compared "
        f"at every frame; "
        f"frame {SHOWN_FRAME} is shown.{' The only difference left is rounding to 32-bit numbers.' * exact}"
    )


def _build(path: Path) -> bpy.types.Scene:
    # Rigify prints every one of its steps.
    with captured_native_output():
        open_empty_file()
        build_demo_character()
        with Outputs() as outputs:
            temporary = outputs.path(path)
            # Saving over an empty file would leave a backup, character.blend1.
            temporary.unlink()
            try:
                # A copy: the open file must not take on a temporary name.
                bpy.ops.wm.save_as_mainfile(filepath=str(temporary), compress=True, copy=True)
            except RuntimeError as error:
                raise cannot_write(path, str(error).strip()) from error
    return bpy.context.scene


def _draw(scene: bpy.types.Scene, report: FileReport, path: Path) -> None:
    unit = scene_unit(bpy.context.evaluated_depsgraph_get())
    with SceneScan(scene, deformed_meshes(scene), "gpu") as scan:
        posed = posed_meshes(scan, ScenePlayback(SHOWN_FRAME, SHOWN_FRAME), SHOWN_FRAME)
        pixels = comparison_picture(
            scene, posed, heat_scale_for(posed, unit), unit, sentence=sentence(report), detail=detail(report)
        )
    with Outputs() as outputs:
        outputs.content(path, png_content(pixels))


def _summary(report: FileReport, scene: bpy.types.Scene, folder: str, device: str) -> str:
    bones = sum(len(armature_of(one).bones) for one in scene.objects if one.type == "ARMATURE")
    files = [
        *([(PICTURE, "Blender, Skinscope, and the difference between the two")] if device == "gpu" else []),
        (REPORT, "the numbers, for scripts"),
        (CHARACTER, "the human, to open in Blender, or for `skinscope check`"),
    ]
    widest = max(len(name) for name, _ in files)
    title = f"Skinscope {skinscope_version()} on Blender {blender_version()}"
    lines = [
        f"{title}: a human on a rig of {bones} bones, skinned and compared with Blender.",
        "",
        write_text([report], with_errors=True).rstrip(),
        "",
        f"written to {printable(folder)}:",
        *(f"  {name:<{widest}}  {what}" for name, what in files),
    ]
    return "\n".join(lines) + "\n"
