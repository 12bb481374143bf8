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
from .written_texture import TextureOptions, write_texture


def bone_texture(arguments: argparse.Namespace, output: TextIO) -> int:
    """Write the files, and say how far off the texture is.

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
        written = write_texture(bpy.context.scene, character, folder, options)
    for line in written.lines:
        print(printable(line), file=output)
    if written.too_far is not None:
        complain(written.too_far)
    return 0
