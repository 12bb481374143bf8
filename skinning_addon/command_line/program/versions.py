"""The versions that reports carry."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

MANIFEST = Path(__file__).parents[3] / "blender_manifest.toml"
"""Beside the package, both in a checkout and in an installed extension."""


@cache
def skinscope_version() -> str:
    """Return this program's version, such as '0.1.0', or 'unknown' if it was copied without its manifest."""
    try:
        text = MANIFEST.read_text(encoding="utf-8")
    except FileNotFoundError:
        # A report without a version is worth more than none.
        return "unknown"
    return tomllib.loads(text)["version"]


def blender_version() -> str:
    """Return Blender's version, such as '5.2.3'."""
    import bpy

    return ".".join(str(number) for number in bpy.app.version)
