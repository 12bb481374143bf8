"""The arguments of `skinscope crowd`."""

from __future__ import annotations

import argparse
import math
import re

from ...core.text.errors import UsageError
from ...core.text.quoted import brief
from .options import NUMBER, WHOLE, read_rate, read_seconds, read_turn
from .shared_arguments import Parser, add_file

WRITTEN = ("lines", "texture", "armatures", "points")

MOST_FOLLOWED = 1000

COUNT, SECONDS, RATE = 100, 20.0, 30.0


def add_crowd(commands: argparse._SubParsersAction[Parser]) -> Parser:
    """Add the command."""
    crowd = commands.add_parser(
        "crowd",
        help="let many of a character walk about, and avoid each other",
        description="Let a character's clips walk a crowd about: agents idle, choose targets, walk or run "
        "there and avoid each other. Writes a picture strip, positions, events, and a recording. "
        "docs/animation.md describes the files.",
        allow_abbrev=False,
    )
    add_file(crowd)
    crowd.add_argument(
        "--count", metavar="N", type=read_count, default=COUNT, help="agents (default: %(default)s)"
    )
    crowd.add_argument(
        "--seconds",
        metavar="T",
        type=read_seconds,
        default=SECONDS,
        help="time to play (default: %(default)g)",
    )
    crowd.add_argument("--output", metavar="DIR", required=True, help="folder to write to")
    crowd.add_argument(
        "--seed",
        metavar="N",
        type=read_seed,
        default=1,
        help="whole number that decides where everybody goes; the same one gives the same crowd (default: "
        "%(default)s)",
    )
    crowd.add_argument(
        "--area",
        metavar="METRES",
        type=read_metres,
        help="side of the square that agents stay in (default: what suits their number)",
    )
    crowd.add_argument(
        "--radius",
        metavar="METRES",
        type=read_metres,
        help="room around an agent that no other's overlaps (default: the character's own)",
    )
    crowd.add_argument(
        "--character",
        metavar="NAME,...",
        action="extend",
        type=read_names,
        help="armatures whose characters walk about, as many of each (default: the one with most clips)",
    )
    crowd.add_argument(
        "--variants",
        metavar="FILE",
        help="TOML file of characters and variants: shares, scales, tints, and meshes to leave out",
    )
    crowd.add_argument(
        "--ground", metavar="OBJECT", help="mesh object of the file to walk on (default: a plane at height 0)"
    )
    crowd.add_argument(
        "--slope",
        metavar="DEGREES",
        type=read_turn,
        help="steepest slope of the ground that is walked on (default: 35)",
    )
    crowd.add_argument(
        "--obstacles",
        metavar="NAME,...",
        type=read_names,
        default=(),
        help="mesh objects, or collections of them, that stand in the way on the ground",
    )
    for role, what in (("idle", "standing"), ("walk", "walking"), ("run", "running")):
        crowd.add_argument(
            f"--{role}", metavar="CLIP", help=f"clip for {what} (default: found by its name or motion)"
        )
    crowd.add_argument(
        "--follow",
        metavar="N",
        type=read_followed,
        default=0,
        help="agents of each character whose feet are followed, to tell how far planted ones slide (default: "
        "none; each takes about a millisecond a step)",
    )
    crowd.add_argument(
        "--frames-per-second",
        metavar="FPS",
        type=read_rate,
        default=RATE,
        help="how often positions are written (default: %(default)g)",
    )
    crowd.add_argument(
        "--write",
        metavar="WHAT,...",
        type=read_written,
        default=(),
        help="more files: lines (crowd.jsonl, every agent at every frame, for engines), texture (a folder with "
        "a bone texture of the clips as the crowd plays them, which poses those agents), armatures "
        "(crowd-armatures.blend, an armature with keys for each) and points (crowd-points.blend, points with "
        "attributes and Geometry Nodes that put posed meshes on them)",
    )
    return crowd


def read_written(text: str) -> tuple[str, ...]:
    """Read what else to write."""
    names = read_names(text)
    unknown = [one for one in names if one not in WRITTEN]
    if unknown:
        raise UsageError(f"'{brief(unknown[0])}' can't be written; choose {', '.join(WRITTEN)}.")
    return names


def read_count(text: str) -> int:
    """Read how many agents there are to be; whether there can be as many is for the command to say."""
    if not re.fullmatch(WHOLE, text.replace(",", "")):
        raise UsageError(f"'{brief(text)}' is not a number of agents; write a whole number, such as 100.")
    return int(text.replace(",", ""))


def read_followed(text: str) -> int:
    """Read how many agents to follow."""
    if not re.fullmatch(WHOLE, text) or int(text) > MOST_FOLLOWED:
        raise UsageError(
            f"'{brief(text)}' is not a number of agents to follow; write a whole number from 0 to "
            f"{MOST_FOLLOWED}."
        )
    return int(text)


def read_names(text: str) -> tuple[str, ...]:
    """Read names, separated by commas."""
    names = tuple(name.strip() for name in text.split(","))
    if not all(names):
        raise UsageError(f"'{brief(text)}' names nothing; write names, separated by commas.")
    return names


def read_seed(text: str) -> int:
    """Read a seed."""
    if not re.fullmatch(WHOLE, text):
        raise UsageError(f"'{brief(text)}' is not a seed; write a whole number, such as 7.")
    return int(text)


def read_metres(text: str) -> float:
    """Read a length above 0."""
    if not re.fullmatch(NUMBER, text.strip()) or not 0 < float(text) < math.inf:
        raise UsageError(f"'{brief(text)}' is not a length; write metres above 0, such as 20.")
    return float(text)
