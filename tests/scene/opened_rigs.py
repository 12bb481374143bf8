"""Opens the rigs of `rigs_folder`, some of which older Blenders can't read."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

import bpy
import pytest

from skinning_addon.scene.files import open_file


def is_readable(name: str) -> bool:
    """Tell whether this Blender can read a rig: MPFB's were saved by 5.2, in a format introduced in 5.0."""
    return bpy.app.version >= (5, 0) or not name.startswith("mpfb_")


def open_rig(path: Path) -> None:
    """Open a rig, or skip the test if it was saved by a newer Blender than this one.

    Formats that need importing are opened from the .blend saved after their first import: importing takes up to
    fifty times longer.
    """
    if not is_readable(path.name):
        pytest.skip("saved by a newer Blender than this one")
    open_file(path if path.suffix == ".blend" else _imported(path))


@cache
def _imported(path: Path) -> Path:
    """Import a file, once per process, and return the path of the saved .blend."""
    open_file(path)
    saved = Path(_folder().name) / f"{path.stem}.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(saved), copy=True)
    return saved


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="skinscope-tests-")
