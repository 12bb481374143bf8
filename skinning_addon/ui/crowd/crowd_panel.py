"""The panel of a scene's crowd."""

from __future__ import annotations

from typing import ClassVar

import bpy
import numpy as np

from ...animation.crowd.gaits import weights
from ...core.text.message import Message
from ...viewport.crowds.scene_crowd import SceneCrowd
from ...viewport.session import current_session
from ..settings.crowd_settings import SKINSCOPE_PG_crowd, crowd_settings
from ..widgets.sidebar import SidebarPanel
from ..widgets.wrapped_label import wrapped_label
from .clip_fields import draw_clips
from .control_operator import SKINSCOPE_OT_crowd_control
from .crowd_operators import SKINSCOPE_OT_crowd_forget_steering, SKINSCOPE_OT_crowd_refresh

STATE_LINES = 2
"""Lines kept for what the crowd does, so that what is below stays in place."""

MILLIMETRES = 1000


class SKINSCOPE_PT_crowd(SidebarPanel, bpy.types.Panel):
    """Many of a character that walk about"""

    bl_label = "Crowd"
    bl_options: ClassVar = {"DEFAULT_CLOSED"}

    def draw_header(self, context: bpy.types.Context) -> None:
        self.layout.prop(crowd_settings(context.scene), "is_on", text="")

    def draw(self, context: bpy.types.Context) -> None:
        layout, settings = self.layout, crowd_settings(context.scene)
        crowd = current_session().crowd
        layout.use_property_split = True
        layout.use_property_decorate = False
        icon = "ERROR" if settings.is_on and crowd.error else "NONE"
        wrapped_label(layout, context, state_of(crowd, settings, context), icon, lines=STATE_LINES)
        layout.prop(settings, "armature")
        column = layout.column()
        column.active = settings.is_on
        _draw_population(column, settings)
        draw_clips(column, settings, crowd)
        _draw_posing(column, settings, crowd, context)
        column.prop(settings, "sound", icon="SOUND")
        if crowd.sound.error:
            wrapped_label(column, context, crowd.sound.error, "ERROR")
        row = layout.row(align=True)
        row.operator(SKINSCOPE_OT_crowd_control.bl_idname, icon="VIEW_PAN")
        row.operator(SKINSCOPE_OT_crowd_forget_steering.bl_idname, text="", icon="TRASH")
        row.operator(SKINSCOPE_OT_crowd_refresh.bl_idname, text="", icon="FILE_REFRESH")


def _draw_population(column: bpy.types.UILayout, settings: SKINSCOPE_PG_crowd) -> None:
    numbers = column.column(align=True)
    for name in ("count", "seed"):
        numbers.prop(settings, name)
    sizes = column.column(align=True)
    for name in ("side", "radius"):
        sizes.prop(settings, name)
    ground = column.column(align=True)
    ground.prop(settings, "ground")
    if settings.ground is not None:
        ground.prop(settings, "slope")
        ground.prop(settings, "obstacles")


def _draw_posing(
    column: bpy.types.UILayout, settings: SKINSCOPE_PG_crowd, crowd: SceneCrowd, context: bpy.types.Context
) -> None:
    looks = column.column(align=True)
    looks.prop(settings, "display")
    looks.prop(settings, "posing")
    looks.prop(settings, "shares_poses")
    if settings.posing != "SAMPLED":
        return
    looks.prop(settings, "tolerance")
    characters = crowd.player.characters if crowd.player is not None else ()
    for one in characters:
        if len(characters) > 1:
            looks.label(text=one.character.name, icon="ARMATURE_DATA", translate=False)
        told = Message(
            "Vertices are {deviation:.2f} mm off at most on a character 1.8 m tall",
            deviation=MILLIMETRES * one.sampling_deviation,
        )
        wrapped_label(column, context, told, "INFO")
        for clip in one.unsampled:
            told = Message(
                "'{clip}' turns too fast to be sampled: the processor poses agents that play it", clip=clip
            )
            wrapped_label(column, context, told, "INFO")


def state_of(crowd: SceneCrowd, settings: SKINSCOPE_PG_crowd, context: bpy.types.Context) -> Message | str:
    """Say what the crowd does now."""
    if not settings.is_on:
        return Message("Off. Choose a character that walks, and switch it on")
    if crowd.error:
        return crowd.error
    if crowd.player is None or not crowd.is_of(context.scene):
        return Message("Reading the character")
    if gone := _gone_from(context.scene, settings):
        return Message(
            "'{object}' is not in this scene any more; the crowd goes on as it was read", object=gone.name
        )
    if crowd.behind:
        return Message("On the way to this frame")
    state = crowd.player.crowd.state
    heard = np.bincount(weights(state, crowd.player.crowd.settings).argmax(axis=0), minlength=3)
    idle, walk, run = heard.tolist()
    return Message("{idle} idle, {walk} walk, {run} run", idle=idle, walk=walk, run=run)


def _gone_from(scene: bpy.types.Scene, settings: SKINSCOPE_PG_crowd) -> bpy.types.Object | None:
    """Return a character or a ground that the crowd was made of, and that has been deleted since."""
    variants = [one.armature for one in settings.variants]
    for one in (settings.armature, *variants, settings.ground):
        if one is not None and scene.objects.get(one.name) != one:
            return one
    return None
