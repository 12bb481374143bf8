"""How this program is started again, in a process that has Blender: the desktop one that was chosen, or the one
that this process is, or Python with Blender as a module.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

LAUNCHER = Path(__file__).with_name("in_blender.py")

PACKAGE = __package__.removesuffix(".command_line.program")
"""The name that this package has here, and has to have in the other process: what they send each other carries
it.
"""

_chosen: list[str] = []


def choose_blender(path: str | os.PathLike[str] | None) -> None:
    """Have files opened by this desktop Blender from now on; None for the usual one."""
    _chosen[:] = [] if path is None else [os.fspath(path)]


def own_program() -> list[str]:
    """Return the command that starts this program again; its arguments follow."""
    launcher = str(LAUNCHER)
    if _chosen:
        options = ("--background", "--factory-startup", "--python-exit-code", "3")
        return [_chosen[0], *options, "--python", launcher, "--", PACKAGE]
    # This process needs no Blender itself; if it has one, that may be a desktop Blender.
    blender = sys.modules.get("bpy")
    if blender is not None and blender.app.binary_path:
        return [blender.app.binary_path, "--command", "skinscope"]
    return [sys.executable, "-P", launcher, "--", PACKAGE]
