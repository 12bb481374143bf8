"""How a process of this program ends."""

from __future__ import annotations

import os
import shutil
import sys
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
