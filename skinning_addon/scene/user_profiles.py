"""The folder for the user's own profiles."""

from __future__ import annotations

from pathlib import Path

import bpy

EXTENSION_PARTS = 3
"""bl_ext.<repository>.<extension>: the package that Blender knows an installed extension by."""


def profile_folders() -> tuple[Path, ...]:
    """Return the folder `profiles` of the installed extension's user folder; nothing where it is not
    installed.
    """
    package = __name__.split(".")
    if package[0] != "bl_ext":
        return ()
    folder = bpy.utils.extension_path_user(".".join(package[:EXTENSION_PARTS]), path="profiles")
    return (Path(folder),)
