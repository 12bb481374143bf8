"""The arguments of `skinscope check-file` and `check-export`."""

from __future__ import annotations

import argparse

from .options import EXPORTERS, one_of, read_tolerance
from .shared_arguments import Parser, add_file, add_format, add_playback


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


def add_check_export(commands: argparse._SubParsersAction[Parser], exit_status: str) -> Parser:
    """Add the command."""
    command = commands.add_parser(
        "check-export",
        help="export with your own settings, and verify what the exported file holds",
        description="Export with the settings that are kept in the file, read the exported file back, pose it "
        "at every frame, and compare every vertex with Blender's own deformation. FILE is not changed.",
        epilog=exit_status,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add_file(command)
    command.add_argument(
        "--exporter",
        metavar="|".join(EXPORTERS),
        type=one_of("exporter", EXPORTERS),
        help="(default: that of the file to keep, or gltf)",
    )
    command.add_argument(
        "--preset", metavar="NAME", help="a preset of the exporter's settings that Blender has saved"
    )
    command.add_argument(
        "--export-option",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="set an option of the exporter, such as export_def_bones=true; may be given several times. "
        "Options are taken, each over the next, from here, the preset, the first collection exporter of that "
        "kind, what the glTF exporter remembered in the scene, and the defaults",
    )
    command.add_argument(
        "--keep", metavar="FILE", help="keep the exported file, vertex numbers included, under this name"
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
