"""The arguments of `skinscope learn`."""

from __future__ import annotations

import argparse

from .options import SECTIONS, SIMPLE_RIG, one_of, read_frame, read_joints, read_vertex
from .shared_arguments import Parser, add_profile


def add_learn(commands: argparse._SubParsersAction[Parser]) -> Parser:
    """Add the command."""
    learn = commands.add_parser(
        "learn",
        help="follow one vertex from to_parent to the pixel, and print every number",
        description="Follow one vertex from its bones' matrices to the pixel and print every number on the "
        "way; then show how the mesh is split into draw calls and how the controller mixes two "
        "clips. docs/tutorial.md explains the output.",
        allow_abbrev=False,
    )
    learn.add_argument(
        "--rig",
        metavar=f"{SIMPLE_RIG}|FILE",
        default=SIMPLE_RIG,
        help="the tutorial's arm of three bones, or a file (default: %(default)s)",
    )
    learn.add_argument(
        "--mesh", metavar="NAME", help="mesh object to look at (default: the first skinned one)"
    )
    learn.add_argument(
        "--vertex",
        metavar="N",
        type=read_vertex,
        help="vertex to follow (default: the tutorial's, or in a file the first one with the most influences)",
    )
    learn.add_argument("--clip", metavar="NAME", help="clip to play (default: as for render)")
    learn.add_argument("--frame", metavar="N", type=read_frame, help="frame to show (default: as for render)")
    add_profile(learn)
    learn.add_argument(
        "--section",
        metavar="NAME",
        type=one_of("section", SECTIONS),
        action="append",
        help=f"{', '.join(SECTIONS[:-1])} or {SECTIONS[-1]}; may be given several times (default: all of them)",
    )
    learn.add_argument(
        "--joints",
        metavar="N",
        type=read_joints,
        help="joints per draw call in the section combinations (default: the profile's, or 26)",
    )
    learn.add_argument("--output", metavar="BLEND", help="write the rig to a file, to open it in Blender")
    return learn
