"""What Blender says on its console while a test runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from tests.windowed.harness import WindowedBlender

COMPLAINTS = ("error", "traceback", "warning", "exception")


def console(blender: WindowedBlender) -> str:
    """All that it has said so far."""
    return blender.console.read_text(encoding="utf-8", errors="replace")


@contextmanager
def no_complaint(blender: WindowedBlender, complaints: Sequence[str] = COMPLAINTS) -> Iterator[None]:
    """Fail where Blender says one of these words meanwhile, in capitals or not."""
    said_before = console(blender)
    yield
    said = console(blender).removeprefix(said_before).lower()
    for word in complaints:
        assert word not in said, said
