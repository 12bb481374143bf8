"""What making a game-ready copy adds to a file."""

from __future__ import annotations

import bpy

KINDS = ("actions", "armatures", "collections", "images", "meshes", "objects", "scenes")


def all_data() -> dict[str, set[str]]:
    """Return the names of the file's data-blocks."""
    return {kind: {one.name for one in getattr(bpy.data, kind)} for kind in KINDS}


def copied_and_undone() -> tuple[dict[str, set[str]], dict[str, set[str]], dict[str, set[str]]]:
    """Make a copy of the active character and undo once; return the file's names before, between and after."""
    before = all_data()
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.skinscope.game_ready_copy("EXEC_DEFAULT", True)
    made = all_data()
    bpy.ops.ed.undo()
    return before, made, all_data()


def show_all() -> None:
    """Show all objects: Blender deforms none that is hidden, as originals are beside their copies."""
    for one in bpy.context.view_layer.objects:
        one.hide_set(False)
