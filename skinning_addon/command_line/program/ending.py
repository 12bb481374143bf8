"""How a process of this program ends."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from types import FrameType
from typing import NoReturn

FIRST_THAT_ENDS_WELL = (4, 3)
"""Blender 4.2 as a Python module crashes when it frees its scene at exit, and the exit status is lost."""


def end_process(status: int) -> NoReturn:
    """End this process with an exit status, without Blender's own shutdown where that crashes."""
    blender = sys.modules.get("bpy")
    if blender is None or blender.app.binary_path or blender.app.version >= FIRST_THAT_ENDS_WELL:
        sys.exit(status)
    shutil.rmtree(blender.app.tempdir, ignore_errors=True)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(status)


def leave_nothing_when_terminated() -> None:
    """From now on, remove Blender's folder of temporary files when SIGTERM ends this process, as Blender as a
    Python module doesn't. Where more is at stake, `checking.interruption` takes over.
    """
    signal.signal(signal.SIGTERM, _terminated)


def _terminated(number: int, _frame: FrameType | None) -> None:
    # While Blender is being imported, it has no folder that it would know of.
    app = getattr(sys.modules.get("bpy"), "app", None)
    if app is not None and not app.binary_path:
        shutil.rmtree(app.tempdir, ignore_errors=True)
    signal.signal(number, signal.SIG_DFL)
    signal.raise_signal(number)
