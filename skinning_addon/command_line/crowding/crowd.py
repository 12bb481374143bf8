"""`skinscope crowd`: lets many of a character walk about, and writes what happens."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TextIO

import bpy

from ...animation.bone_textures import Storage
from ...animation.crowd.crowd import LONGEST, Crowd
from ...animation.crowd.recording_file import recording_arrays
from ...animation.crowd.settings import MOST_AGENTS
from ...animation.crowd.state import BYTES_PER_AGENT
from ...animation.pixel_format import BoneSpace, Layout, PixelFormat, Storing
from ...core.text.errors import CrowdError, UsageError
from ...core.text.message import counted
from ...core.text.printable import printable
from ...drawing.native_output import captured_native_output
from ...measurement.pictures.png_file import png_content
from ...scene.crowd.character import Character
from ...scene.crowd.crowd_motion import CrowdMotion, MotionRecorder
from ...scene.crowd.keyed_crowd import keyed_scene
from ...scene.crowd.landscape import SLOPE, Landscape, read_landscape
from ...scene.crowd.point_crowd import point_scene
from ...scene.crowd.population import populated
from ...scene.crowd.textured_character import Z_UP_TO_Y_UP, TexturedCharacter
from ...scene.crowd.written_scene import make_main_file, write_scene
from ...scene.objects.deformed_meshes import deformed_meshes
from ..arguments.nearest_names import no_such
from ..arguments.texture_arguments import LARGEST
from ..program.blender_session import open_quietly, started_device
from ..program.output_files import Outputs, filled_folder
from ..program.progress import ProgressLine
from ..texturing.written_texture import TextureOptions, plan_texture
from .crowd_files import events_text, lines_text, positions_text
from .crowd_strip import PICTURES, draw_crowd_strip
from .crowd_told import crowd_told
from .crowd_variants import variants_of_file
from .followed_feet import FollowedFeet
from .playing_crowd import play_crowd

TEXTURE_TOLERANCE = 1.0
"""In millimetres, were the character 1.8 m tall."""

FILE_OF = {
    "lines": "crowd.jsonl",
    "texture": "texture/bone-texture.json",
    "armatures": "crowd-armatures.blend",
    "points": "crowd-points.blend",
}

BYTES_PER_POSE = 64 * 50
"""Of an agent's palette, for a usual number of joints."""


def crowd(arguments: argparse.Namespace, output: TextIO) -> int:
    """Play the crowd, write the files, and say what matters.

    Raises:
        SkinscopeError: the file can't be read, its character can't make a crowd, there is no room for so many,
        no GPU, or something can't be written.
    """
    _check_count(arguments.count, arguments.seconds)
    with filled_folder(arguments.output) as folder:
        started_device("gpu")
        with ProgressLine() as progress:
            open_quietly(arguments.file, progress)
        file = Path(arguments.file).name
        landscape = _landscape(arguments)
        variants = variants_of_file(arguments, file)
        # All that can be written more is of one character.
        character = variants[0].character
        one = populated(
            variants,
            arguments.count,
            seed=arguments.seed,
            radius=arguments.radius or 0.0,
            side=arguments.area or 0.0,
            landscape=landscape,
        )
        with ProgressLine() as progress:
            progress.say(arguments.file)
            recorder = MotionRecorder(
                character, arguments.frames_per_second, with_poses="armatures" in arguments.write
            )
            feet = FollowedFeet(variants, arguments.follow)
            played = play_crowd(
                one,
                arguments.seconds,
                arguments.frames_per_second,
                PICTURES,
                progress.frames,
                note=recorder.note if arguments.write else lambda _: None,
                watch=feet.note,
            )
        title = f"{file}, {counted(arguments.count, 'agent', 'agents')}, seed {arguments.seed}"
        shown = landscape.objects if landscape is not None else ()
        pixels = draw_crowd_strip(bpy.context.scene, variants, one, played.moments, title, landscape=shown)
        with Outputs() as outputs:
            outputs.content(folder / "strip.png", png_content(pixels))
            outputs.text(folder / "positions.csv", positions_text(played))
            outputs.text(folder / "events.json", events_text(file, variants, one, played))
            outputs.arrays(folder / "crowd.npz", recording_arrays(one))
            if arguments.write:
                motion = recorder.motion()
                _write_more(outputs, folder, arguments.write, (file, character, one, motion))
    for line in (*crowd_told(variants, one, played), *feet.told()):
        print(printable(line), file=output)
    names = ["strip.png", "positions.csv", "events.json", "crowd.npz", *map(FILE_OF.get, arguments.write)]
    print(f"{', '.join(map(str, names))} written.", file=output)
    return 0


def _write_more(
    outputs: Outputs,
    folder: Path,
    wanted: tuple[str, ...],
    crowded: tuple[str, Character, Crowd, CrowdMotion],
) -> None:
    """Write the crowd as JSON lines, and as scenes of files of their own."""
    file, character, crowd, motion = crowded
    if "lines" in wanted:
        lines = "\n".join(lines_text(file, character, crowd, motion)) + "\n"
        outputs.text(folder / FILE_OF["lines"], lines)
    if "texture" in wanted:
        _write_texture(folder / "texture", character)
    scenes: list[Path] = []
    for what, make in (("armatures", keyed_scene), ("points", point_scene)):
        if what in wanted:
            scene = make(bpy.context.scene, character, motion)
            scenes.append(outputs.path(folder / FILE_OF[what]))
            write_scene(scene, scenes[-1])
            bpy.data.scenes.remove(scene)
    # From here on the open file is another. Blender says that it was a library, which is ours.
    with captured_native_output():
        for path in scenes:
            make_main_file(path)


def _write_texture(folder: Path, character: Character) -> None:
    """Write a bone texture of the clips as the crowd plays them: feet planted, without what travels."""
    unit, body = character.metres_per_unit, character.body
    root_to_file = body.root_to_world @ Z_UP_TO_Y_UP
    root_to_file[:, :3] *= unit
    clips = tuple({one.clip.name: one.clip for one in character.strides}.values())
    textured = TexturedCharacter(character.name, body.skeleton, clips, character.meshes, root_to_file)
    stored = Storage(PixelFormat.FLOAT32, LARGEST, BoneSpace.PARENT)
    options = TextureOptions(Layout.SKINSCOPE, stored, Storing.RAW, TEXTURE_TOLERANCE)
    planned = plan_texture(bpy.context.scene, textured, options)
    with filled_folder(str(folder)) as made:
        planned.write(made)


def _landscape(arguments: argparse.Namespace) -> Landscape | None:
    """Read what the crowd walks on, before the character is put at rest.

    Raises:
        UsageError, CrowdError: a name is unknown, or no part of the ground is walkable.
    """
    if arguments.ground is None:
        if arguments.obstacles:
            raise UsageError("--obstacles stand on a ground; name it with --ground.")
        return None
    scene = bpy.context.scene
    objects = {one.name: one for one in scene.objects}
    collections = {one.name: one for one in scene.collection.children_recursive}
    if arguments.ground not in objects:
        raise UsageError(no_such("object of the scene", arguments.ground, tuple(objects)))
    obstacles: list[bpy.types.Object] = []
    for name in arguments.obstacles:
        if name in collections:
            obstacles += collections[name].all_objects
        elif name in objects:
            obstacles.append(objects[name])
        else:
            known = (*objects, *collections)
            raise UsageError(no_such("object or collection of the scene", name, known))
    skinned = deformed_meshes(scene)
    slope = SLOPE if arguments.slope is None else arguments.slope
    return read_landscape(scene, objects[arguments.ground], obstacles, slope, skinned)


def _check_count(count: int, seconds: float) -> None:
    """Refuse what takes too much, before anything is allocated."""
    if not 1 <= count <= MOST_AGENTS:
        raise CrowdError(
            "A crowd of {count:,} agents would need about {megabytes:,.0f} MB; ask for 1 to {most:,} with "
            "--count.",
            count=count,
            megabytes=count * (BYTES_PER_AGENT + BYTES_PER_POSE) / 1e6,
            most=MOST_AGENTS,
        )
    if not seconds <= LONGEST:
        raise CrowdError(
            "A crowd can't play {seconds:g} seconds; give 0 to {most:,}.", seconds=seconds, most=LONGEST
        )
