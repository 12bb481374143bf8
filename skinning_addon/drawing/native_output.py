"""Blender's output that bypasses Python.

Blender reports shader errors only on C-level standard output or error: to tell which file an error is in, the
log has to be read from there.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager


class NativeOutput:
    """text: everything printed; complete once the `with` block of `captured_native_output` has ended."""

    def __init__(self) -> None:
        self.text = ""


@contextmanager
def captured_native_output() -> Iterator[NativeOutput]:
    """Collect what the process prints to file descriptors 1 and 2 while the block runs.

    Both are process-wide: output from other threads is collected too, so anything unused should be passed on.
    Without a console (desktop Blender on Windows) nothing is collected.
    """
    output = NativeOutput()
    with ExitStack() as stack:
        log = stack.enter_context(tempfile.TemporaryFile())
        flush_streams()
        for descriptor in (1, 2):
            try:
                original = os.dup(descriptor)
            except OSError:
                continue
            stack.callback(os.close, original)
            os.dup2(log.fileno(), descriptor)
            stack.callback(os.dup2, original, descriptor)
        try:
            yield output
        finally:
            # Python's buffered output belongs to the block too.
            flush_streams()
            log.seek(0)
            output.text = log.read().decode("utf-8", errors="replace")


def flush_streams() -> None:
    """Flush the output buffers of Python and, where possible, of C."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    if os.name == "posix":
        import ctypes

        ctypes.CDLL(None).fflush(None)
