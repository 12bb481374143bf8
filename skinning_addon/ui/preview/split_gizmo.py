"""The line that splits a view, as a gizmo to drag with the mouse."""

from __future__ import annotations

from typing import ClassVar

import bpy

from ...viewport.character.comparing import split_column
from ...viewport.session import current_session
from ..settings.properties import scene_settings
from .comparison_operators import SKINSCOPE_OT_split_move

REACH = 6.0
"""Pixels on either side of the line within which it can be grabbed."""


class SKINSCOPE_GT_split_line(bpy.types.Gizmo):
    """Knows when the mouse is over the line; the line itself is drawn with the previews."""

    bl_idname = "SKINSCOPE_GT_split_line"

    def draw(self, context: bpy.types.Context) -> None:
        pass

    def test_select(self, context: bpy.types.Context, location: tuple[float, float]) -> int:
        column = split_column(scene_settings(context.scene).split, context.region.width)
        reach = REACH * context.preferences.system.ui_scale
        return 0 if abs(location[0] - column) <= reach else -1

    def setup(self) -> None:
        self.use_draw_modal = False


class SKINSCOPE_GGT_split(bpy.types.GizmoGroup):
    """The line that splits a 3D view"""

    bl_label = "Skinscope Split"
    bl_space_type = "VIEW_3D"
    bl_region_type = "WINDOW"
    bl_options: ClassVar = {"PERSISTENT", "SHOW_MODAL_ALL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return current_session().running and scene_settings(context.scene).placement == "SPLIT"

    def setup(self, _context: bpy.types.Context) -> None:
        line = self.gizmos.new(SKINSCOPE_GT_split_line.bl_idname)
        line.target_set_operator(SKINSCOPE_OT_split_move.bl_idname)
