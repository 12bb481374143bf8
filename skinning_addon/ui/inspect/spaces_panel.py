"""Skinning step by step: a slider that stops it at each space on the way."""

from __future__ import annotations

from typing import ClassVar

import bpy

from ..settings.space_settings import space_settings
from ..widgets.focus import mesh_in_layer_of, preview_in_focus
from ..widgets.sidebar import DeveloperPanel
from ..widgets.wrapped_label import wrapped_label


class SKINSCOPE_PT_spaces(DeveloperPanel, bpy.types.Panel):
    """Skinning step by step, space by space"""

    bl_label = "Spaces"
    bl_options: ClassVar = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        # A file may arrive with meshes stopped on their way: that must be possible to switch off.
        return space_settings(context.scene).shown or super().poll(context)

    def draw_header(self, context: bpy.types.Context) -> None:
        self.layout.prop(space_settings(context.scene), "shown", text="")

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        settings = space_settings(context.scene)
        layout.active = settings.shown
        layout.row().prop(settings, "space", expand=True)
        column = layout.column()
        column.use_property_split = True
        column.use_property_decorate = False
        column.prop(settings, "step", slider=True)
        column.prop(settings, "spread", slider=True)
        preview = preview_in_focus(context)
        live = mesh_in_layer_of(preview, context) if preview is not None else None
        if settings.shown and live is not None and live.step_problem:
            wrapped_label(layout, context, live.step_problem, "INFO")
