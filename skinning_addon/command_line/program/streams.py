"""Output streams: reports own standard output; Blender and its importers go to standard error.

Blender prints from C, which Python's streams don't cover, so the file descriptors themselves are moved.
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
    """Set whether from now on everything Blender prints is passed on, or only what matters."""
    _verbose[0] = verbose


def is_verbose() -> bool:
    """Whether everything Blender prints is passed on."""
    return _verbose[0]


def claim_standard_output() -> TextIO:
    """Return standard output for the caller's exclusive use; from now on, what others print there goes to
    standard error.

    There is no way back: Blender prints until the process ends. Streams that the parent process closed are
    pointed at the null device, or a file opened later would get their numbers and Blender's output. Standard
    output, if it was closed, rejects every write.
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
    """Hold back what Blender and Python print while the block runs, and pass it on at its end with terminal
    commands escaped.

    Escaped because it contains names of a file's objects. Blender's progress lines are left out, unless
    verbose. What `say` writes appears at once. If Blender crashes, what was held back is lost.
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
    """Return the stream for our own lines to people; None if the parent process closed standard error."""
    return _errors[0] if _errors else sys.stderr


def error_descriptor() -> int:
    """Return standard error's current descriptor."""
    return _errors[0].fileno() if _errors else STANDARD_ERROR


def report_descriptor() -> int:
    """Return standard output's current descriptor."""
    return _report[0] if _report else STANDARD_OUTPUT


def _open_nowhere_if_closed(descriptor: int) -> None:
    try:
        os.fstat(descriptor)
    except OSError:
        # Read-only: writing a report there fails instead of being lost.
        flags = os.O_WRONLY if descriptor == STANDARD_ERROR else os.O_RDONLY
        nowhere = os.open(os.devnull, flags)
        if nowhere != descriptor:
            os.dup2(nowhere, descriptor)
            os.close(nowhere)


@contextlib.contextmanager
def writing_a_report(output: TextIO) -> Iterator[None]:
    """Within the block and at its end, turn a failure to write the output into an error for people.

    Raises:
        OutputError: the disk is full, or standard output is closed. BrokenPipeError: its reader has closed
        the pipe.
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
    """Write lines on standard error, with commands to a terminal or CI system escaped."""
    stream = error_stream()
    if stream is None:
        # Closed by the parent process; must not be mixed into the report.
        return
    try:
        # In one write: another thread may write too.
        stream.write(f"{printable_lines(lines)}\n")
        stream.flush()
    except OSError:
        # Nowhere left to report this; the exit status still says how it went, if Python can flush its buffer
        # on exit.
        for descriptor in {error_descriptor(), STANDARD_ERROR, STANDARD_OUTPUT}:
            lead_nowhere(descriptor)


def lead_nowhere(descriptor: int) -> None:
    """Point a descriptor at the null device."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)
