"""Settings saved with an armature: its clips and how they are mixed."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    PointerProperty,
    StringProperty,
)

from ...scene.objects.modifier_stack import armature_objects
from ...viewport.choices.translation import CONTEXT
from ...viewport.session import current_session
from .clip_lists import clip_names
from .tracks_settings import SKINSCOPE_PG_script

ANIMATION = "skinscope_animation"
"""The attribute of an object that holds them."""


def _change_speed(settings: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    """A running player follows at the next tick."""
    current_session().players.mark(cast("bpy.types.Object", settings.id_data).session_uid)


def _drop_baked(settings: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    """The baked clips no longer match the settings."""
    current_session().players.drop_baked(cast("bpy.types.Object", settings.id_data))


def _chosen(own: str, number: int) -> Callable[[SKINSCOPE_PG_animation], str]:
    """Return a getter: the clip the user chose, or as long as it is not listed the clip with that number."""

    def get(settings: SKINSCOPE_PG_animation) -> str:
        names = clip_names(cast("bpy.types.Object", settings.id_data))
        chosen = getattr(settings, own)
        return chosen if not names or chosen in names else names[min(number, len(names) - 1)]

    return get


class SKINSCOPE_PG_clip(bpy.types.PropertyGroup):
    """What the user decided about a clip; its name is the group's own."""

    looping: BoolProperty(
        name="Loop",
        description="Start over at the end of the clip instead of holding the last frame",
        default=True,
    )


class SKINSCOPE_PG_animation(bpy.types.PropertyGroup):
    """An armature's clips and its mixer."""

    clips: CollectionProperty(
        type=SKINSCOPE_PG_clip, name="Clips", description="Settings of clips; those without any loop"
    )
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
        step=0.01,
        precision=4,
        update=_drop_baked,
    )
    own_first: StringProperty(name="First", description="First clip, as chosen", options={"HIDDEN"})
    own_second: StringProperty(
        name="Second",
        translation_context=CONTEXT,
        description="Second clip, as chosen",
        options={"HIDDEN"},
    )
    first: StringProperty(
        name="First",
        description="Clip that plays first",
        get=_chosen("own_first", 0),
        set=lambda settings, name: setattr(settings, "own_first", name),
    )
    second: StringProperty(
        name="Second",
        translation_context=CONTEXT,
        description="Clip to fade to",
        get=_chosen("own_second", 1),
        set=lambda settings, name: setattr(settings, "own_second", name),
    )
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


def loops(armature: bpy.types.Object, clip: str) -> bool:
    """Whether a clip of an armature starts over at its end."""
    decided = animation_settings(armature).clips
    return decided[clip].looping if clip in decided else True


def let_loop(armature: bpy.types.Object, clip: str, *, looping: bool) -> None:
    """Have a clip of an armature start over at its end, or hold its last frame."""
    if loops(armature, clip) == looping:
        return
    decided = animation_settings(armature).clips
    if clip not in decided:
        decided.add().name = clip
    decided[clip].looping = looping


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
