"""The program's argument parser: `--help`, and the arguments each command receives."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence

from ...core.text.errors import UsageError
from .check_arguments import add_check, add_report, add_watch
from .crowd_arguments import add_crowd
from .learn_arguments import add_learn
from .nearest_names import no_such
from .options import (
    BONES,
    DISPLAYS,
    FRAMES,
    TECHNIQUES,
    one_of,
    read_frame,
    read_joints,
    read_tolerance,
)
from .play_arguments import add_play
from .refit_arguments import add_refit
from .shared_arguments import (
    Parser,
    add_clips_from,
    add_device,
    add_file,
    add_format,
    add_playback,
    add_profile,
    add_verbose,
)
from .texture_arguments import add_bone_texture
from .verify_arguments import add_check_export, add_check_file

PROGRAM = "skinscope"

WITHOUT_BLENDER = ("diff", "report")
"""Commands that open no file in Blender."""

CONFORMANCE = "conformance"
"""A command that `./run skinscope` has and the program doesn't: it needs the tests."""

EXIT_STATUS = """\
exit status:
  0  everything is within tolerance, and no finding is an error
  1  something is out of tolerance, or a finding is an error
  2  wrong usage, or a file that can't be read or checked, or a report that can't be written;
     the other files are still checked
  3  a bug in Skinscope; standard error names the file with the traceback
130, 143  interrupted by Ctrl-C or SIGTERM; the report has what was finished by then
"""


def parse_arguments(argv: Sequence[str]) -> argparse.Namespace:
    """Read the arguments; `command` in the result names the command.

    Raises:
        UsageError: they are wrong; the message suggests the nearest names. Requested help exits with 0.
    """
    parser, commands = build_parser()
    if argv[:1] == [CONFORMANCE]:
        raise UsageError(
            "The conformance skins are in Skinscope's checkout and not in the extension; run "
            f"'./run skinscope {CONFORMANCE}' there."
        )
    if argv and not argv[0].startswith("-") and argv[0] not in commands:
        raise UsageError(no_such("command", argv[0], tuple(commands)))
    arguments, rest = parser.parse_known_args(_join_negative_frames(argv))
    if rest:
        # argparse takes what follows an unknown option for an argument, so the first one is the culprit.
        unknown = next((one for one in rest if one.startswith("-")), rest[0]).split("=")[0]
        if unknown.startswith("-"):
            options = commands[arguments.command].options()
            raise UsageError(no_such(f"option of {arguments.command}", unknown, options))
        raise UsageError(f"'{unknown}' is one argument too many; see '{PROGRAM} {arguments.command} --help'.")
    return arguments


def _join_negative_frames(argv: Sequence[str]) -> list[str]:
    """Join `--frames -5:5` to one argument: argparse would take the range for an option."""
    joined: list[str] = []
    for argument in argv:
        if (
            joined
            and joined[-1] in ("--frames", "--frame")
            and re.match(r"-[\d.]", argument)
            and FRAMES.fullmatch(argument)
        ):
            joined[-1] += f"={argument}"
        else:
            joined.append(argument)
    return joined


def build_parser() -> tuple[Parser, dict[str, Parser]]:
    """Return the main parser, and each command's own parser by the command's name."""
    parser = Parser(
        prog=PROGRAM,
        description=(
            "Skin characters as a game engine does on the GPU, and measure how much that deviates "
            "from Blender."
        ),
        epilog=f"'{PROGRAM} COMMAND --help' lists the options of a command.",
        allow_abbrev=False,
    )
    parser.set_defaults(verbose=False)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    parsers = {
        "demo": _add_demo(commands),
        "check": add_check(commands, EXIT_STATUS),
        "watch": add_watch(commands, EXIT_STATUS),
        "report": add_report(commands, EXIT_STATUS),
        "check-export": add_check_export(commands, EXIT_STATUS),
        "check-file": add_check_file(commands, EXIT_STATUS),
        "export": _add_export(commands),
        "refit": add_refit(commands),
        "diff": _add_diff(commands),
        "render": _add_render(commands),
        "play": add_play(commands),
        "crowd": add_crowd(commands),
        "bone-texture": add_bone_texture(commands),
        "learn": add_learn(commands),
    }
    for name, command in parsers.items():
        if name not in WITHOUT_BLENDER:
            add_verbose(command)
    return parser, parsers


def _add_demo(commands: argparse._SubParsersAction[Parser]) -> Parser:
    demo = commands.add_parser(
        "demo",
        help="build a rigged human, skin it, compare it with Blender, write pictures and a report",
        description=(
            "Build a rigged human in Blender, skin it on the GPU, and compare the two. You don't need a file."
        ),
        allow_abbrev=False,
    )
    demo.add_argument(
        "--output", metavar="DIR", default="skinscope-demo", help="folder to write to (default: %(default)s)"
    )
    return demo


def _add_export(commands: argparse._SubParsersAction[Parser]) -> Parser:
    export = commands.add_parser(
        "export",
        help="write skins, matrices and expected positions for scripts and engine developers",
        description="Write every bone, the objects that bones carry, weights, matrices, and the expected "
        "positions and normals at every frame, as numpy files. "
        "docs/export-format.md describes them.",
        allow_abbrev=False,
    )
    add_file(export)
    export.add_argument("--output", metavar="DIR", required=True, help="folder to write to")
    add_profile(export)
    add_playback(export)
    add_clips_from(export)
    export.add_argument(
        "--bones",
        metavar="all|influencing",
        type=one_of("bones", BONES),
        default=BONES[0],
        help=(
            "influencing: only bones that have weights, without the hierarchy and rigid parts "
            "(default: %(default)s)"
        ),
    )
    add_device(export)
    return export


def _add_diff(commands: argparse._SubParsersAction[Parser]) -> Parser:
    diff = commands.add_parser(
        "diff",
        help="compare an engine's own positions with an export",
        description="Compare positions that an engine computed with those of a bundle. Axes, unit and the "
        "order of vertices are detected. docs/export-format.md describes the file.",
        epilog=EXIT_STATUS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    diff.add_argument("bundle", metavar="BUNDLE", help="folder that 'skinscope export' wrote")
    diff.add_argument("positions", metavar="POSITIONS", help="the engine's positions: .npz or .json")
    diff.add_argument("--mesh", metavar="NAME", help="mesh object of the bundle (default: the only one)")
    diff.add_argument(
        "--tolerance",
        metavar="X",
        type=read_tolerance,
        help="largest deviation that passes: a length (0.5mm, 2cm) or a share of size and movement (1e-5, "
        "0.1%%) (default: 1e-5)",
    )
    add_format(diff)
    diff.add_argument(
        "--output", metavar="PATH", help="file to write the report to (default: standard output)"
    )
    return diff


def _add_render(commands: argparse._SubParsersAction[Parser]) -> Parser:
    render = commands.add_parser(
        "render",
        help="draw a picture of a character skinned by Skinscope",
        description=(
            "Draw a character as Skinscope skins it on the GPU, within Blender's own drawing of the scene."
        ),
        allow_abbrev=False,
    )
    add_file(render)
    render.add_argument("--output", metavar="PNG", required=True, help="picture to write")
    render.add_argument(
        "--clip",
        metavar="NAME",
        help="clip to play (default: what the scene plays, or the first clip)",
    )
    render.add_argument(
        "--frame",
        metavar="N",
        type=read_frame,
        help="frame to draw (default: the scene's current frame, or the middle of a clip)",
    )
    add_profile(render)
    render.add_argument(
        "--display",
        metavar="MODE",
        type=one_of("display", DISPLAYS),
        default=DISPLAYS[0],
        help=f"{', '.join(DISPLAYS[:-1])} or {DISPLAYS[-1]} (default: %(default)s)",
    )
    render.add_argument(
        "--technique",
        metavar="T",
        type=one_of("technique", TECHNIQUES),
        default=TECHNIQUES[0],
        help=f"how the GPU skins: {', '.join(TECHNIQUES[:-1])} or {TECHNIQUES[-1]} (default: %(default)s)",
    )
    render.add_argument(
        "--joints",
        metavar="N",
        type=read_joints,
        default=60,
        help="joints per draw call, for --technique partitioned (default: %(default)s)",
    )
    return render
