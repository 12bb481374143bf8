"""The arguments of `skinscope refit`."""

from __future__ import annotations

import argparse

from ...core.text.errors import UsageError
from .options import read_bone_count, read_clips, read_helper_bones, read_kind, read_length, read_turn
from .profiles import read_profile
from .shared_arguments import Parser, add_file

OF_CHARACTERS = (
    "clips",
    "hold_out",
    "kind",
    "helper_bones",
    "clip_bones",
    "tolerance",
    "most_drift",
    "most_turn",
)
OF_BAKED_CLIPS = ("most_drift", "most_turn")


def add_refit(commands: argparse._SubParsersAction[Parser]) -> Parser:
    """Add the command."""
    command = commands.add_parser(
        "refit",
        help="write a copy of the characters that an engine can play, and how far off it is before and after",
        description="Build every character of the file again as an engine can play it: its deforming bones "
        "alone, without shear, with baked clips, and weights fitted to as many influences as the engine "
        "takes. FILE is not changed. docs/refit.md describes the copy.",
        allow_abbrev=False,
    )
    add_file(command)
    command.add_argument(
        "--profile",
        metavar="P",
        type=read_profile,
        required=True,
        help="the engine that the copy is for: an id such as threejs (docs/profiles.md lists them), or a file "
        "P.toml",
    )
    command.add_argument(
        "--clips",
        metavar="NAME,...|all",
        type=read_clips,
        help="NLA tracks or actions that the copy gets (default: all, or what the scene plays if there are "
        "none)",
    )
    command.add_argument(
        "--hold-out",
        metavar="CLIP",
        help="a clip that the fit may not see, so that the report says how well it does on such (default: a "
        "block of each)",
    )
    command.add_argument(
        "--kind",
        type=read_kind,
        metavar="runtime|baked",
        help="runtime: authored bones move exactly as they did; baked: they and helper bones move as suits "
        "each clip, which comes nearer, but such clips can't be blended or retargeted (default: runtime)",
    )
    command.add_argument(
        "--helper-bones",
        metavar="N",
        type=read_helper_bones,
        help="add up to N bones for vertices that follow more bones than the engine takes; each moves as a "
        "blend of up to four others, by constraints in Blender and by keys in every clip, or freely in "
        "baked clips (default: 0)",
    )
    command.add_argument(
        "--clip-bones",
        action="store_true",
        default=None,
        help="give each helper bone a child that is keyed in clips with what the blend leaves there, and rests "
        "on it where nothing keys it: clips come nearer and can still be blended",
    )
    command.add_argument(
        "--tolerance",
        metavar="LENGTH",
        type=read_length,
        help="add helper bones until 99.9%% of the vertices are within this, such as 1mm, in frames that the "
        "weights have not seen; says the best if it is out of reach",
    )
    command.add_argument(
        "--most-drift",
        metavar="LENGTH",
        type=read_length,
        help="of baked clips: how far a bone's head may be from where it was authored, such as 5mm (default: "
        "half a percent of the rig's size)",
    )
    command.add_argument(
        "--most-turn",
        metavar="DEGREES",
        type=read_turn,
        help="of baked clips: by how many degrees a bone may be turned from where it was authored (default: "
        "10)",
    )
    command.add_argument(
        "--bones",
        metavar="N",
        type=read_bone_count,
        help="instead of characters, take meshes without an armature whose vertices move (cloth, lattices, "
        "shape keys, geometry nodes), and find N bones for each",
    )
    command.add_argument(
        "--output",
        metavar="FILE",
        required=True,
        help="file to write: a .blend with the originals and their copies, or a .glb or .fbx of the copies "
        "alone",
    )
    command.add_argument("--report", metavar="JSON", help="file to write the figures to")
    return command


def refuse_meaningless(arguments: argparse.Namespace) -> None:
    """Refuse options that would change nothing beside the others; those that were not given are None.

    Raises:
        UsageError: there is one.
    """
    given = {
        one: f"--{one.replace('_', '-')}" for one in OF_CHARACTERS if getattr(arguments, one) is not None
    }
    if arguments.bones is not None and given:
        option = next(iter(given.values()))
        raise UsageError(
            f"{option} is for characters, and --bones takes meshes without an armature instead; leave one of "
            "the two out."
        )
    baked = [given[one] for one in OF_BAKED_CLIPS if one in given]
    if baked and arguments.kind != "baked":
        raise UsageError(
            f"{baked[0]} is for baked clips, since bones of others stay where they were authored; add "
            "--kind baked, or leave it out."
        )
    if arguments.clip_bones:
        _refuse_clip_bones(arguments)


def _refuse_clip_bones(arguments: argparse.Namespace) -> None:
    if arguments.kind == "baked":
        raise UsageError(
            "--clip-bones is for runtime copies, since helper bones of baked clips move freely by themselves; "
            "leave one of the two out."
        )
    if not arguments.helper_bones and arguments.tolerance is None:
        raise UsageError(
            "--clip-bones are children of helper bones, and there are none; add --helper-bones or --tolerance, "
            "or leave it out."
        )
