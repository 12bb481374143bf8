"""Adding and removing tracks and keys of an armature's script."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, TypeVar

import bpy
from bpy.props import BoolProperty

from ...animation.script import MOST_TRACKS
from ...core.text.errors import ScriptError
from ...core.text.message import Message
from ...viewport.choices.translation import translated, translated_tip
from ...viewport.session import current_session
from ..clips.animation_operators import OnArmature
from ..clips.clip_listing import list_if_needed
from ..settings.animation_settings import armature_in_focus
from ..settings.clip_lists import selected_clip
from ..settings.tracks_settings import (
    SKINSCOPE_PG_script,
    SKINSCOPE_PG_track,
    SKINSCOPE_PG_track_key,
    concerns,
    shown_instance,
)
from .script_player import script_player
from .script_properties import script_settings

Item = TypeVar("Item", SKINSCOPE_PG_track, SKINSCOPE_PG_track_key)

WHAT_TO_ADD_FIRST = Message("Add a track, or select one in the list")
WHAT_TO_MASK = Message("Masks apply to all instances; add a track for all of them first")
WHICH_KEY = Message("Add a key, or select one in the list")


class SKINSCOPE_OT_track_add(OnArmature, bpy.types.Operator):
    """Add a track that plays the selected clip, for the chosen instances"""

    bl_idname = "skinscope.track_add"
    bl_label = "Add Track"
    bl_options: ClassVar = {"REGISTER", "UNDO"}

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        settings = script_settings(armature)
        list_if_needed(context.scene, armature)
        used = {one.number for one in settings.tracks}
        number = next((one for one in range(MOST_TRACKS) if one not in used), None)
        if number is None:
            raise ScriptError(
                "A controller can have at most {count} tracks; remove one first.", count=MOST_TRACKS
            )
        item = settings.tracks.add()
        item.number = number
        item.clip = selected_clip(armature)
        item.every, item.instance = settings.every, shown_instance(settings)
        settings.active_track = len(settings.tracks) - 1


class SKINSCOPE_OT_track_remove(OnArmature, bpy.types.Operator):
    """Remove the selected track, and its keys if no other instance has a track with that number"""

    bl_idname = "skinscope.track_remove"
    bl_label = "Remove Track"
    bl_options: ClassVar = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return super().poll(context) and _needs(cls, context, active_track, WHAT_TO_ADD_FIRST)

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:  # noqa: ARG002
        settings = script_settings(armature)
        number = settings.tracks[settings.active_track].number
        settings.tracks.remove(settings.active_track)
        settings.active_track = max(min(settings.active_track, len(settings.tracks) - 1), 0)
        if number not in {one.number for one in settings.tracks}:
            for index in reversed(range(len(settings.keys))):
                key = settings.keys[index]
                if key.kind != "PRIORITY_BLEND" and key.number == number:
                    settings.keys.remove(index)
            settings.active_key = max(min(settings.active_key, len(settings.keys) - 1), 0)
        current_session().players.mark(armature.session_uid)


CLEARS = Message("Let the selected track move all bones again")


class SKINSCOPE_OT_track_mask(OnArmature, bpy.types.Operator):
    """Limit the selected track to the selected bones, or let it move all bones again"""

    bl_idname = "skinscope.track_mask"
    bl_label = "Mask Track to Selected Bones"
    bl_options: ClassVar = {"REGISTER", "UNDO"}

    clear: BoolProperty(name="Clear", description="Let the track move all bones again", default=False)

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: bpy.types.OperatorProperties) -> str:
        return translated_tip(CLEARS) if getattr(properties, "clear", False) else ""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return super().poll(context) and _needs(cls, context, _maskable_track, WHAT_TO_MASK)

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        settings = script_settings(armature)
        bones = [] if self.clear else _selected_bones(context, armature)
        if not bones and not self.clear:
            raise ScriptError(
                "'{armature}' has no selected bones; select the ones that the track should move in Pose "
                "Mode.",
                armature=armature.name,
            )
        track = settings.tracks[settings.active_track]
        track.mask.clear()
        for name in bones:
            track.mask.add().name = name
        track.masked = not self.clear
        current_session().players.mark(armature.session_uid)


class SKINSCOPE_OT_track_key_add(OnArmature, bpy.types.Operator):
    """Key the weight of the selected track at the current time; change what is keyed below"""

    bl_idname = "skinscope.track_key_add"
    bl_label = "Add Key"
    bl_options: ClassVar = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return super().poll(context) and _needs(cls, context, active_track, WHAT_TO_ADD_FIRST)

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:  # noqa: ARG002
        settings = script_settings(armature)
        track = settings.tracks[settings.active_track]
        player = script_player(armature)
        item = settings.keys.add()
        item.number = track.number
        # The moment as it is shown.
        item.time = 0.0 if player is None else round(player.seconds, 3)
        item.share = track.weight
        item.duration = 0.25
        # A track of a single instance can be keyed only for that one.
        item.every = settings.every and track.every
        item.instance = shown_instance(settings) if track.every else track.instance
        settings.active_key = len(settings.keys) - 1


class SKINSCOPE_OT_track_key_remove(OnArmature, bpy.types.Operator):
    """Remove the selected key"""

    bl_idname = "skinscope.track_key_remove"
    bl_label = "Remove Key"
    bl_options: ClassVar = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return super().poll(context) and _needs(cls, context, active_key, WHICH_KEY)

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:  # noqa: ARG002
        settings = script_settings(armature)
        settings.keys.remove(settings.active_key)
        settings.active_key = max(min(settings.active_key, len(settings.keys) - 1), 0)
        current_session().players.mark(armature.session_uid)


def active_track(settings: SKINSCOPE_PG_script) -> SKINSCOPE_PG_track | None:
    """Return the track selected in the list, None if the list does not show it."""
    return _listed(settings.tracks, settings.active_track, settings)


def active_key(settings: SKINSCOPE_PG_script) -> SKINSCOPE_PG_track_key | None:
    """Return the key selected in the list, None if the list does not show it."""
    return _listed(settings.keys, settings.active_key, settings)


def _listed(items: Sequence[Item], active: int, settings: SKINSCOPE_PG_script) -> Item | None:
    item = items[active] if active in range(len(items)) else None
    return item if item is not None and concerns(item, settings) else None


def _maskable_track(settings: SKINSCOPE_PG_script) -> SKINSCOPE_PG_track | None:
    track = active_track(settings)
    return track if track is not None and track.every else None


def _needs(
    operator: type,
    context: bpy.types.Context,
    find: Callable[[SKINSCOPE_PG_script], object],
    otherwise: Message,
) -> bool:
    """Whether an armature's script has what an operator needs; if not, have Blender say what to do."""
    armature = armature_in_focus(context)
    if armature is not None and find(script_settings(armature)) is not None:
        return True
    operator.poll_message_set(translated(otherwise))  # pyright: ignore[reportAttributeAccessIssue]
    return False


def _selected_bones(context: bpy.types.Context, armature: bpy.types.Object) -> list[str]:
    return [one.name for one in context.selected_pose_bones or () if one.id_data == armature]
