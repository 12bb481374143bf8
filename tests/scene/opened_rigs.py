"""Opening the rigs of `rigs_folder`, some of which older Blenders can't read."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest

from skinning_addon.scene.files import open_file


def open_rig(path: Path) -> None:
    """Open a rig, or skip the test where a newer Blender than this one saved it."""
    if path.name.startswith("mpfb_") and bpy.app.version < (5, 0):
        pytest.skip("saved by a newer Blender than this one")
    open_file(path)
