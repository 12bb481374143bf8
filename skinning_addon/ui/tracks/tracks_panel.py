"""The sidebar's panel for tracks: clips on a controller's tracks, their keys, and the events."""

from __future__ import annotations

import bpy

from ...animation.tracks import NO_CLIP
from ...core.text.message import Message
from ...viewport.choices.translation import translated
from ...viewport.players import Player
from ..clips.animation_operators import SKINSCOPE_OT_clips_refresh, SKINSCOPE_OT_mixer_stop
from ..clips.clip_listing import ask_for_list
from ..settings.animation_settings import armature_in_focus
from ..settings.clip_lists import SKINSCOPE_PG_clip_list, clip_list
from ..settings.tracks_settings import (
    AT_ONCE,
    SKINSCOPE_PG_script,
    SKINSCOPE_PG_track,
    SKINSCOPE_PG_track_key,
)
from ..widgets.wrapped_label import wrapped_label
from .script_operators import (
    SKINSCOPE_OT_script_load,
    SKINSCOPE_OT_script_play,
    SKINSCOPE_OT_script_rewind,
    SKINSCOPE_OT_script_save,
)
from .script_player import ended_by_deletion, problem_of, script_player
from .script_properties import VALUES, script_settings
from .track_events import happenings
from .track_operators import (
    SKINSCOPE_OT_track_add,
    SKINSCOPE_OT_track_key_add,
    SKINSCOPE_OT_track_key_remove,
    SKINSCOPE_OT_track_mask,
    SKINSCOPE_OT_track_remove,
    active_key,
    active_track,
)


class SKINSCOPE_PT_tracks(bpy.types.Panel):
    """An animation controller: clips on tracks, and keys that change them over time"""

    layout: bpy.types.UILayout
    bl_label = "Tracks"
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
        listed = clip_list(armature)
        if listed is None:
            ask_for_list(armature)
            return
        if not listed.clips:
            layout.operator(SKINSCOPE_OT_clips_refresh.bl_idname, icon="FILE_REFRESH")
        settings = script_settings(armature)
        if settings.tracks:
            _draw_playing(layout, context, armature)
        _draw_instances(layout, settings)
        row = layout.row()
        row.template_list("SKINSCOPE_UL_tracks", "", settings, "tracks", settings, "active_track", rows=2)
        buttons = row.column(align=True)
        buttons.operator(SKINSCOPE_OT_track_add.bl_idname, text="", icon="ADD")
        buttons.operator(SKINSCOPE_OT_track_remove.bl_idname, text="", icon="REMOVE")
        track = active_track(settings)
        if track is not None:
            _draw_track(layout, listed, track, several=settings.instances > 1)
        row = layout.row()
        row.template_list("SKINSCOPE_UL_track_keys", "", settings, "keys", settings, "active_key", rows=3)
        buttons = row.column(align=True)
        buttons.operator(SKINSCOPE_OT_track_key_add.bl_idname, text="", icon="KEY_HLT")
        buttons.operator(SKINSCOPE_OT_track_key_remove.bl_idname, text="", icon="REMOVE")
        key = active_key(settings)
        if key is not None:
            _draw_key(layout, key, several=settings.instances > 1)
        options = _options(layout)
        options.prop(settings, "priority_blend")
        options.prop(settings, "seconds")
        row = layout.row(align=True)
        row.operator(SKINSCOPE_OT_script_load.bl_idname, icon="IMPORT")
        row.operator(SKINSCOPE_OT_script_save.bl_idname, icon="EXPORT")


class SKINSCOPE_PT_track_events(bpy.types.Panel):
    """Past and coming keys and markers of the shown instance"""

    layout: bpy.types.UILayout
    bl_label = "Events"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Skinscope"
    bl_parent_id = "SKINSCOPE_PT_tracks"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        armature = armature_in_focus(context)
        return armature is not None and script_player(armature) is not None

    def draw(self, context: bpy.types.Context) -> None:
        armature = armature_in_focus(context)
        player = None if armature is None else script_player(armature)
        if player is None:
            return
        for one in happenings(player):
            row = self.layout.column()
            row.active = not one.passed
            wrapped_label(row, context, one.text, "MARKER_HLT" if one.is_marker else "KEYFRAME")


def _draw_instances(layout: bpy.types.UILayout, settings: SKINSCOPE_PG_script) -> None:
    options = _options(layout)
    options.prop(settings, "instances")
    if settings.instances > 1:
        options.prop(settings, "every")
        if not settings.every:
            options.prop(settings, "instance")


def _draw_track(
    layout: bpy.types.UILayout, listed: SKINSCOPE_PG_clip_list, track: SKINSCOPE_PG_track, *, several: bool
) -> None:
    options = _options(layout)
    options.prop_search(track, "clip", listed, "clips", icon="ACTION")
    options.prop(track, "number")
    for name in ("speed", "weight", "position", "priority"):
        options.prop(track, name)
    if several or not track.every:
        options.prop(track, "every")
        if not track.every:
            options.prop(track, "instance")
    row = layout.row(align=True)
    row.operator(SKINSCOPE_OT_track_mask.bl_idname, text=_mask_text(track), icon="MOD_MASK")
    if track.masked:
        row.operator(SKINSCOPE_OT_track_mask.bl_idname, text="", icon="X").clear = True


def _draw_key(layout: bpy.types.UILayout, key: SKINSCOPE_PG_track_key, *, several: bool) -> None:
    options = _options(layout)
    options.prop(key, "time")
    options.prop(key, "kind")
    if key.kind != "PRIORITY_BLEND":
        options.prop(key, "number")
    options.prop(key, VALUES[key.kind])
    if key.kind not in AT_ONCE:
        options.prop(key, "duration")
        options.prop(key, "transition")
    if several or not key.every:
        options.prop(key, "every")
        if not key.every:
            options.prop(key, "instance")


def _draw_playing(layout: bpy.types.UILayout, context: bpy.types.Context, armature: bpy.types.Object) -> None:
    problem = problem_of(armature)
    if problem is not None:
        wrapped_label(layout, context, problem, "ERROR")
    player = script_player(armature)
    playing = player is not None and player.playing and not player.error
    row = layout.row(align=True)
    if playing:
        row.operator(SKINSCOPE_OT_script_play.bl_idname, text="Pause", icon="PAUSE")
    else:
        row.operator(SKINSCOPE_OT_script_play.bl_idname, text="Play", icon="PLAY")
    row.operator(SKINSCOPE_OT_script_rewind.bl_idname, text="", icon="REW")
    row.operator(SKINSCOPE_OT_mixer_stop.bl_idname, text="", icon="X")
    if player is None:
        ended = ended_by_deletion(armature)
        if ended is not None:
            wrapped_label(layout, context, ended, "INFO")
        return
    if player.error:
        wrapped_label(layout, context, player.error, "ERROR")
        return
    _options(layout).prop(clip_list(armature), "time")
    # Problems in the lists have been reported above already.
    if player.refused is not None and problem is None:
        wrapped_label(layout, context, player.refused, "INFO")
    _draw_states(layout, player)


def _draw_states(layout: bpy.types.UILayout, player: Player) -> None:
    table = layout.column(align=True)
    controller, instance = player.controller, player.instance
    for track in range(controller.track_count):
        number = int(controller.states.clip[instance, track])
        if number == NO_CLIP:
            continue
        clip = controller.clips[number]
        weight, position = (
            float(controller.weight(track)[instance]),
            float(controller.position(track)[instance]),
        )
        text = f"{track}  {clip.name}: {100 * weight:.0f}%, {position:.2f} / {clip.duration:.2f} s"
        table.label(text=text, translate=False)


def _mask_text(track: SKINSCOPE_PG_track) -> str:
    if not track.masked:
        return translated(Message("Mask to Selected Bones"))
    return translated(Message("Masked bones: {count}", count=len(track.mask)))


def _options(layout: bpy.types.UILayout) -> bpy.types.UILayout:
    options = layout.column(align=True)
    options.use_property_split = True
    options.use_property_decorate = False
    return options
