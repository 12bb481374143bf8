"""The sidebar's panel for clips: the armature's list of them, a mixer of two tracks, and the markers
passed.
"""

from __future__ import annotations

import math

import bpy

from ...animation.bone_names import named_bones
from ...core.text.message import Message
from ...scene.baking.clip_baking import BakedClip
from ...viewport.players import Player
from ...viewport.session import current_session
from ..settings.animation_settings import (
    SKINSCOPE_PG_animation,
    animation_settings,
    armature_in_focus,
    loops,
)
from ..settings.clip_lists import (
    SKINSCOPE_PG_clip_list,
    SKINSCOPE_PG_listed_clip,
    clip_list,
    selected_clip,
)
from ..widgets.wrapped_label import wrapped_label
from .animation_operators import (
    SKINSCOPE_OT_clip_loop,
    SKINSCOPE_OT_clips_bake,
    SKINSCOPE_OT_clips_refresh,
    SKINSCOPE_OT_mixer_fade,
    SKINSCOPE_OT_mixer_play,
    SKINSCOPE_OT_mixer_stop,
)
from .clip_listing import ask_for_list
from .clips_from_operator import SKINSCOPE_OT_clips_from_file
from .mixer_player import mixer_of, up_to_date_player

FRAMES_WIDTH = 3.2
"""Width of a clip's length and the button beside it, in widget heights."""


class SKINSCOPE_UL_clips(bpy.types.UIList):
    """The clips of an armature"""

    def draw_item(
        self,
        _context: bpy.types.Context,
        layout: bpy.types.UILayout,
        data: SKINSCOPE_PG_clip_list,
        item: SKINSCOPE_PG_listed_clip,
        _icon: int,
        _active_data: object,
        _active_property: str,
    ) -> None:
        armature = current_session().objects.find(int(data.name))
        if armature is None:
            return
        row = layout.row(align=True)
        # Names are long and the sidebar is narrow: no room for an icon before each.
        row.label(text=item.name, translate=False)
        if item.name in current_session().players.baked_of(armature):
            row.label(icon="CHECKMARK")
        frames = row.row()
        frames.ui_units_x = FRAMES_WIDTH
        frames.alignment = "RIGHT"
        frames.label(text=f"{item.frame_end - item.frame_start:.4g}", translate=False)
        icon = "LOOP_FORWARDS" if loops(armature, item.name) else "FORWARD"
        toggle = frames.operator(SKINSCOPE_OT_clip_loop.bl_idname, text="", icon=icon, emboss=False)
        toggle.clip = item.name


class SKINSCOPE_PT_animation(bpy.types.Panel):
    """Clips of the armature, mixed as a game's animation controller mixes them"""

    layout: bpy.types.UILayout
    bl_label = "Animation"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Skinscope"
    bl_parent_id = "SKINSCOPE_PT_preview"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return armature_in_focus(context) is not None

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        armature = armature_in_focus(context)
        if armature is None:
            return
        settings = animation_settings(armature)
        listed = clip_list(armature)
        if listed is None:
            ask_for_list(armature)
            return
        row = layout.row()
        row.template_list("SKINSCOPE_UL_clips", "", listed, "clips", listed, "active", rows=3)
        buttons = row.column(align=True)
        buttons.operator(SKINSCOPE_OT_clips_refresh.bl_idname, text="", icon="FILE_REFRESH")
        buttons.operator(SKINSCOPE_OT_clips_from_file.bl_idname, text="", icon="IMPORT")
        buttons.operator(SKINSCOPE_OT_clips_bake.bl_idname, text="", icon="KEY_HLT")
        if not listed.clips and mixer_of(armature) is None:
            return
        buttons.operator(SKINSCOPE_OT_clips_bake.bl_idname, text="", icon="KEYINGSET").every = True
        chosen = selected_clip(armature)
        # The full name, which the list cuts short.
        wrapped_label(layout, context, chosen, "ACTION")
        _draw_baking(layout, armature, settings)
        baked = current_session().players.baked_of(armature).get(chosen)
        if baked is not None:
            _draw_baked(layout, context, baked)
        mixer = layout.column(align=True)
        mixer.prop_search(settings, "first", listed, "clips", icon="ACTION")
        mixer.prop_search(settings, "second", listed, "clips", icon="ACTION")
        options = layout.column(align=True)
        options.use_property_split = True
        options.use_property_decorate = False
        options.prop(settings, "transition")
        options.prop(settings, "speed")
        options.prop(settings, "match_phase")
        options.prop(settings, "ease")
        player = mixer_of(armature)
        playing = player is not None and player.playing and not player.error
        row = layout.row(align=True)
        if playing:
            row.operator(SKINSCOPE_OT_mixer_play.bl_idname, text="Pause", icon="PAUSE")
        else:
            row.operator(SKINSCOPE_OT_mixer_play.bl_idname, text="Play", icon="PLAY")
        row.operator(SKINSCOPE_OT_mixer_fade.bl_idname, icon="ARROW_LEFTRIGHT")
        row.operator(SKINSCOPE_OT_mixer_stop.bl_idname, text="", icon="X")
        if player is not None:
            if not player.error and up_to_date_player(armature) is None:
                text = Message("Settings or clips have changed; bake the clips, or pause and play")
                wrapped_label(layout, context, text, "INFO")
            _draw_player(layout, context, player)


def _draw_baking(
    layout: bpy.types.UILayout, armature: bpy.types.Object, settings: SKINSCOPE_PG_animation
) -> None:
    options = layout.column(align=True)
    options.use_property_split = True
    options.use_property_decorate = False
    options.prop(settings, "root_motion")
    if settings.root_motion != "KEEP":
        options.prop_search(settings, "root_bone", armature.data, "bones", icon="BONE_DATA")
    options.prop(settings, "reduction")


def _draw_baked(layout: bpy.types.UILayout, context: bpy.types.Context, baked: BakedClip) -> None:
    """Describe the selected clip as baked, and what it does not hold."""
    reduction, motion = baked.reduction, baked.root_motion
    if reduction is not None:
        text = Message(
            "{keys} of {all_keys} keys, {size} of {all_sizes} kB",
            keys=reduction.keys_after,
            all_keys=reduction.keys_before,
            size=f"{reduction.bytes_after / 1000:.1f}",
            all_sizes=f"{reduction.bytes_before / 1000:.1f}",
        )
        wrapped_label(layout, context, text, "INFO")
    if motion is not None:
        x, y, z = motion.offset[-1].tolist()
        text = Message(
            "Root motion of '{bone}' is extracted: it ends at {x}, {y}, {z}, turned by {angle}°",
            bone=motion.bone,
            x=f"{x:.3g}",
            y=f"{y:.3g}",
            z=f"{z:.3g}",
            angle=f"{math.degrees(motion.heading[-1]):.3g}",
        )
        wrapped_label(layout, context, text, "INFO")
    if baked.missing:
        text = Message("Moves bones that are not in the armature: {bones}", bones=named_bones(baked.missing))
        wrapped_label(layout, context, text, "INFO")
    if baked.shear:
        worst = baked.shear[0]
        text = Message(
            "Clips can't store shear: {count} bones lose some, '{bone}' the most, {share} of the distance "
            "from its head",
            count=len(baked.shear),
            bone=worst.bone,
            share=f"{100 * worst.amount:.2g}%",
        )
        wrapped_label(layout, context, text, "INFO")
    if baked.unheld_bends:
        text = Message(
            "Only handles bend bendy bones here; {count} have animated bending of their own, such as "
            "'{bone}'",
            count=len(baked.unheld_bends),
            bone=baked.unheld_bends[0],
        )
        wrapped_label(layout, context, text, "INFO")


def _draw_player(layout: bpy.types.UILayout, context: bpy.types.Context, player: Player) -> None:
    if player.error:
        wrapped_label(layout, context, player.error, "ERROR")
        return
    table = layout.column(align=True)
    controller = player.controller
    for track in range(controller.track_count):
        clip = controller.clips[int(controller.states.clip[0, track])]
        weight, position = float(controller.weight(track)[0]), float(controller.position(track)[0])
        text = f"{clip.name}: {100 * weight:.0f}%, {position:.2f} / {clip.duration:.2f} s"
        table.label(text=text, translate=False)
    for passing in player.passings:
        text = f"{passing.time:.2f} s  {passing.marker} ({passing.clip})"
        layout.label(text=text, translate=False, icon="MARKER_HLT")
