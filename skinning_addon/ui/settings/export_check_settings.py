"""Settings for checking the user's own export."""

from __future__ import annotations

import bpy
from bpy.props import EnumProperty, StringProperty

from ...scene.exports.export_settings import presets_of
from ...scene.exports.exporters import EXPORTERS, exporter_of


def _presets(settings: SKINSCOPE_PG_export_check, _context: bpy.types.Context, _text: str) -> list[str]:
    return sorted(presets_of(exporter_of(settings.exporter)))


class SKINSCOPE_PG_export_check(bpy.types.PropertyGroup):
    """Which export to check, and how."""

    exporter: EnumProperty(
        name="Exporter",
        description="The format to export to",
        items=[(one.id, one.menu, f"Blender's {one.label} exporter") for one in EXPORTERS],
        default=EXPORTERS[0].id,
    )
    preset: StringProperty(
        name="Preset",
        description="A preset saved in the exporter's dialog. Without one: the settings of the last export, or "
        "those saved in the file",
        search=_presets,
    )
    keep: StringProperty(
        name="Keep File",
        description="Where to keep the exported file; empty to delete it after the check",
        subtype="FILE_PATH",
    )


def export_check_settings(scene: bpy.types.Scene) -> SKINSCOPE_PG_export_check:
    """Return a scene's settings for checking its export."""
    return scene.skinscope.export_check  # pyright: ignore[reportAttributeAccessIssue]
