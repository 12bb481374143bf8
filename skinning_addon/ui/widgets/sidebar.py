"""Where all panels are: the tab *Skinscope* in the 3D view's sidebar."""

from __future__ import annotations

import bpy


class SidebarPanel:
    """Where all panels are."""

    layout: bpy.types.UILayout
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Skinscope"
