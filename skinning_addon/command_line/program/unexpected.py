"""Unexpected exceptions: one line for people, and the traceback in a file for whoever fixes it."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import traceback

from ...core.text.no_room import NO_ROOM
from .streams import say
from .versions import skinscope_version

INTERNAL_ERROR = 3
"""The exit status. Not 1, which means that a rig is wrong."""


def lack_of_room(error: BaseException) -> str | None:
    """Return the message about a full disk, possibly the one for temporary files; None if the exception is
    something else.
    """
    if not isinstance(error, OSError) or error.errno not in NO_ROOM:
        return None
    where = f" for '{error.filename}'" if error.filename else ""
    return (
        f"The disk has no space left{where} ({error.strerror}); free some, or set the environment "
        "variable TMPDIR to another folder for temporary files."
    )


def internal_error(error: BaseException, doing: str, folder: str | None = None) -> str:
    """Write the traceback of an exception to a file; return the sentence about it. doing: words that follow
    "while".

    folder: where to; defaults to the system's temporary folder. If that isn't writable, it goes to standard
    error.
    """
    text = (
        f"Skinscope {skinscope_version()}, Python {platform.python_version()}, {platform.platform()}\n"
        f"while {doing}\n{sys.argv!r}\n\n{''.join(traceback.format_exception(error))}"
    )
    reason = f"{type(error).__name__}{f': {error}' if str(error) else ''}"
    return (
        f"Skinscope failed while {doing} ({reason.rstrip('.')}); this is a bug in Skinscope, please "
        f"report it with {_written(text, folder)}."
    )


def _written(text: str, folder: str | None) -> str:
    try:
        descriptor, path = tempfile.mkstemp(prefix="skinscope-traceback-", suffix=".txt", dir=folder)
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except OSError:
        say(text)
        return "the traceback above"
    return f"the traceback in '{path}'"
