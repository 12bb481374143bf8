"""Arguments shared by several commands, and the parser they are added to."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NoReturn

from ...core.text.errors import UsageError
from .options import (
    DEVICES,
    FORMATS,
    FORMATS_OF_MANY,
    one_of,
    read_clips,
    read_frame_range,
    read_report,
    read_url,
)
from .profiles import read_profile


class Parser(argparse.ArgumentParser):
    """An ArgumentParser that raises a `UsageError` instead of printing its usage and exiting."""

    def error(self, message: str) -> NoReturn:
        """Raise the error as one sentence."""
        raise UsageError(f"{message[:1].upper()}{message[1:]}; see '{self.prog} --help'.")

    def options(self) -> list[str]:
        """List its options' names."""
        return [option for action in self._actions for option in action.option_strings if len(option) > 2]

    def described(self) -> dict[str, tuple[str, str]]:
        """Return its options with their help texts, by their names in the parsed result."""
        return {
            action.dest: (action.option_strings[-1], (action.help or "") % vars(action))
            for action in self._actions
            if action.option_strings
        }


def add_format(parser: Parser, formats: tuple[str, ...] = FORMATS) -> None:
    """Add --format."""
    parser.add_argument(
        "--format",
        metavar="|".join(formats),
        type=one_of("format", formats),
        default=formats[0],
        help="(default: %(default)s)",
    )


def add_reports(parser: Parser) -> None:
    """Add --format, --output, --report, --summary and what they say besides: the reports about many
    files.
    """
    add_format(parser, FORMATS_OF_MANY)
    parser.add_argument(
        "--output", metavar="PATH", help="file to write the report to (default: standard output)"
    )
    parser.add_argument(
        "--report",
        metavar="FORMAT=PATH",
        type=read_report,
        action="append",
        help="one more report, in any of the formats; may be given several times",
    )
    parser.add_argument("--summary", metavar="HTML", help="HTML page to write about all files, worst first")
    parser.add_argument(
        "--before", metavar="REPORT", help="former report, in JSON or JSON lines, that the page compares with"
    )
    parser.add_argument(
        "--commit",
        metavar="NAME",
        help="what the page says was checked (default: the commit that GitHub, GitLab or Jenkins tells of)",
    )
    parser.add_argument(
        "--rule-pages",
        metavar="URL",
        type=read_url,
        help="where the pages about rules are, for links in SARIF (default: those that came with Skinscope)",
    )


def add_file(parser: Parser) -> None:
    """Add FILE."""
    parser.add_argument("file", metavar="FILE", help=".blend, .glb, .gltf, .vrm, .fbx, .usd*")


def add_profile(parser: Parser, *, several: bool = False) -> None:
    """Add --profile. several: whether it may be given more than once."""
    parser.add_argument(
        "--profile",
        dest="profiles" if several else "profile",
        metavar="P",
        type=read_profile,
        action="append" if several else "store",
        help="skin as this exporter and engine do: an id such as threejs (docs/profiles.md lists them), or a "
        "file P.toml"
        + ("; may be given several times" * several)
        + " (default: blender, exactly as Blender does it)",
    )


def add_playback(parser: Parser) -> None:
    """Add --clips and --frames."""
    parser.add_argument(
        "--clips",
        metavar="NAME,...|all",
        type=read_clips,
        help="NLA tracks or actions to play, or range-of-motion, which moves each control separately "
        "(default: what the scene plays, or all of them if that moves nothing)",
    )
    parser.add_argument(
        "--frames",
        metavar="A:B[:STEP]",
        type=read_frame_range,
        help="frames of each clip, both ends included (default: at most 50, spread over the clip)",
    )


def add_clips_from(parser: Parser) -> None:
    """Add --clips-from and --retarget."""
    parser.add_argument(
        "--clips-from",
        metavar="FILE",
        help="play the clips of this other file, matched by bone name: all of them without --clips. "
        "If both files have a clip with the same name, the one in this other file is played",
    )
    parser.add_argument(
        "--retarget",
        action="store_true",
        help=(
            "if rest poses differ, rotate each bone as in that file (default: apply the keys to each "
            "bone's own rest pose)"
        ),
    )


def require_clips_from(arguments: argparse.Namespace, configured: Path | None = None) -> None:
    """Reject --retarget if there is nothing to retarget. configured: the file that a configuration names.

    Raises:
        UsageError: no other file is named.
    """
    if arguments.retarget and not (arguments.clips_from or configured):
        raise UsageError("--retarget needs clips of another file; choose the file with --clips-from.")


def add_verbose(parser: Parser) -> None:
    """Add --verbose."""
    parser.add_argument(
        "--verbose",
        action="store_true",
        help="print everything that Blender and its importers print (default: only their complaints)",
    )


def add_device(parser: Parser) -> None:
    """Add --device."""
    parser.add_argument(
        "--device",
        metavar="gpu|cpu|auto",
        type=one_of("device", DEVICES),
        default="auto",
        help="device to skin on (default: %(default)s, the GPU if there is one)",
    )
