"""Our entries in Blender's own menus and popovers."""

from __future__ import annotations

from collections.abc import Callable

import bpy

from .crowd.bone_texture_operator import SKINSCOPE_OT_bone_texture
from .keymaps import is_registered
from .preview.preview_operators import (
    SKINSCOPE_OT_preview_start,
    SKINSCOPE_OT_preview_stop,
    SKINSCOPE_OT_preview_toggle,
)
from .settings.properties import scene_settings

OPERATORS = (
    (
        SKINSCOPE_OT_preview_start.bl_idname,
        SKINSCOPE_OT_preview_stop.bl_idname,
        SKINSCOPE_OT_preview_toggle.bl_idname,
    ),
    ("skinscope.flicker", "skinscope.inspect"),
    ("skinscope.select_deviating", "skinscope.frame_worst_vertex"),
    (
        "skinscope.clips_refresh",
        "skinscope.clip_loop",
        "skinscope.clips_bake",
        "skinscope.mixer_play",
        "skinscope.mixer_fade",
        "skinscope.mixer_stop",
    ),
    (
        "skinscope.cached_playback_toggle",
        "skinscope.cached_playback_record",
        "skinscope.cached_playback_stop_recording",
    ),
    ("skinscope.crowd_toggle", "skinscope.crowd_control", "skinscope.bone_texture"),
    (
        "skinscope.track_add",
        "skinscope.track_remove",
        "skinscope.track_mask",
        "skinscope.track_key_add",
        "skinscope.track_key_remove",
        "skinscope.script_play",
        "skinscope.script_rewind",
        "skinscope.script_load",
        "skinscope.script_save",
    ),
)
"""The menu's entries, in groups; unregistered ones are left out."""


class SKINSCOPE_MT_skinscope(bpy.types.Menu):
    bl_label = "Skinscope"

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        # So that operators ask first, or show progress, from a menu too.
        layout.operator_context = "INVOKE_REGION_WIN"
        for group in OPERATORS:
            for operator in filter(is_registered, group):
                layout.operator(operator)
            layout.separator()
        layout.prop(scene_settings(context.scene), "show_previews")


PIE = (
    (SKINSCOPE_OT_preview_toggle.bl_idname, "PLAY"),
    ("skinscope.profile_check", "VIEWZOOM"),
    ("skinscope.flicker", "ARROW_LEFTRIGHT"),
    ("skinscope.inspect", "EYEDROPPER"),
    ("skinscope.profile_jump", "TIME"),
    ("skinscope.frame_worst_vertex", "ZOOM_SELECTED"),
    ("skinscope.select_deviating", "VERTEXSEL"),
)
"""The operators of the pie menu and their icons, in Blender's order: left, right, bottom, top, then corners;
the last corner has a setting.
"""


class SKINSCOPE_MT_pie(bpy.types.Menu):
    bl_label = "Skinscope"

    def draw(self, context: bpy.types.Context) -> None:
        pie = self.layout.menu_pie()
        # So that operators show progress, and the threshold is the scene's.
        pie.operator_context = "INVOKE_REGION_WIN"
        for operator, icon in PIE:
            pie.operator(operator, icon=icon)  # pyright: ignore[reportArgumentType]
        pie.prop(scene_settings(context.scene), "show_previews")


class SKINSCOPE_PT_overlay(bpy.types.Panel):
    """Overlay settings of Skinscope's previews"""

    bl_label = "Skinscope"
    bl_space_type = "VIEW_3D"
    bl_region_type = "HEADER"
    bl_parent_id = "VIEW3D_PT_overlay"

    def draw(self, context: bpy.types.Context) -> None:
        column = self.layout.column()
        column.active = context.space_data.overlay.show_overlays
        settings = scene_settings(context.scene)
        column.prop(settings, "show_previews")
        below = column.column()
        below.active = settings.show_previews
        row = below.row()
        row.prop(settings, "wireframe")
        row.prop(settings, "show_figures")
        below.prop(settings, "display", text="")
        self.layout.prop(settings, "cached_playback")


def _draw_submenu(menu: bpy.types.Menu, _context: bpy.types.Context) -> None:
    menu.layout.separator()
    menu.layout.menu("SKINSCOPE_MT_skinscope")


def _draw_view_toggle(menu: bpy.types.Menu, context: bpy.types.Context) -> None:
    menu.layout.separator()
    menu.layout.prop(scene_settings(context.scene), "show_previews", text="Skinscope Previews")


def _draw_in_context(menu: bpy.types.Menu, context: bpy.types.Context) -> None:
    """Offer the preview if the context menu is about a character."""
    active = context.active_object
    if active is not None and active.type in {"ARMATURE", "MESH"}:
        menu.layout.separator()
        menu.layout.operator_context = "INVOKE_REGION_WIN"
        menu.layout.operator(SKINSCOPE_OT_preview_toggle.bl_idname)


def _draw_export(menu: bpy.types.Menu, _context: bpy.types.Context) -> None:
    menu.layout.operator(SKINSCOPE_OT_bone_texture.bl_idname, text="Bone Texture (Skinscope)")


ADDITIONS: dict[str, Callable[[bpy.types.Menu, bpy.types.Context], None]] = {
    "TOPBAR_MT_file_export": _draw_export,
    "VIEW3D_MT_object": _draw_submenu,
    "VIEW3D_MT_pose": _draw_submenu,
    "VIEW3D_MT_paint_weight": _draw_submenu,
    "VIEW3D_MT_view": _draw_view_toggle,
    "VIEW3D_MT_object_context_menu": _draw_in_context,
    "VIEW3D_MT_pose_context_menu": _draw_in_context,
}
"""By Blender's menu."""


def add_to_menus() -> None:
    """Add to Blender's menus."""
    for name, draw in ADDITIONS.items():
        getattr(bpy.types, name).append(draw)


def remove_from_menus() -> None:
    """Undo `add_to_menus`."""
    for name, draw in ADDITIONS.items():
        getattr(bpy.types, name).remove(draw)
