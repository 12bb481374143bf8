"""The technique by which previews are skinned and drawn, and its cost."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

import bpy

from ...core.text.message import Message
from ...drawing.displays import DRAW_GROUPS
from ...drawing.techniques import AUTOMATIC_TECHNIQUE
from ...viewport.character.mesh_in_layer import MeshInLayer
from ..settings.properties import scene_settings
from ..settings.technique_settings import technique_settings
from ..widgets.focus import mesh_in_layer_of, preview_in_focus
from ..widgets.sidebar import DeveloperPanel
from ..widgets.table import draw_table
from ..widgets.wrapped_label import wrapped_label

STORAGES = {"uniform buffer": Message("Uniform Buffer"), "float texture": Message("Float Texture")}

CUTTING = Message("The mesh is being partitioned; until then it is drawn as before")


class SKINSCOPE_PT_technique(DeveloperPanel, bpy.types.Panel):
    """How previews are skinned and drawn, with the techniques of engines past and present, and their cost"""

    bl_label = "Technique"
    bl_options: ClassVar = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        settings = technique_settings(context.scene)
        layout.prop(settings, "technique")
        if settings.technique == "PARTITIONED":
            layout.prop(settings, "joints_per_group")
        button = layout.row()
        # Split, it would be a button without text beside a label.
        button.use_property_split = False
        button.prop_enum(scene_settings(context.scene), "display", DRAW_GROUPS.upper())
        preview = preview_in_focus(context)
        live = mesh_in_layer_of(preview, context) if preview is not None else None
        if live is None:
            return
        if live.drawing.waiting:
            wrapped_label(layout, context, CUTTING, "SORTTIME")
        if live.drawing.problem:
            wrapped_label(layout, context, live.drawing.problem, "INFO")
        draw_table(layout, technique_figures(live))
        for finding in live.drawing.findings(live.binding.mesh_object):
            wrapped_label(layout, context, finding.message, "INFO")


def technique_figures(live: MeshInLayer) -> Iterable[tuple[Message, str]]:
    """Say how a mesh is drawn, and what a frame of it costs; nothing before it has been drawn."""
    drawing = live.drawing
    sizes = drawing.sizes
    if not sizes:
        return
    if drawing.choice.name == AUTOMATIC_TECHNIQUE:
        yield Message("Technique"), STORAGES[drawing.storage]
    else:
        yield Message("Technique"), Message(drawing.choice.technique.label)
    calls = sum(1 for size in sizes if size.triangles)
    least = drawing.fewest_groups
    if least is None:
        yield Message("Draw Calls"), f"{calls:,}"
    else:
        yield Message("Draw Calls"), Message("{count:,}, of {least:,} or more", count=calls, least=least)
    yield Message("Stored Vertices"), f"{sum(size.vertices for size in sizes):,}"
    yield Message("Palette"), Message("{count:,} bytes", count=sum(size.palette_bytes for size in sizes))
    moved = sum(size.vertex_bytes for size in sizes)
    if moved:
        yield Message("Moved Vertices"), Message("{count:,} bytes", count=moved)
