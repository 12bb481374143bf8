"""Where Blender's Online Manual entry, in the context menu of every button, leads to."""

from __future__ import annotations

from pathlib import Path

import bpy

DOCUMENTATION = f"{Path(__file__).resolve().parents[2].joinpath('docs').as_uri()}/"
"""Shipped beside the package, so that it is that of this version, and there without a network."""

PAGES = (
    ("bpy.ops.skinscope.preview_*", "user-guide.md#starting-and-stopping"),
    ("bpy.ops.skinscope.display_preset_add*", "user-guide.md#presets"),
    ("bpy.ops.skinscope.select_deviating*", "user-guide.md#figures"),
    ("bpy.ops.skinscope.frame_worst_vertex*", "user-guide.md#figures"),
    ("bpy.ops.skinscope.copy_matrices*", "user-guide.md#matrices"),
    ("bpy.ops.skinscope.inspect*", "user-guide.md#inspecting-a-vertex"),
    ("bpy.types.skinscope_pg_spaces.*", "user-guide.md#step-through-the-spaces"),
    ("bpy.types.skinscope_pg_settings.viewer_*", "user-guide.md#figures"),
    ("bpy.types.skinscope_pg_matrices.*", "user-guide.md#matrices"),
    ("bpy.types.skinscope_pg_settings.show_previews*", "user-guide.md#starting-and-stopping"),
    ("bpy.types.skinscope_pg_settings.display*", "user-guide.md#displays"),
    ("bpy.types.skinscope_pg_settings.wireframe*", "user-guide.md#displays"),
    ("bpy.types.skinscope_pg_settings.influence_limit*", "user-guide.md#displays"),
    ("bpy.types.skinscope_pg_settings.threshold*", "user-guide.md#the-heat-map"),
    ("bpy.types.skinscope_pg_settings.show_figures*", "user-guide.md#figures"),
    ("bpy.types.skinscope_pg_settings.placement*", "user-guide.md#comparing"),
    ("bpy.types.skinscope_pg_settings.split*", "user-guide.md#comparing"),
    ("bpy.types.skinscope_pg_settings.blender_mesh*", "user-guide.md#comparing"),
    ("bpy.ops.skinscope.split_move*", "user-guide.md#comparing"),
    ("bpy.ops.skinscope.flicker*", "user-guide.md#comparing"),
    ("bpy.types.skinscope_pg_settings.axis*", "user-guide.md#comparing"),
    ("bpy.types.skinscope_pg_settings.distance*", "user-guide.md#comparing"),
    ("bpy.types.skinscope_ap_preferences.*", "user-guide.md#preferences"),
    ("bpy.types.skinscope_*", "user-guide.md"),
    ("bpy.ops.skinscope.*", "user-guide.md"),
)
"""Blender takes the first pattern that fits; it asks in lower case."""


def _pages() -> tuple[str, tuple[tuple[str, str], ...]]:
    return DOCUMENTATION, PAGES


def add_manual_map() -> None:
    """Have Blender ask us for pages about our own operators and settings."""
    bpy.utils.register_manual_map(_pages)


def remove_manual_map() -> None:
    """Undo `add_manual_map`."""
    bpy.utils.unregister_manual_map(_pages)
