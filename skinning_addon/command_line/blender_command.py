"""`blender --command skinscope ...`: the program, run by a desktop Blender that has the extension."""

from __future__ import annotations

from collections.abc import Sequence

import bpy

from .arguments.parser import PROGRAM

_registered: list[object] = []


def register() -> None:
    """Make the command known to Blender."""
    _registered.append(bpy.utils.register_cli_command(PROGRAM, _run))


def unregister() -> None:
    """Undo `register`."""
    while _registered:
        bpy.utils.unregister_cli_command(_registered.pop())


def _run(argv: Sequence[str]) -> int:
    # Imported here: Blender registers this on every start, and the program is only needed when the command
    # runs.
    from .main import main

    return main(argv)
