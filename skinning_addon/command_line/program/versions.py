"""The versions that reports carry."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

MANIFEST = Path(__file__).parents[3] / "blender_manifest.toml"
"""Beside the package, both in a checkout and in an installed extension."""


@cache
def skinscope_version() -> str:
    """Return this program's version, such as '0.1.0'."""
    with MANIFEST.open("rb") as file:
        return tomllib.load(file)["version"]


def blender_version() -> str:
    """Return Blender's version, such as '5.2.3'."""
    import bpy

    return ".".join(str(number) for number in bpy.app.version)
