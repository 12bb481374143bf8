"""The program with a stand-in for Blender, for tests that need a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import bpy
import pytest

from tests.command_line.checking.test_workers import STAND_IN
from tests.installed_package import CHECKOUT


def process(*arguments: object, **more: Any) -> subprocess.CompletedProcess[str]:
    """Run the program with a stand-in for Blender."""
    if bpy.app.binary_path:
        pytest.skip("a desktop Blender has no Python of its own that would stand in for it")
    return subprocess.run(
        [sys.executable, str(STAND_IN), *map(str, arguments)],
        env=os.environ | {"PYTHONPATH": str(CHECKOUT)},
        stderr=subprocess.PIPE,
        encoding="utf-8",
        check=False,
        **more,
    )


def names_in(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir())
