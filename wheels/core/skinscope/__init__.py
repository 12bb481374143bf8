"""Skins characters as a game engine does, and measures how far that is from Blender. See docs/api.md."""

from __future__ import annotations

# Beside this file in the wheel; in a checkout two folders up.
from .skinning_addon.api import (  # pyright: ignore[reportMissingImports]
    Diff,
    Exported,
    FileReport,
    Finding,
    MeshReport,
    Refitted,
    RefittedCharacter,
    Severity,
    SkinscopeError,
    Tolerance,
    WorstFrame,
    check,
    choose_blender,
    diff,
    export,
    fix_operator,
    refit,
    skinscope_version,
)

__all__ = [
    "Diff",
    "Exported",
    "FileReport",
    "Finding",
    "MeshReport",
    "Refitted",
    "RefittedCharacter",
    "Severity",
    "SkinscopeError",
    "Tolerance",
    "WorstFrame",
    "check",
    "choose_blender",
    "diff",
    "export",
    "fix_operator",
    "refit",
    "skinscope_version",
]

__version__ = skinscope_version()
