"""Keeps Blender 4.2 and 4.3 from writing into freed memory (docs/development.md)."""

from __future__ import annotations

import bpy


@bpy.app.handlers.persistent
def keep_context_in_the_open_file(*_: object) -> None:
    """Have Blender note the open file's scene, instead of a freed one, as the owner of what `bpy.context` gives.

    Blender 4.2 and 4.3 note it when `bpy.context.tool_settings` or `.layer_collection` is read, as Rigify does,
    and keep it when another file is loaded. Importers then write into freed memory through
    `bpy.context.window` (docs/development.md).
    """
    _ = bpy.context.tool_settings
