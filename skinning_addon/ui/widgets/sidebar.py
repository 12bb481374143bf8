"""Where all panels are: the tab *Skinscope* in the 3D view's sidebar."""

from __future__ import annotations

import bpy

from ...viewport.choices.preferences import read_preferences


class SidebarPanel:
    """Where all panels are."""

    layout: bpy.types.UILayout
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Skinscope"


class DeveloperPanel(SidebarPanel):
    """Where panels for engine programmers are: at the tab's end, for those who have switched them on."""

    bl_parent_id = "SKINSCOPE_PT_developer"

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        return read_preferences().show_developer
