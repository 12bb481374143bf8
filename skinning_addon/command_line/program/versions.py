"""The versions that reports carry."""

from __future__ import annotations

import hashlib
import tomllib
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[2]

MANIFEST = PACKAGE.parent / "blender_manifest.toml"
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


@cache
def program_digest() -> str:
    """Return a digest of this program's own code: its version alone would miss changes in a checkout."""
    digest = hashlib.sha256()
    for folder in (PACKAGE, PACKAGE.parent / "gpu_shaders"):
        for path in sorted(folder.rglob("*")):
            if path.suffix in (".py", ".toml", ".glsl"):
                digest.update(
                    path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes() + b"\0"
                )
    return digest.hexdigest()


def blender_version() -> str:
    """Return Blender's version, such as '5.2.3'."""
    import bpy

    return ".".join(str(number) for number in bpy.app.version)
