"""The arguments of `skinscope play`."""

from __future__ import annotations

import argparse

from .options import ROOT_MOTIONS, one_of, read_clips, read_rate, read_seconds, read_speed, read_tolerance
from .profiles import read_export_setting
from .shared_arguments import Parser, add_clips_from, add_device, add_file, add_profile

TRANSITION = 0.3
SPEED = 1.0


def add_play(commands: argparse._SubParsersAction[Parser]) -> Parser:
    """Add the command."""
    play = commands.add_parser(
        "play",
        help="play clips with cross-fades, as a game's animation controller does",
        description="Bake clips and play each once, fading to the next before it ends; write every frame, "
        "the markers passed, and a picture strip. With --profile, clips are those of the exported file, posed "
        "and skinned as its engine does. docs/animation.md describes the files.",
        allow_abbrev=False,
    )
    add_file(play)
    play.add_argument(
        "--clips",
        metavar="NAME,...|all",
        type=read_clips,
        help="NLA tracks or actions to play, in this order (default: all)",
    )
    add_clips_from(play)
    play.add_argument(
        "--script",
        metavar="TOML",
        help="script for the animation controller: clips on tracks, and keys at their times; replaces "
        "--clips, --transition, --ease, --match-phase and --speed. docs/animation.md describes it",
    )
    play.add_argument(
        "--keys",
        action="store_true",
        help="play keys instead of baking what Blender plays: the artist's own, interpolated linearly, or with "
        "--profile those of the exported file",
    )
    add_profile(play)
    play.add_argument(
        "--export-option",
        metavar="NAME=VALUE",
        type=read_export_setting,
        action="append",
        default=[],
        help="how you export, if not with Blender's defaults, such as export_frame_step=2; may be given "
        "several times. Needs --profile",
    )
    play.add_argument(
        "--transition",
        metavar="SECONDS",
        type=read_seconds,
        help=f"how long a fade takes (default: {TRANSITION:g})",
    )
    play.add_argument("--ease", action="store_true", help="ease in and out of fades")
    play.add_argument(
        "--match-phase",
        action="store_true",
        help="keep both clips at the same phase of their cycles while they fade",
    )
    play.add_argument(
        "--speed",
        metavar="X",
        type=read_speed,
        help=f"factor for each clip's own speed (default: {SPEED:g})",
    )
    play.add_argument(
        "--reduce",
        metavar="X",
        type=read_tolerance,
        help="remove keys while no vertex moves by more than a length (0.5mm, 2cm) or a share of the "
        "character's size (1e-3, 0.1%%) (default: keep all keys)",
    )
    play.add_argument(
        "--root-motion",
        metavar="|".join(ROOT_MOTIONS),
        type=one_of("root motion", ROOT_MOTIONS),
        default=ROOT_MOTIONS[0],
        help="keep: clips move as they are; extract: clips stay in place, and --events has the "
        "movement; extract-turning: also the rotation about the vertical axis (default: "
        "%(default)s)",
    )
    play.add_argument(
        "--root-bone",
        metavar="BONE",
        default="",
        help=(
            "bone whose movement is the root motion (default: the lowest bone that carries everything "
            "deformed)"
        ),
    )
    play.add_argument(
        "--rate", metavar="FPS", type=read_rate, help="frames per second to write (default: the scene's)"
    )
    play.add_argument("--output", metavar="NPZ", help="numpy file to write every frame to")
    play.add_argument("--events", metavar="JSON", help="file to write the passed markers to")
    play.add_argument("--render", metavar="PNG", help="picture strip to write")
    add_device(play)
    return play
