"""The sidebar's panel for clips: the armature's list of them, a mixer of two tracks, and the markers
passed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import ClassVar

import bpy

from ...animation.bone_names import named_bones
from ...core.text.message import Message
from ...scene.baking.clip_baking import BakedClip, Shear
from ...viewport.players import PASSINGS_KEPT
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
from ..widgets.playing_clip import draw_playing_clip
from ..widgets.sidebar import SidebarPanel
from ..widgets.wrapped_label import wrapped_label
from .animation_operators import (
    SKINSCOPE_OT_clip_loop,
    SKINSCOPE_OT_clips_bake,
    SKINSCOPE_OT_clips_refresh,
    SKINSCOPE_OT_mixer_fade,
    SKINSCOPE_OT_mixer_play,
    SKINSCOPE_OT_mixer_stop,
)
from .clips_from_operator import SKINSCOPE_OT_clips_from_file
from .listed_armature import listed_armature
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


NOTHING_LISTED = Message("Nothing moves '{armature}': key its bones, or import clips with the arrow above")
"""The buttons beside the list have icons alone."""

LINES_OF_CLIP = 2
"""Lines kept for the selected clip's name, which the list cuts short."""


class SKINSCOPE_PT_animation(SidebarPanel, bpy.types.Panel):
    """Clips of the armature, mixed as a game's animation controller mixes them"""

    bl_label = "Animation"
    bl_parent_id = "SKINSCOPE_PT_preview"
    bl_options: ClassVar = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        found = listed_armature(layout, context)
        if found is None:
            return
        armature, listed = found
        _draw_clips(layout, context, armature, listed)
        below = layout.column()
        below.enabled = bool(listed.clips) or mixer_of(armature) is not None
        settings = animation_settings(armature)
        _draw_baking(below, armature, settings)
        _draw_mixer(below, armature, settings, listed)
        _draw_player(below, context, armature)


class SKINSCOPE_PT_baked_clip(SidebarPanel, bpy.types.Panel):
    """What baking made of the selected clip, and what it could not keep"""

    bl_label = "Baked Clip"
    bl_parent_id = "SKINSCOPE_PT_animation"
    bl_options: ClassVar = {"DEFAULT_CLOSED"}

    def draw_header_preset(self, context: bpy.types.Context) -> None:
        told = _told_of_baked(context)
        self.layout.label(text=f"{len(told)}" if told else "", translate=False)

    def draw(self, context: bpy.types.Context) -> None:
        told = _told_of_baked(context)
        for text in told or ():
            wrapped_label(self.layout, context, text, "INFO")
        if not told:
            hint = self.layout.column()
            hint.active = False
            nothing = Message("Not baked yet") if told is None else Message("Baked without loss")
            wrapped_label(hint, context, nothing)


def _draw_clips(
    layout: bpy.types.UILayout,
    context: bpy.types.Context,
    armature: bpy.types.Object,
    listed: SKINSCOPE_PG_clip_list,
) -> None:
    """Draw the list and its buttons; below, the selected clip's full name, or what to do if there is none."""
    row = layout.row()
    row.template_list("SKINSCOPE_UL_clips", "", listed, "clips", listed, "active", rows=4)
    buttons = row.column(align=True)
    buttons.operator(SKINSCOPE_OT_clips_refresh.bl_idname, text="", icon="FILE_REFRESH")
    buttons.operator(SKINSCOPE_OT_clips_from_file.bl_idname, text="", icon="IMPORT")
    baking = buttons.column(align=True)
    baking.enabled = bool(listed.clips)
    baking.operator(SKINSCOPE_OT_clips_bake.bl_idname, text="", icon="KEY_HLT")
    baking.operator(SKINSCOPE_OT_clips_bake.bl_idname, text="", icon="KEYINGSET").every = True
    if listed.clips:
        wrapped_label(layout, context, selected_clip(armature), "ACTION", lines=LINES_OF_CLIP)
    else:
        nothing = Message(NOTHING_LISTED.template, armature=armature.name)
        wrapped_label(layout, context, nothing, "INFO", lines=LINES_OF_CLIP)


def _draw_mixer(
    layout: bpy.types.UILayout,
    armature: bpy.types.Object,
    settings: SKINSCOPE_PG_animation,
    listed: SKINSCOPE_PG_clip_list,
) -> None:
    mixer = layout.column(align=True)
    mixer.prop_search(settings, "first", listed, "clips", icon="ACTION")
    mixer.prop_search(settings, "second", listed, "clips", icon="ACTION")
    options = layout.column(align=True)
    options.use_property_split = True
    options.use_property_decorate = False
    for name in ("transition", "speed", "match_phase", "ease"):
        options.prop(settings, name)
    player = mixer_of(armature)
    row = layout.row(align=True)
    if player is not None and player.playing and not player.error:
        row.operator(SKINSCOPE_OT_mixer_play.bl_idname, text="Pause", icon="PAUSE")
    else:
        row.operator(SKINSCOPE_OT_mixer_play.bl_idname, text="Play", icon="PLAY")
    row.operator(SKINSCOPE_OT_mixer_fade.bl_idname, icon="ARROW_LEFTRIGHT")
    row.operator(SKINSCOPE_OT_mixer_stop.bl_idname, text="", icon="X")


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


def _told_of_baked(context: bpy.types.Context) -> list[Message] | None:
    """Describe the selected clip as baked, and what it does not hold; None if it has not been baked."""
    armature = armature_in_focus(context)
    listed = clip_list(armature) if armature is not None else None
    if armature is None or listed is None or not listed.clips:
        return None
    baked = current_session().players.baked_of(armature).get(selected_clip(armature))
    return None if baked is None else list(_facts(baked))


def _facts(baked: BakedClip) -> Iterator[Message]:
    reduction, motion = baked.reduction, baked.root_motion
    if baked.in_file:
        yield Message("Plays as the exported file does")
    if reduction is not None:
        yield Message(
            "{keys} of {all_keys} keys, {size} of {all_sizes} kB",
            keys=reduction.keys_after,
            all_keys=reduction.keys_before,
            size=f"{reduction.bytes_after / 1000:.1f}",
            all_sizes=f"{reduction.bytes_before / 1000:.1f}",
        )
    if motion is not None:
        x, y, z = motion.offset[-1].tolist()
        yield Message(
            "Root motion of '{bone}' is extracted: it ends at {x}, {y}, {z}, turned by {angle}°",
            bone=motion.bone,
            x=f"{x:.3g}",
            y=f"{y:.3g}",
            z=f"{z:.3g}",
            angle=f"{math.degrees(motion.heading[-1]):.3g}",
        )
    if baked.missing:
        yield Message("Moves bones that are not in the armature: {bones}", bones=named_bones(baked.missing))
    if baked.shear:
        yield _sheared(baked.shear)
    if len(baked.unheld_bends) == 1:
        yield Message(
            "Only handles bend bendy bones here; '{bone}' has animated bending of its own",
            bone=baked.unheld_bends[0],
        )
    elif baked.unheld_bends:
        yield Message(
            "Only handles bend bendy bones here; {count} have animated bending of their own, such as "
            "'{bone}'",
            count=len(baked.unheld_bends),
            bone=baked.unheld_bends[0],
        )


def _sheared(sheared: Sequence[Shear]) -> Message:
    """Say which bones lose shear. sheared: the worst first."""
    words = {"bone": sheared[0].bone, "share": f"{100 * sheared[0].amount:.2g}%"}
    if len(sheared) == 1:
        return Message(
            "Clips can't store shear: '{bone}' loses some, {share} of the distance from its head", **words
        )
    return Message(
        "Clips can't store shear: {count} bones lose some, '{bone}' the most, {share} of the distance "
        "from its head",
        count=len(sheared),
        **words,
    )


def _draw_player(layout: bpy.types.UILayout, context: bpy.types.Context, armature: bpy.types.Object) -> None:
    """Draw what plays on the two tracks and the markers passed, in as many rows as while nothing plays."""
    player = mixer_of(armature)
    if player is not None and player.error:
        wrapped_label(layout, context, player.error, "ERROR")
        return
    table = layout.column(align=True)
    controller = player.controller if player is not None else None
    for track in range(2):
        if controller is None:
            table.label()
        else:
            clip = controller.clips[int(controller.states.clip[0, track])]
            weight, position = float(controller.weight(track)[0]), float(controller.position(track)[0])
            draw_playing_clip(table, clip.name, weight, position, clip.duration)
    passings = tuple(player.passings) if player is not None else ()
    for number in range(PASSINGS_KEPT if _have_markers(armature) else len(passings)):
        if number < len(passings):
            one = passings[number]
            text = f"{one.time:.2f} s  {one.marker} ({one.clip})"
            table.label(text=text, translate=False, icon="MARKER_HLT")
        else:
            table.label()
    outdated = player is not None and up_to_date_player(armature) is None
    text = Message("Settings or clips have changed; bake the clips, or pause and play") if outdated else ""
    wrapped_label(layout, context, text, "INFO" if outdated else "NONE", lines=LINES_OF_CLIP)


def _have_markers(armature: bpy.types.Object) -> bool:
    """Whether the mixer's clips have markers to pass."""
    settings = animation_settings(armature)
    actions = (bpy.data.actions.get(name) for name in (settings.first, settings.second))
    return any(one is not None and len(one.pose_markers) > 0 for one in actions)
