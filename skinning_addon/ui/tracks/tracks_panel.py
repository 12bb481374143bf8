"""The sidebar's panel for tracks: clips on a controller's tracks, their keys, and the events."""

from __future__ import annotations

from typing import ClassVar

import bpy

from ...animation.tracks import NO_CLIP
from ...core.text.message import Message
from ...viewport.choices.translation import translated
from ...viewport.players import Player
from ..clips.animation_operators import SKINSCOPE_OT_clips_refresh, SKINSCOPE_OT_mixer_stop
from ..clips.listed_armature import listed_armature
from ..settings.animation_settings import armature_in_focus
from ..settings.clip_lists import SKINSCOPE_PG_clip_list, clip_list
from ..settings.tracks_settings import (
    AT_ONCE,
    SKINSCOPE_PG_script,
    SKINSCOPE_PG_track,
    SKINSCOPE_PG_track_key,
    concerns,
)
from ..widgets.playing_clip import draw_playing_clip
from ..widgets.sidebar import SidebarPanel
from ..widgets.wrapped_label import wrapped_label
from .script_operators import (
    SKINSCOPE_OT_script_load,
    SKINSCOPE_OT_script_play,
    SKINSCOPE_OT_script_rewind,
    SKINSCOPE_OT_script_save,
)
from .script_player import problem_of, script_player
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

ADD_A_TRACK = Message("Select a clip under Animation, then add a track for it with +")


class SKINSCOPE_PT_tracks(SidebarPanel, bpy.types.Panel):
    """An animation controller: clips on tracks, and keys that change them over time"""

    bl_label = "Tracks"
    bl_parent_id = "SKINSCOPE_PT_preview"
    bl_options: ClassVar = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        found = listed_armature(layout, context)
        if found is None:
            return
        armature, listed = found
        if not listed.clips:
            layout.operator(SKINSCOPE_OT_clips_refresh.bl_idname, icon="FILE_REFRESH")
        settings = script_settings(armature)
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


class SKINSCOPE_PT_track_events(SidebarPanel, bpy.types.Panel):
    """Past and coming keys and markers of the shown instance"""

    bl_label = "Events"
    bl_parent_id = "SKINSCOPE_PT_tracks"
    # Open it is as long as a script has keys and markers.
    bl_options: ClassVar = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        armature = armature_in_focus(context)
        player = None if armature is None else script_player(armature)
        if player is None:
            hint = self.layout.column()
            hint.active = False
            wrapped_label(hint, context, Message("Play the tracks to see what happens when"))
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
    settings = script_settings(armature)
    problem = problem_of(armature) if settings.tracks else None
    if problem is not None:
        wrapped_label(layout, context, problem, "ERROR")
    elif not settings.tracks:
        wrapped_label(layout, context, ADD_A_TRACK, "INFO")
    player = script_player(armature)
    playing = player is not None and player.playing and not player.error
    row = layout.row(align=True)
    row.enabled = bool(settings.tracks)
    if playing:
        row.operator(SKINSCOPE_OT_script_play.bl_idname, text="Pause", icon="PAUSE")
    else:
        row.operator(SKINSCOPE_OT_script_play.bl_idname, text="Play", icon="PLAY")
    row.operator(SKINSCOPE_OT_script_rewind.bl_idname, text="", icon="REW")
    row.operator(SKINSCOPE_OT_mixer_stop.bl_idname, text="", icon="X")
    time = _options(layout)
    time.enabled = player is not None and not player.error
    time.prop(clip_list(armature), "time")
    if player is not None and player.error:
        wrapped_label(layout, context, player.error, "ERROR")
        return
    # Problems in the lists have been reported above already.
    if player is not None and player.refused is not None and problem is None:
        wrapped_label(layout, context, player.refused, "INFO")
    listed = {one.number for one in settings.tracks if concerns(one, settings)}
    table = layout.column(align=True)
    shown = _draw_states(table, player) if player is not None else 0
    for _ in range(len(listed) - shown):
        table.label()


def _draw_states(table: bpy.types.UILayout, player: Player) -> int:
    """Draw what plays on each track, and return on how many."""
    shown = 0
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
        draw_playing_clip(table, f"{track}  {clip.name}", weight, position, clip.duration)
        shown += 1
    return shown


def _mask_text(track: SKINSCOPE_PG_track) -> str:
    if not track.masked:
        return translated(Message("Mask to Selected Bones"))
    return translated(Message("Masked bones: {count}", count=len(track.mask)))


def _options(layout: bpy.types.UILayout) -> bpy.types.UILayout:
    options = layout.column(align=True)
    options.use_property_split = True
    options.use_property_decorate = False
    return options
