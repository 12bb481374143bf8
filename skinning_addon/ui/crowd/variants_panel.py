"""The panel of a crowd's characters and variants."""

from __future__ import annotations

from typing import ClassVar

import bpy

from ...viewport.crowds.scene_crowd import SceneCrowd
from ...viewport.session import current_session
from ..settings.crowd_settings import SKINSCOPE_PG_crowd, SKINSCOPE_PG_crowd_variant, crowd_settings
from ..widgets.sidebar import SidebarPanel
from .clip_fields import draw_clips
from .variant_operators import (
    SKINSCOPE_OT_crowd_variant_add,
    SKINSCOPE_OT_crowd_variant_mesh,
    SKINSCOPE_OT_crowd_variant_remove,
    active_variant,
)

SHARE_WIDTH = 3.0
"""Of a column, in widget heights."""


class SKINSCOPE_UL_crowd_variants(bpy.types.UIList):
    """Whom a crowd consists of"""

    def draw_item(
        self,
        _context: bpy.types.Context,
        layout: bpy.types.UILayout,
        _data: SKINSCOPE_PG_crowd,
        item: SKINSCOPE_PG_crowd_variant,
        _icon: int,
        _active_data: object,
        _active_property: str,
    ) -> None:
        row = layout.row(align=True)
        row.prop(item, "name", text="", emboss=False, icon="ARMATURE_DATA")
        share = row.row()
        share.ui_units_x = SHARE_WIDTH
        share.prop(item, "share", text="")


class SKINSCOPE_PT_crowd_variants(SidebarPanel, bpy.types.Panel):
    """Several characters in one crowd, and variants of them"""

    bl_label = "Characters and Variants"
    bl_parent_id = "SKINSCOPE_PT_crowd"
    bl_options: ClassVar = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        layout, settings = self.layout, crowd_settings(context.scene)
        layout.use_property_split = True
        layout.use_property_decorate = False
        row = layout.row()
        row.template_list(
            "SKINSCOPE_UL_crowd_variants", "", settings, "variants", settings, "active_variant", rows=2
        )
        buttons = row.column(align=True)
        buttons.operator(SKINSCOPE_OT_crowd_variant_add.bl_idname, text="", icon="ADD")
        buttons.operator(SKINSCOPE_OT_crowd_variant_remove.bl_idname, text="", icon="REMOVE")
        variant = active_variant(settings)
        if variant is not None:
            _draw_variant(layout, settings, variant, current_session().crowd)


def _draw_variant(
    layout: bpy.types.UILayout,
    settings: SKINSCOPE_PG_crowd,
    variant: SKINSCOPE_PG_crowd_variant,
    crowd: SceneCrowd,
) -> None:
    layout.prop(variant, "armature")
    if variant.armature is not None and variant.armature != settings.armature:
        draw_clips(layout, variant, crowd)
    scale = layout.column(align=True)
    scale.prop(variant, "smallest")
    scale.prop(variant, "largest")
    layout.prop(variant, "tint")
    player = crowd.player
    if player is None or settings.active_variant >= len(player.variants):
        return
    meshes = player.variants[settings.active_variant].character.meshes
    if len(meshes) < 2:
        return
    without = {one.name for one in variant.without}
    column = layout.column(align=True)
    for mesh in meshes:
        icon = "CHECKBOX_DEHLT" if mesh.name in without else "CHECKBOX_HLT"
        # A name of the user's is not to be translated.
        told = column.row(align=True)
        toggle = told.operator(SKINSCOPE_OT_crowd_variant_mesh.bl_idname, text="", icon=icon, emboss=False)
        toggle.mesh = mesh.name
        told.label(text=mesh.name, translate=False)
