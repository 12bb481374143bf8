"""The program itself: arguments in, exit status out."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from typing import TextIO

from ..core.errors import SkinscopeError
from .parser import parse_arguments
from .streams import claim_standard_output, complain

WRONG_USE = 2
INTERRUPTED = 130
"""128 + SIGINT, as shells have it."""

Command = Callable[[argparse.Namespace, TextIO], int]


def main(argv: Sequence[str]) -> int:
    """Run the program and return its exit status. For real processes: standard output is the report's from then on.

    Raises:
        SystemExit: after help that was asked for.
    """
    try:
        arguments = parse_arguments(argv)
    except SkinscopeError as error:
        complain(str(error))
        return WRONG_USE
    output = claim_standard_output()
    try:
        return run_command(arguments, output)
    except BrokenPipeError:
        # Whoever read the report has seen enough. Python flushes again at its end, and must not fail then.
        os.dup2(os.open(os.devnull, os.O_WRONLY), output.fileno())
        return 0
    except KeyboardInterrupt:
        return INTERRUPTED


def run_command(arguments: argparse.Namespace, output: TextIO) -> int:
    """Run one command, its report going to `output`, and return the exit status."""
    try:
        status = _command(arguments.command)(arguments, output)
    except SkinscopeError as error:
        complain(str(error))
        status = WRONG_USE
    output.flush()
    return status


def run(argv: Sequence[str], output: TextIO) -> int:
    """Run the program inside a process that goes on afterwards and keeps its standard output; for tests."""
    try:
        return run_command(parse_arguments(argv), output)
    except SkinscopeError as error:
        complain(str(error))
        return WRONG_USE


def _command(name: str) -> Command:
    """Import the command called `name`, and Blender with it."""
    if name == "check":
        from .check import check

        return check
    if name == "export":
        from .export import export

        return export
    if name == "diff":
        from .diff import diff

        return diff
    if name == "render":
        from .render import render

        return render
    if name == "play":
        from .play import play

        return play
    from .demo import demo

    return demo
