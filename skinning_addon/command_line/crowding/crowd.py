"""`skinscope crowd`: lets many of a character walk about, and writes what happens."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TextIO

import bpy

from ...animation.crowd.crowd import LONGEST
from ...animation.crowd.recording_file import recording_arrays
from ...animation.crowd.settings import MOST_AGENTS
from ...animation.crowd.state import BYTES_PER_AGENT
from ...core.text.errors import CrowdError, DeviceError, UsageError
from ...core.text.message import counted
from ...core.text.printable import printable
from ...measurement.pictures.png_file import png_content
from ...scene.crowd.landscape import SLOPE, Landscape, read_landscape
from ...scene.crowd.population import populated
from ...scene.objects.deformed_meshes import deformed_meshes
from ..arguments.nearest_names import no_such
from ..program.blender_session import open_quietly, started_device
from ..program.output_files import Outputs, filled_folder
from ..program.progress import ProgressLine
from .crowd_files import events_text, positions_text
from .crowd_out import CrowdOut
from .crowd_strip import PICTURES, draw_crowd_strip
from .crowd_told import crowd_told
from .crowd_variants import variants_of_file
from .followed_feet import FollowedFeet
from .playing_crowd import play_crowd

BYTES_PER_POSE = 64 * 50
"""Of an agent's palette, for a usual number of joints."""


def crowd(arguments: argparse.Namespace, output: TextIO) -> int:
    """Play the crowd, write the files, and say what matters.

    Raises:
        SkinscopeError: the file can't be read, its character can't make a crowd, there is no room for so many,
        or something can't be written.
    """
    _check_count(arguments.count, arguments.seconds)
    with filled_folder(arguments.output) as folder:
        without_pictures = _why_no_pictures()
        with ProgressLine() as progress:
            open_quietly(arguments.file, progress)
        file = Path(arguments.file).name
        landscape = _landscape(arguments)
        variants = variants_of_file(arguments, file)
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
            more = CrowdOut(variants, arguments.frames_per_second, arguments.write)
            feet = FollowedFeet(variants, arguments.follow)
            played = play_crowd(
                one,
                arguments.seconds,
                arguments.frames_per_second,
                PICTURES,
                progress.frames,
                note=more.note,
                watch=feet.note,
            )
        strip = b""
        if not without_pictures:
            title = f"{file}, {counted(arguments.count, 'agent', 'agents')}, seed {arguments.seed}"
            shown = landscape.objects if landscape is not None else ()
            scene = bpy.context.scene
            strip = png_content(
                draw_crowd_strip(scene, variants, one, played.moments, title, landscape=shown)
            )
        with Outputs() as outputs:
            if strip:
                outputs.content(folder / "strip.png", strip)
            outputs.text(folder / "positions.csv", positions_text(played))
            outputs.text(folder / "events.json", events_text(file, variants, one, played))
            outputs.arrays(folder / "crowd.npz", recording_arrays(one))
            written = more.write(outputs, folder, file, one)
    for line in (*crowd_told(variants, one, played), *feet.told()):
        print(printable(line), file=output)
    names = [*(["strip.png"] if strip else []), "positions.csv", "events.json", "crowd.npz", *written]
    print(f"{', '.join(names)} written.", file=output)
    if without_pictures:
        print(without_pictures, file=output)
    return 0


def _why_no_pictures() -> str:
    """Start the GPU; return why no pictures can be drawn, "" if they can."""
    try:
        started_device("gpu")
    except DeviceError:
        if bpy.app.version < (5, 2):
            return "No strip.png: before Blender 5.2 the GPU can't be used without a window."
        return "No strip.png: Blender can't find a graphics driver."
    return ""


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
    if count < 1:
        raise CrowdError(
            "A crowd has at least one agent; ask for 1 to {most:,} with --count.", most=MOST_AGENTS
        )
    if count > MOST_AGENTS:
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
