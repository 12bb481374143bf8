"""The panel at the tab's end for engine programmers, and the switch that opens it up."""

from __future__ import annotations

import bpy

from ..core.text.message import Message
from ..viewport.choices.preferences import read_preferences, stored_preferences
from .settings.profile_settings import profile_settings
from .widgets.sidebar import SidebarPanel
from .widgets.wrapped_label import wrapped_label

WHAT_IT_HAS = Message("Matrices, spaces, techniques and historic engines, for engine programmers")


class SKINSCOPE_PT_developer(SidebarPanel, bpy.types.Panel):
    """What engine programmers need; the switch is kept in the preferences"""

    bl_label = "Developer"
    bl_order = 100

    def draw_header(self, _context: bpy.types.Context) -> None:
        stored = stored_preferences()
        if stored is not None:
            self.layout.prop(stored, "show_developer", text="")

    def draw(self, context: bpy.types.Context) -> None:
        if read_preferences().show_developer:
            self.layout.prop(profile_settings(context.scene), "show_historic")
        else:
            column = self.layout.column()
            column.active = False
            wrapped_label(column, context, WHAT_IT_HAS)
