"""Reads what Blender prints to its console during a test."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from tests.windowed.harness import WindowedBlender

COMPLAINTS = ("error", "traceback", "warning", "exception")

OF_THE_MACHINE = "could not get a list of mounted file-systems"
"""Blender 5.2 warns about this whenever it looks for folders in a root without a mount table, with or without
us."""


def console(blender: WindowedBlender) -> str:
    """Return everything it has printed so far."""
    return blender.console.read_text(encoding="utf-8", errors="replace")


@contextmanager
def no_complaint(blender: WindowedBlender, complaints: Sequence[str] = COMPLAINTS) -> Iterator[None]:
    """Fail if Blender prints one of these words meanwhile, in any case."""
    said_before = console(blender)
    yield
    lines = console(blender).removeprefix(said_before).lower().splitlines()
    said = "\n".join(line for line in lines if OF_THE_MACHINE not in line)
    for word in complaints:
        assert word not in said, said
