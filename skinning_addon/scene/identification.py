"""Data-blocks <-> `Identity`: used in results, since Blender's objects survive neither undo nor loading a
file.
"""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

import bpy

from ..core.text.identity import Identity


def identity(block: bpy.types.ID) -> Identity:
    """Return which object or action this is. Library overrides are local."""
    library = block.library
    return (
        Identity(block.name)
        if library is None
        else Identity(block.name, _shown(library.filepath, bpy.data.filepath))
    )


def object_of(which: str) -> bpy.types.Object:
    """Return the object of this file that an identity names.

    Raises:
        KeyError: it is gone.
    """
    found = find_object(which)
    if found is None:
        raise KeyError(which)
    return found


def find_object(which: str) -> bpy.types.Object | None:
    """Return the object of this file that an identity names, None where it is gone."""
    key = _key(which)
    # A pair is a name and a library's path, which the type checker does not know.
    return bpy.data.objects.get(key) if key else None  # pyright: ignore[reportArgumentType, reportCallIssue]


def object_in(scene: bpy.types.Scene, which: str) -> bpy.types.Object | None:
    """Return the object of a scene that an identity names, None where there is none."""
    found = find_object(which)
    return found if found is not None and any(one == found for one in scene.objects) else None


def action_of(which: str) -> bpy.types.Action:
    """Return the action of this file that an identity names.

    Raises:
        KeyError: it is gone.
    """
    key = _key(which)
    action = bpy.data.actions.get(key) if key else None  # pyright: ignore[reportArgumentType, reportCallIssue]
    if action is None:
        raise KeyError(which)
    return action


def _key(which: str) -> tuple[str, str | None] | None:
    """Return what Blender finds a data-block by: its name and its library's path as that is stored."""
    wanted = Identity.of(which)
    if wanted.library is None:
        return wanted.name, None
    stored = (one.filepath for one in bpy.data.libraries)
    found = next((one for one in stored if _shown(one, bpy.data.filepath) == wanted.library), None)
    return None if found is None else (wanted.name, found)


def seen_from_file(path: str) -> str:
    """Name a file that the open one refers to, as seen from that."""
    return _shown(path, bpy.data.filepath)


@lru_cache(maxsize=256)
def _shown(library: str, file: str) -> str:
    """Name a library as seen from the open file, the same on every machine where both lie alike."""
    path = Path(bpy.path.abspath(library))
    try:
        return Path(os.path.relpath(path, Path(file).parent)).as_posix() if file else path.as_posix()
    except ValueError:
        # Another drive of Windows.
        return path.as_posix()


def library_everywhere(library: str) -> str:
    """Return the path of a library, as an identity has it, in full: for another process with another file open,
    where `seen_from_file` turns it into what identities have there.
    """
    folder = Path(bpy.data.filepath).parent if bpy.data.filepath else Path()
    return os.path.normpath(folder / library)
