"""The program's entry point: arguments in, exit status out."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from typing import TextIO

from ..core.text.errors import SkinscopeError
from .arguments.parser import parse_arguments
from .checking.worker import COMMAND as WORKER
from .program.ending import leave_nothing_when_terminated
from .program.streams import (
    claim_standard_output,
    complain,
    lead_nowhere,
    native_output_escaped,
    tell_everything,
    writing_a_report,
)
from .program.unexpected import INTERNAL_ERROR, internal_error, lack_of_room

WRONG_USE = 2
INTERRUPTED = 130
"""128 + SIGINT, by the shells' convention."""

ON_CLUSTER = "check --cluster"

Command = Callable[[argparse.Namespace, TextIO], int]


def main(argv: Sequence[str]) -> int:
    """Run the program and return its exit status. For real processes: from then on standard output belongs to
    the report.

    Raises:
        SystemExit: after requested help.
    """
    if argv and argv[0] == WORKER:
        from .checking.worker import work

        return work(argv[1])
    try:
        arguments = parse_arguments(argv)
    except SkinscopeError as error:
        complain(str(error))
        return WRONG_USE
    output = claim_standard_output()
    leave_nothing_when_terminated()
    try:
        with native_output_escaped():
            return run_command(arguments, output)
    except BrokenPipeError:
        # The report's reader has closed the pipe.
        return 0
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        # Python flushes again on exit, and must not fail then.
        lead_nowhere(output.fileno())


def run_command(
    arguments: argparse.Namespace, output: TextIO, find: Callable[[str], Command] | None = None
) -> int:
    """Run one command, writing its report to `output`, and return the exit status. find: returns a command by
    its name.
    """
    tell_everything(verbose=arguments.verbose)
    try:
        command = (find or _command)(_way(arguments))
        with writing_a_report(output):
            return command(arguments, output)
    except SkinscopeError as error:
        complain(str(error))
        return WRONG_USE
    except BrokenPipeError:
        raise
    except Exception as error:  # noqa: BLE001
        if sentence := lack_of_room(error):
            complain(sentence)
            return WRONG_USE
        # Never 1, Python's own status for an exception, which here means that a rig is wrong.
        complain(internal_error(error, f"running '{arguments.command}'"))
        return INTERNAL_ERROR


def run(argv: Sequence[str], output: TextIO) -> int:
    """Run the program in a process that has Blender, continues afterwards and keeps its standard output; for
    tests.
    """
    try:
        return run_command(parse_arguments(argv), output, _command_here)
    except SkinscopeError as error:
        complain(str(error))
        return WRONG_USE


def _command_here(name: str) -> Command:
    if name == "check":
        from .checking.check import check_here

        return check_here
    return _command(name)


def _way(arguments: argparse.Namespace) -> str:
    """Return the name of what carries out a command."""
    return ON_CLUSTER if getattr(arguments, "cluster", None) else arguments.command


def _command(name: str) -> Command:
    """Import the command called `name`, and Blender with it."""
    if name == "check":
        from .checking.worker_process import WorkerProcess

        # Blender takes a second to load in its own process, so start that before this one loads anything.
        first = WorkerProcess()
        from .checking.check import check

        return partial(check, first=first)
    if name == "watch":
        from .checking.watch import watch

        return watch
    if name == ON_CLUSTER:
        from .clustering.check_on_cluster import check_on_cluster

        return check_on_cluster
    if name == "report":
        from .reporting.report import report

        return report
    if name == "export":
        from .exporting.export import export

        return export
    if name == "check-export":
        from .verifying.check_export import check_export

        return check_export
    if name == "check-file":
        from .verifying.check_file import check_file

        return check_file
    if name == "refit":
        from .refitting.refit import refit

        return refit
    if name == "diff":
        from .diffing.diff import diff

        return diff
    if name == "render":
        from .showing.render import render

        return render
    if name == "play":
        from .playing.play import play

        return play
    if name == "crowd":
        from .crowding.crowd import crowd

        return crowd
    if name == "bone-texture":
        from .texturing.bone_texture import bone_texture

        return bone_texture
    if name == "learn":
        from .learning.learn import learn

        return learn
    from .showing.demo import demo

    return demo
