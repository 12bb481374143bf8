"""The arguments of `skinscope bone-texture`."""

from __future__ import annotations

import argparse
import re

from ...animation.pixel_format import BoneSpace, Layout, PixelFormat, Storing
from ...core.text.errors import UsageError
from ...core.text.quoted import brief
from .options import NUMBER, WHOLE, read_clips
from .shared_arguments import Parser, add_file

TOLERANCE = 1.0
LARGEST = 8192
SMALLEST_LARGEST, LARGEST_LARGEST = 16, 32768


def add_bone_texture(commands: argparse._SubParsersAction[Parser]) -> Parser:
    """Add the command."""
    texture = commands.add_parser(
        "bone-texture",
        help="write a character's clips as a texture of its bones, for crowds in engines",
        description="Write a character's clips as a texture of its bones' movements, which an engine's "
        "vertex shader reads, with a manifest and the mesh. docs/bone-textures.md describes the files, and has "
        "readers.",
        allow_abbrev=False,
    )
    add_file(texture)
    texture.add_argument("--output", metavar="DIR", required=True, help="folder to write to")
    texture.add_argument(
        "--clips",
        metavar="NAME,...|all",
        type=read_clips,
        default=("all",),
        help="NLA tracks or actions to write, of one armature (default: all)",
    )
    texture.add_argument(
        "--format",
        choices=[one.value for one in PixelFormat],
        default=PixelFormat.FLOAT32.value,
        help="of the pixels' numbers: unorm16 holds quaternions and translations (default: %(default)s)",
    )
    texture.add_argument(
        "--layout",
        choices=[one.value for one in Layout],
        default=Layout.SKINSCOPE.value,
        help="whose reader the files are for: animtotexture is Unreal's plug-in of that name, in its bone mode "
        "(default: %(default)s)",
    )
    texture.add_argument(
        "--pixels",
        choices=[one.value for one in Storing],
        default=Storing.RAW.value,
        help="how they are stored: exr is an OpenEXR picture of float32 or half (default: %(default)s)",
    )
    texture.add_argument(
        "--relative-to",
        choices=[one.value for one in BoneSpace],
        default=BoneSpace.REST.value,
        help="what a bone's numbers are relative to: its rest, which a vertex needs, or its parent, from which "
        "two clips are blended as an animation controller blends them (default: %(default)s)",
    )
    texture.add_argument(
        "--tolerance",
        metavar="MM",
        type=read_millimetres,
        default=TOLERANCE,
        help="how far any vertex may be off between two samples, at a height of 1.8 m; decides how many there "
        "are (default: %(default)g)",
    )
    texture.add_argument(
        "--largest",
        metavar="PIXELS",
        type=read_largest,
        default=LARGEST,
        help="largest width and height of a texture (default: %(default)s)",
    )
    return texture


def read_millimetres(text: str) -> float:
    """Read a tolerance."""
    if not re.fullmatch(NUMBER, text) or not float(text) > 0:
        raise UsageError(f"'{brief(text)}' is not a tolerance; write millimetres above 0, such as 0.5.")
    return float(text)


def read_largest(text: str) -> int:
    """Read the largest size of a texture."""
    if not re.fullmatch(WHOLE, text) or not SMALLEST_LARGEST <= int(text) <= LARGEST_LARGEST:
        raise UsageError(
            f"'{brief(text)}' is not a size of a texture; write a whole number from {SMALLEST_LARGEST} to "
            f"{LARGEST_LARGEST}."
        )
    return int(text)
