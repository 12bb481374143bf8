"""Display presets as files to pass on: plain text, unlike Blender's own presets, which are programs."""

from __future__ import annotations

import json
from pathlib import Path

import bpy

from ...core.text.documents import DocumentError, read_toml
from ...core.text.errors import ConfigError, OutputError
from ..settings.properties import SKINSCOPE_PG_settings
from .presets import SAVED

SUFFIX = ".toml"

VERSION = 1

KINDS = {"ENUM": str, "BOOLEAN": bool, "INT": int}
"""Of Blender's kinds of properties, those that presets hold."""

PresetValues = dict[str, str | bool | int]


def preset_text(settings: SKINSCOPE_PG_settings) -> str:
    """Write a scene's display settings as a preset's file."""
    # Text, flags and whole numbers are written alike in TOML and JSON.
    lines = [f"{name} = {json.dumps(getattr(settings, name))}" for name in SAVED]
    return "\n".join((f"version = {VERSION}", "", "[display]", *lines, ""))


def write_preset(path: Path, settings: SKINSCOPE_PG_settings) -> None:
    """Write a scene's display settings to a file.

    Raises:
        OutputError: it can't be written.
    """
    try:
        path.write_text(preset_text(settings), encoding="utf-8")
    except OSError as error:
        raise OutputError(
            "'{path}' can't be written ({reason}); choose another location.",
            path=path,
            reason=error.strerror or error,
        ) from error


def read_preset(path: Path) -> PresetValues:
    """Read a preset's file. It may be from anywhere, so every value is checked before any is set.

    Raises:
        ConfigError: it is no such file, or a value is none that the setting takes.
    """
    try:
        document = read_toml(path)
    except DocumentError as error:
        raise ConfigError("'{path}' can't be read: {reason}.", path=path, reason=error) from error
    values = document.get("display")
    if document.get("version") != VERSION or not isinstance(values, dict):
        raise ConfigError("'{path}' is not a display preset; choose a file that Export wrote.", path=path)
    for name, value in values.items():
        _check(path, name, value)
    return values


def _check(path: Path, name: str, value: object) -> None:
    if name not in SAVED:
        raise ConfigError(
            "'{path}' sets '{name}', which is none of {accepted}; remove it.",
            path=path,
            name=name,
            accepted=", ".join(SAVED),
        )
    rna = SKINSCOPE_PG_settings.bl_rna.properties[name]
    accepted, fits = "true, false", type(value) is KINDS[rna.type]
    if isinstance(rna, bpy.types.EnumProperty):
        accepted = ", ".join(rna.enum_items.keys())
        fits = fits and str(value) in rna.enum_items
    elif isinstance(rna, bpy.types.IntProperty):
        accepted = f"{rna.hard_min}-{rna.hard_max}"
        fits = fits and rna.hard_min <= value <= rna.hard_max  # pyright: ignore[reportOperatorIssue]
    if not fits:
        raise ConfigError(
            "'{path}' sets '{name}' to '{value}'; it takes one of {accepted}.",
            path=path,
            name=name,
            value=value,
            accepted=accepted,
        )
