"""Who prints where: reports own standard output, Blender and its importers go to standard error.

Blender prints on the level of C, where Python's streams don't reach, so the file descriptors themselves are moved.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Iterator
from typing import TextIO

from ...core.text.errors import OutputError
from ...core.text.printable import printable, printable_lines
from ...core.text.printed_lines import without_chatter
from ...drawing.native_output import NativeOutput, captured_native_output

STANDARD_INPUT, STANDARD_OUTPUT, STANDARD_ERROR = 0, 1, 2

_report: list[int] = []
"""The descriptor of the report's own standard output, once it has been claimed."""

_errors: list[TextIO] = []
"""Standard error for our own lines, while what others print there is held back."""

_verbose = [False]


def tell_everything(*, verbose: bool) -> None:
    """Say whether all that Blender prints is passed on from here on, or what matters of it."""
    _verbose[0] = verbose


def is_verbose() -> bool:
    """Tell whether all that Blender prints is passed on."""
    return _verbose[0]


def claim_standard_output() -> TextIO:
    """Return standard output for the caller alone; from here on, what others print there goes to standard error.

    There is no way back: Blender prints until the process ends. Streams that were closed by who started the process lead nowhere,
    or a file that is opened later would get their numbers, and what Blender prints. Standard output, if it was closed, refuses
    whatever is written.
    """
    for descriptor in (STANDARD_INPUT, STANDARD_OUTPUT, STANDARD_ERROR):
        _open_nowhere_if_closed(descriptor)
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.dup(STANDARD_ERROR), "w", encoding="utf-8", errors="backslashreplace")
    if sys.stdout is not None:
        sys.stdout.flush()
    own = os.dup(STANDARD_OUTPUT)
    os.dup2(STANDARD_ERROR, STANDARD_OUTPUT)
    _report[:] = [own]
    return os.fdopen(own, "w", encoding="utf-8", errors="backslashreplace")


@contextlib.contextmanager
def native_output_escaped() -> Iterator[None]:
    """Hold back what Blender and Python print while the block runs, and pass it on at its end, with what a terminal would obey escaped.

    Lines that only tell what Blender is at are left out, unless all is asked for. Names of a file's objects are in it. What `say` writes comes at once. A crash of Blender takes with it what was held back.
    """
    _errors[:] = [os.fdopen(os.dup(STANDARD_ERROR), "w", encoding="utf-8", errors="backslashreplace")]
    printed = NativeOutput()
    try:
        with captured_native_output() as printed:
            yield
    finally:
        if text := (printed.text if is_verbose() else without_chatter(printed.text)).rstrip("\n"):
            say(text)
        _errors.pop().close()


def error_stream() -> TextIO | None:
    """Return where lines of ours for people go; None if standard error was closed by who started the process."""
    return _errors[0] if _errors else sys.stderr


def error_descriptor() -> int:
    """Return the number that standard error has by now."""
    return _errors[0].fileno() if _errors else STANDARD_ERROR


def report_descriptor() -> int:
    """Return the number that standard output has by now."""
    return _report[0] if _report else STANDARD_OUTPUT


def _open_nowhere_if_closed(descriptor: int) -> None:
    try:
        os.fstat(descriptor)
    except OSError:
        # For reading alone: writing a report there is refused instead of lost.
        flags = os.O_WRONLY if descriptor == STANDARD_ERROR else os.O_RDONLY
        nowhere = os.open(os.devnull, flags)
        if nowhere != descriptor:
            os.dup2(nowhere, descriptor)
            os.close(nowhere)


@contextlib.contextmanager
def writing_a_report(output: TextIO) -> Iterator[None]:
    """Within the block, and at its end, an output that takes nothing more is an error for people.

    Raises:
        OutputError: the disk is full, or standard output is closed. BrokenPipeError: its reader has seen enough.
    """
    try:
        yield
        output.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        reason = "it is closed" if error.errno == errno.EBADF else error.strerror
        raise OutputError(
            f"The report can't be written to standard output ({reason}); write it to a file with --output."
        ) from error


def complain(message: str) -> None:
    """Write one line on standard error."""
    say(f"skinscope: {printable(' '.join(message.split()))}")


def say(lines: str) -> None:
    """Write lines on standard error, with what would be a command to a terminal or CI system escaped."""
    stream = error_stream()
    if stream is None:
        # Closed by who started the process, and not to be mixed into the report.
        return
    try:
        # At once: another thread may tell something, too.
        stream.write(f"{printable_lines(lines)}\n")
        stream.flush()
    except OSError:
        # There is no way left to tell; the exit status still says how it went, if Python can flush what it holds at its end.
        for descriptor in {error_descriptor(), STANDARD_ERROR, STANDARD_OUTPUT}:
            lead_nowhere(descriptor)


def lead_nowhere(descriptor: int) -> None:
    """Let a descriptor take everything from here on, and drop it."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)
