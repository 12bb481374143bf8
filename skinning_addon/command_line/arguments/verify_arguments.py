"""The arguments of `skinscope check-file`."""

from __future__ import annotations

import argparse

from .options import read_tolerance
from .shared_arguments import Parser, add_format, add_playback


def add_check_file(commands: argparse._SubParsersAction[Parser], exit_status: str) -> Parser:
    """Add the command."""
    command = commands.add_parser(
        "check-file",
        help="compare an exported file with the file that it was exported from",
        description="Read an exported file back, pose it at every frame, and compare every vertex with "
        "Blender's own deformation of the rig that it was exported from.",
        epilog=exit_status,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.add_argument("file", metavar="FILE", help="the exported file: .glb, .gltf, .vrm, .fbx, .usd*")
    command.add_argument(
        "--against", metavar="RIG", required=True, help="the .blend file that it was exported from"
    )
    add_measuring(command)
    return command


def add_measuring(command: Parser) -> None:
    """Add what is compared, the tolerance, and the report's options."""
    add_playback(command)
    command.add_argument(
        "--tolerance",
        metavar="X",
        type=read_tolerance,
        help="largest deviation that passes: a length (0.5mm, 2cm) or a share of size and movement (1e-5, "
        "0.1%%) (default: 1mm at a height of 1.8 m)",
    )
    add_format(command)
    command.add_argument(
        "--output", metavar="PATH", help="file to write the report to (default: standard output)"
    )
