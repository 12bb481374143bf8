"""`skinscope bone-texture`: a character's clips as a texture of its bones."""

from __future__ import annotations

import argparse
from typing import TextIO

import bpy

from ...animation.bone_textures import Storage
from ...animation.pixel_format import BoneSpace, Layout, PixelFormat, Storing
from ...core.text.errors import UsageError
from ...core.text.printable import printable
from ...scene.crowd.textured_character import read_textured
from ..program.blender_session import open_quietly
from ..program.output_files import filled_folder
from ..program.progress import ProgressLine
from ..program.streams import complain
from .written_texture import TextureOptions, plan_texture


def bone_texture(arguments: argparse.Namespace, output: TextIO) -> int:
    """Say how far off the texture is, and write the files.

    Raises:
        SkinscopeError: the file can't be read, its character can't be written so, or a file can't be written.
    """
    options = TextureOptions(
        Layout(arguments.layout),
        Storage(PixelFormat(arguments.format), arguments.largest, BoneSpace(arguments.relative_to)),
        Storing(arguments.pixels),
        arguments.tolerance,
    )
    if options.problem():
        raise UsageError(options.problem())
    with filled_folder(arguments.output) as folder:
        with ProgressLine() as progress:
            open_quietly(arguments.file, progress)
            character = read_textured(bpy.context.scene, arguments.clips)
        planned = plan_texture(bpy.context.scene, character, options)
        # How far off it is going to be is said before it is written.
        for line in planned.lines:
            print(printable(line), file=output, flush=True)
        for note in (*character.notes, planned.too_far):
            if note is not None:
                complain(note)
        planned.write(folder)
    print(f"{', '.join(planned.files)} written.", file=output)
    return 0
