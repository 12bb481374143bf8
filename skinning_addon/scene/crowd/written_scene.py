"""A scene as a .blend of its own, with what it needs and nothing else."""

from __future__ import annotations

from pathlib import Path

import bpy

from ...core.text.errors import OutputError


def write_scene(scene: bpy.types.Scene, path: Path) -> None:
    """Write a scene as a library; `make_main_file` makes it a file that opens with that scene."""
    try:
        bpy.data.libraries.write(str(path), {scene}, fake_user=False, compress=True)
    except RuntimeError as error:
        raise OutputError(
            "'{file}' can't be written: {reason}.", file=path.name, reason=str(error)
        ) from error


def make_main_file(path: Path) -> None:
    """Open a library of one scene, leaving the open file, and save it with a window that shows the scene."""
    bpy.ops.wm.open_mainfile(filepath=str(path), load_ui=False)
    (scene,) = (one for one in bpy.data.scenes if one.objects)
    for window in bpy.context.window_manager.windows:
        window.scene = scene
    for other in [one for one in bpy.data.scenes if one != scene]:
        bpy.data.scenes.remove(other)
    paths = bpy.context.preferences.filepaths
    versions = paths.save_version
    try:
        # No copy of what was there before, which was ours.
        paths.save_version = 0
        bpy.ops.wm.save_as_mainfile(filepath=str(path), compress=True, check_existing=False)
    finally:
        paths.save_version = versions
