"""`skinscope learn`: one vertex on its way from to_parent to the pixel, with every number; docs/tutorial.md
goes through them.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import bpy

from ...core.profiles.catalogue import load_profile
from ...core.profiles.packing import MOST_FIXED_INFLUENCES
from ...core.profiles.profile import BLENDER, Profile
from ...core.text.errors import BindingError, UsageError
from ...core.text.printable import printable, printable_lines
from ...drawing.native_output import captured_native_output
from ...measurement.check.scene_playing import playbacks
from ...measurement.lesson import Framing, Lesson, read_lesson
from ...scene.characters.learning_rig import TRACED_VERTEX, build_learning_rig
from ...scene.files import open_empty_file
from ...scene.identification import identity
from ...scene.objects.deformed_meshes import deformed_meshes
from ..arguments.nearest_names import no_such
from ..arguments.options import SECTIONS, SIMPLE_RIG
from ..program.blender_session import open_quietly
from ..program.output_files import Outputs, cannot_write, prepared_file
from ..program.progress import ProgressLine
from ..showing.render import MARGINS, SIZE, chosen_frame, shown_meshes
from .lesson_combinations import combinations_section
from .lesson_controller import controller_section
from .lesson_text import TRACED, weights_section

SAMPLE = "d3d9-26"
"""The profile whose slots and palette are shown unless one with fixed slots is named: the one the texts
use.
"""


def learn(arguments: argparse.Namespace, output: TextIO) -> int:
    """Print the sections that were asked for.

    Raises:
        SkinscopeError: the file can't be read, there is nothing to skin, or the vertex, mesh or clip doesn't
        exist.
    """
    saved = prepared_file(arguments.output, inputs=[arguments.rig]) if arguments.output else None
    scene, vertex = _opened(arguments)
    profile = arguments.profile or BLENDER
    mesh_object = _mesh(scene, arguments.mesh)
    playback = playbacks(scene, [arguments.clip] if arguments.clip else None)[0]
    if saved is not None:
        _save(saved)
    sections = arguments.section or SECTIONS
    frame = chosen_frame(scene, playback, arguments.frame)
    others = [one for one in shown_meshes(scene) if one != mesh_object]
    lesson = read_lesson(
        scene,
        [mesh_object, *others],
        playback,
        frame,
        profile=profile,
        vertex=vertex,
        framing=Framing(SIZE, MARGINS),
    )
    packing = profile if _has_slots(profile) else load_profile(SAMPLE)
    parts: list[str] = []
    for name in sections:
        text = "\n".join(_section(name, lesson, packing, arguments.joints, mesh_object))
        parts.append(f"== {name} ==\n{text}" if len(sections) > 1 else text)
    output.write(printable_lines("\n".join(parts)))
    if saved is not None:
        output.write(f"\n{printable(f'saved: {arguments.output}')}\n")
    return 0


def _section(
    name: str, lesson: Lesson, packing: Profile, joints: int | None, mesh_object: bpy.types.Object
) -> Iterator[str]:
    if name == "weights":
        return weights_section(lesson, packing)
    if name == "combinations":
        return combinations_section(lesson, packing, joints)
    if name == "controller":
        return controller_section(lesson, mesh_object)
    return TRACED[name](lesson)


def _opened(arguments: argparse.Namespace) -> tuple[bpy.types.Scene, int | None]:
    """Open the rig, or build it; return its scene and the vertex to follow."""
    if arguments.rig != SIMPLE_RIG:
        with ProgressLine() as progress:
            open_quietly(arguments.rig, progress)
        return bpy.context.scene, arguments.vertex
    with captured_native_output():
        open_empty_file()
        build_learning_rig(bpy.context.scene)
    return bpy.context.scene, TRACED_VERTEX if arguments.vertex is None else arguments.vertex


def _mesh(scene: bpy.types.Scene, name: str | None) -> bpy.types.Object:
    """Choose the mesh: the named one, or else the first.

    Raises:
        UsageError: none has that name. BindingError: there is none at all.
    """
    meshes = {str(identity(one)): one for one in deformed_meshes(scene)}
    if not meshes:
        raise BindingError("The active scene has no mesh with an armature; open a file that has one.")
    if name is None:
        return next(iter(meshes.values()))
    if name not in meshes:
        raise UsageError(no_such("mesh", name, tuple(meshes)))
    return meshes[name]


def _has_slots(profile: Profile) -> bool:
    influences = profile.importer.influences
    return influences is not None and influences <= MOST_FIXED_INFLUENCES


def _save(path: Path) -> None:
    with captured_native_output(), Outputs() as outputs:
        temporary = outputs.path(path)
        # Saving over an empty file would leave a backup, NAME.blend1.
        temporary.unlink()
        try:
            bpy.ops.wm.save_as_mainfile(filepath=str(temporary), compress=True, copy=True)
        except RuntimeError as error:
            raise cannot_write(path, str(error).strip()) from error
