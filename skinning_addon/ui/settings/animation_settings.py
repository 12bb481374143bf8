"""Settings saved with an armature: its clips and how they are mixed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

from ...animation.events import EventKind
from ...scene.clips.clips import SceneClip
from ...scene.objects.modifier_stack import armature_objects
from ...viewport.choices.translation import CONTEXT
from ...viewport.session import current_session
from .tracks_settings import SKINSCOPE_PG_script

ANIMATION = "skinscope_animation"
"""The attribute of an object that holds them."""


def _change_speed(settings: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    armature = cast("bpy.types.Object", settings.id_data)
    player = current_session().players.of(armature)
    if player is not None and player.plan is None:
        for track in range(player.controller.track_count):
            player.controller.key(EventKind.SPEED, animation_settings(armature).speed, track=track)


def _drop_baked(settings: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    """The baked clips no longer match the settings."""
    current_session().players.drop_baked(cast("bpy.types.Object", settings.id_data))


class SKINSCOPE_PG_clip(bpy.types.PropertyGroup):
    """A clip of an armature; its name is the group's own."""

    frame_start: FloatProperty(name="Start", description="First frame of the clip")
    frame_end: FloatProperty(name="End", description="Last frame of the clip")
    looping: BoolProperty(
        name="Loop",
        description="Start over at the end of the clip instead of holding the last frame",
        default=True,
    )


class SKINSCOPE_PG_animation(bpy.types.PropertyGroup):
    """An armature's clips and its mixer."""

    clips: CollectionProperty(
        type=SKINSCOPE_PG_clip,
        name="Clips",
        description="Actions and NLA tracks that move the armature, as of the last refresh",
    )
    active: IntProperty(name="Clip", description="The selected clip")
    root_motion: EnumProperty(
        name="Root Motion",
        description="Whether baked clips move the character, or stay in place because the engine moves it",
        items=(
            ("KEEP", "Keep", "Clips move the character"),
            ("EXTRACT", "Extract", "Clips stay in place, but still move vertically and turn"),
            (
                "EXTRACT_TURNING",
                "Extract & Turning",
                "Clips stay in place and don't turn about the vertical axis, but still move vertically",
            ),
        ),
        default="KEEP",
        update=_drop_baked,
    )
    root_bone: StringProperty(
        name="Root Bone",
        description="Bone to extract the motion of; if empty, the lowest bone that is above all deforming "
        "bones",
        update=_drop_baked,
    )
    reduction: FloatProperty(
        name="Reduce Keys",
        description="Remove keys as long as no vertex moves by more than this; 0 keeps all keys",
        subtype="DISTANCE",
        default=0.0,
        min=0.0,
        soft_max=0.1,
        step=0.1,
        precision=4,
        update=_drop_baked,
    )
    first: StringProperty(name="First", description="Clip that plays first")
    second: StringProperty(name="Second", translation_context=CONTEXT, description="Clip to fade to")
    transition: FloatProperty(
        name="Transition",
        description="Duration of the fade from one clip to the other",
        subtype="TIME_ABSOLUTE",
        unit="TIME_ABSOLUTE",
        default=0.3,
        min=0.0,
        soft_max=3.0,
        max=60.0,
        step=10,
    )
    speed: FloatProperty(
        name="Speed",
        description="Playback speed of clips; negative values play them backwards",
        default=1.0,
        soft_min=-2.0,
        soft_max=2.0,
        min=-100.0,
        max=100.0,
        step=10,
        update=_change_speed,
    )
    match_phase: BoolProperty(
        name="Match Phase",
        description="Keep both clips at the same phase of their cycles while they fade, such as from a "
        "walk to a run",
        default=False,
    )
    ease: BoolProperty(
        name="Ease In and Out",
        translation_context=CONTEXT,
        description="Start and end the fade gently",
        default=False,
    )
    script: PointerProperty(
        type=SKINSCOPE_PG_script,
        name="Script",
        description="Instructions to the armature's animation controller",
    )
    state: StringProperty(
        name="State",
        description="Where the controller stands, to go on from after loading",
        options={"HIDDEN"},
    )


def animation_settings(armature: bpy.types.Object) -> SKINSCOPE_PG_animation:
    """Return the settings of an armature object."""
    return getattr(armature, ANIMATION)


def list_in_settings(armature: bpy.types.Object, clips: Sequence[SceneClip]) -> None:
    """Relist an armature's clips, of which there is at least one, keeping each clip's settings."""
    settings = animation_settings(armature)
    once = {one.name for one in settings.clips if not one.looping}
    settings.clips.clear()
    for clip in clips:
        item = settings.clips.add()
        item.name, item.frame_start, item.frame_end = clip.name, clip.frame_start, clip.frame_end
        item.looping = clip.name not in once
    names = [one.name for one in settings.clips]
    settings.active = min(settings.active, len(names) - 1)
    if settings.first not in names:
        settings.first = names[0]
    if settings.second not in names:
        settings.second = names[min(1, len(names) - 1)]


def armature_in_focus(context: bpy.types.Context) -> bpy.types.Object | None:
    """Return the active armature, or the one that deforms the active mesh."""
    active = context.active_object
    if active is None or active.type == "ARMATURE":
        return active
    return next(iter(armature_objects(active)), None) if active.type == "MESH" else None


def add_animation_settings() -> None:
    """Give every object its settings."""
    setattr(bpy.types.Object, ANIMATION, PointerProperty(type=SKINSCOPE_PG_animation))


def remove_animation_settings() -> None:
    """Undo `add_animation_settings`; what is saved in files stays there."""
    delattr(bpy.types.Object, ANIMATION)
