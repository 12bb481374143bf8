"""The classes and properties that Blender knows us by, in the order in which they are registered."""

from __future__ import annotations

import bpy

from .panels import SKINSCOPE_PT_display, SKINSCOPE_PT_figures, SKINSCOPE_PT_meshes, SKINSCOPE_PT_preview
from .preview_operators import SKINSCOPE_OT_preview_start, SKINSCOPE_OT_preview_stop
from .properties import SKINSCOPE_PG_settings, add_scene_settings, remove_scene_settings

CLASSES = (
    SKINSCOPE_PG_settings,
    SKINSCOPE_OT_preview_start,
    SKINSCOPE_OT_preview_stop,
    SKINSCOPE_PT_preview,
    SKINSCOPE_PT_display,
    SKINSCOPE_PT_figures,
    SKINSCOPE_PT_meshes,
)


def register_interface() -> None:
    """Register all classes and the scene's settings."""
    for one in CLASSES:
        bpy.utils.register_class(one)
    add_scene_settings()


def unregister_interface() -> None:
    """Undo `register_interface`, in reverse."""
    remove_scene_settings()
    for one in reversed(CLASSES):
        bpy.utils.unregister_class(one)
