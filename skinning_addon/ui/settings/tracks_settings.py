"""What is saved with an armature about its tracks: a script, as properties that can be edited and undone."""

from __future__ import annotations

from typing import cast

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    IntProperty,
    StringProperty,
)

from ...animation.script import LONGEST_SCRIPT, MOST_INSTANCES, MOST_TRACKS
from ...viewport.choices.translation import CONTEXT
from ...viewport.session import current_session

PRIORITIES = (
    ("LOW", "Low", "Mixed by weight with the other low-priority tracks"),
    ("HIGH", "High", "Mixed with the other high-priority tracks, and put over the low ones by the priority blend"),
)  # fmt: skip

KINDS = (
    ("ENABLE", "Enable", "Let the track play and be heard, or stop it"),
    ("SPEED", "Speed", "How fast the track plays"),
    ("WEIGHT", "Weight", "How much the track counts among those of its priority"),
    ("POSITION", "Position", "Where in its clip the track goes on"),
    ("PRIORITY", "Priority", "Which group of tracks it is mixed with"),
    ("MASK", "Mask", "How far the track's mask holds"),
    ("PRIORITY_BLEND", "Priority Blend", "How far high-priority tracks are put over low ones; of no track"),
)

AT_ONCE = frozenset({"ENABLE", "POSITION", "PRIORITY"})

TRANSITIONS = (
    ("LINEAR", "Linear", "Straight from one value to the next", "IPO_LINEAR", 0),
    ("EASE", "Ease In and Out", "Gently from one value to the next, at rest at both ends", "IPO_EASE_IN_OUT", 1),
)  # fmt: skip

TIME_OPTIONS = {"subtype": "TIME_ABSOLUTE", "unit": "TIME_ABSOLUTE", "step": 10, "precision": 3}


def _changed(group: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    """Whatever plays follows at the next tick."""
    current_session().players.mark(cast("bpy.types.Object", group.id_data).session_uid)


def _speed() -> FloatProperty:
    return FloatProperty(
        name="Speed",
        description="Times the clip's own speed; negative speeds play it backwards",
        default=1.0,
        soft_min=-2.0,
        soft_max=2.0,
        min=-1000.0,
        max=1000.0,
        step=10,
        update=_changed,
    )


def _share(name: str, description: str) -> FloatProperty:
    return FloatProperty(
        name=name,
        description=description,
        default=1.0,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        update=_changed,
    )


def _seconds(name: str, description: str, least: float = 0.0) -> FloatProperty:
    return FloatProperty(
        name=name,
        description=description,
        default=0.0,
        min=least,
        max=LONGEST_SCRIPT,
        soft_min=0.0,
        soft_max=10.0,
        update=_changed,
        **TIME_OPTIONS,
    )


def _number() -> IntProperty:
    return IntProperty(
        name="Track",
        description="Number of the track, by which keys name it",
        min=0,
        max=MOST_TRACKS - 1,
        update=_changed,
    )


def _every() -> BoolProperty:
    return BoolProperty(
        name="All Instances",
        description="It applies to all instances, and not to one alone",
        default=True,
        update=_changed,
    )


def _instance() -> IntProperty:
    return IntProperty(
        name="Instance",
        description="The instance that it applies to, counted from 0",
        min=0,
        max=MOST_INSTANCES - 1,
        update=_changed,
    )


def _priority() -> EnumProperty:
    return EnumProperty(
        name="Priority",
        description="Which tracks it is mixed with",
        items=PRIORITIES,
        default="LOW",
        update=_changed,
    )


class SKINSCOPE_PG_masked_bone(bpy.types.PropertyGroup):
    """A bone that a track moves; its name is the group's own."""

    amount: _share("Amount", "How much of the track's weight the bone takes")


class SKINSCOPE_PG_track(bpy.types.PropertyGroup):
    """A track of the controller as it is at the start."""

    number: _number()
    clip: StringProperty(name="Clip", description="Clip that the track plays", update=_changed)
    enabled: BoolProperty(
        name="Enable",
        translation_context=CONTEXT,
        description="The track plays and is heard from the start",
        default=True,
        update=_changed,
    )
    speed: _speed()
    weight: _share("Weight", "How much the track counts among those of its priority")
    position: _seconds("Position", "Where in its clip the track begins", least=-LONGEST_SCRIPT)
    priority: _priority()
    masked: BoolProperty(
        name="Masked",
        description="The track moves the bones of its mask only, none where there are none",
        default=False,
        update=_changed,
    )
    mask: CollectionProperty(
        type=SKINSCOPE_PG_masked_bone, name="Mask", description="Bones that the track moves if it is masked"
    )
    every: _every()
    instance: _instance()


class SKINSCOPE_PG_track_key(bpy.types.PropertyGroup):
    """Something that changes at a time. Which of the values counts depends on what is keyed."""

    time: _seconds("Time", "When it changes, in seconds from the start")
    kind: EnumProperty(
        name="Change",
        description="What changes",
        items=KINDS,
        default="WEIGHT",
        update=_changed,
    )
    number: _number()
    enabled: BoolProperty(
        name="Enable",
        translation_context=CONTEXT,
        description="The track plays and is heard from then on",
        default=True,
        update=_changed,
    )
    speed: _speed()
    share: _share("Value", "What it changes to")
    position: _seconds("Position", "Where in its clip the track goes on", least=-LONGEST_SCRIPT)
    priority: _priority()
    duration: _seconds("Duration", "How long the change takes")
    transition: EnumProperty(
        name="Transition",
        description="How it goes from one value to the next",
        items=TRANSITIONS,
        default="LINEAR",
        update=_changed,
    )
    every: _every()
    instance: _instance()


def _get_time(settings: bpy.types.PropertyGroup) -> float:
    player = current_session().players.of(cast("bpy.types.Object", settings.id_data))
    return 0.0 if player is None or player.plan is None else player.seconds


def _set_time(settings: bpy.types.PropertyGroup, seconds: float) -> None:
    current_session().players.go_to(cast("bpy.types.Object", settings.id_data), seconds)


class SKINSCOPE_PG_script(bpy.types.PropertyGroup):
    """What an armature's controller is told."""

    tracks: CollectionProperty(type=SKINSCOPE_PG_track, name="Tracks", description="The controller's tracks")
    active_track: IntProperty(name="Track", description="The track that is selected in the list")
    keys: CollectionProperty(
        type=SKINSCOPE_PG_track_key, name="Keys", description="What changes when, in the order of time"
    )
    active_key: IntProperty(
        name="Key", translation_context=CONTEXT, description="The key that is selected in the list"
    )
    instances: IntProperty(
        name="Instances",
        description="How many characters the controller plays, each with tracks of its own",
        default=1,
        min=1,
        max=MOST_INSTANCES,
        soft_max=8,
        update=_changed,
    )
    every: BoolProperty(
        name="All Instances",
        description="New tracks and keys apply to all instances; the preview shows the first",
        default=True,
        update=_changed,
    )
    instance: IntProperty(
        name="Instance",
        description="The instance that new tracks and keys apply to, that the lists are about, and that the preview shows",
        min=0,
        max=MOST_INSTANCES - 1,
        update=_changed,
    )
    seconds: _seconds(
        "Length", "How long the script plays; 0 until all keys have happened and all clips were played"
    )
    priority_blend: _share(
        "Priority Blend", "How far high-priority tracks are put over low ones at the start"
    )
    time: FloatProperty(
        name="Time",
        description="Where the script stands; drag it to look at any moment",
        get=_get_time,
        set=_set_time,
        min=0.0,
        max=LONGEST_SCRIPT,
        **TIME_OPTIONS,
    )  # fmt: skip


def shown_instance(settings: SKINSCOPE_PG_script) -> int:
    """Return which instance previews and lists show."""
    return 0 if settings.every else min(settings.instance, settings.instances - 1)


def lost(item: SKINSCOPE_PG_track | SKINSCOPE_PG_track_key, settings: SKINSCOPE_PG_script) -> bool:
    """Tell whether a track or a key is for an instance that is no longer there."""
    return not item.every and item.instance >= settings.instances


def concerns(item: SKINSCOPE_PG_track | SKINSCOPE_PG_track_key, settings: SKINSCOPE_PG_script) -> bool:
    """Tell whether a track or a key is listed: it applies to what is chosen, all instances or the shown one, or to none."""
    shown = settings.every or item.every or item.instance == shown_instance(settings)
    return shown or lost(item, settings)
