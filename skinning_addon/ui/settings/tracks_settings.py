"""Settings saved with an armature about its tracks: a script, as properties that can be edited and undone."""

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
    ("HIGH", "High", ("Mixed with the other high-priority tracks, then laid over the low ones by the "
                     "priority blend")),
)  # fmt: skip

KINDS = (
    ("ENABLE", "Enable", "Play the track, or stop it"),
    ("SPEED", "Speed", "Playback speed of the track"),
    ("WEIGHT", "Weight", "Weight of the track among those of its priority"),
    ("POSITION", "Position", "Position in the clip to continue from"),
    ("PRIORITY", "Priority", "Group of tracks that it is mixed with"),
    ("MASK", "Mask", "Strength of the track's mask"),
    (
        "PRIORITY_BLEND",
        "Priority Blend",
        "How far high-priority tracks are laid over low ones; belongs to no single track",
    ),
)

AT_ONCE = frozenset({"ENABLE", "POSITION", "PRIORITY"})

TRANSITIONS = (
    ("LINEAR", "Linear", "At constant speed from one value to the next", "IPO_LINEAR", 0),
    ("EASE", "Ease In and Out", "Slow at both ends between one value and the next", "IPO_EASE_IN_OUT", 1),
)  # fmt: skip

TIME_OPTIONS = {"subtype": "TIME_ABSOLUTE", "unit": "TIME_ABSOLUTE", "step": 10, "precision": 3}


def _changed(group: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    """A running player follows at the next tick."""
    current_session().players.mark(cast("bpy.types.Object", group.id_data).session_uid)


def _speed() -> FloatProperty:
    return FloatProperty(
        name="Speed",
        description="Multiple of the clip's own speed; negative values play it backwards",
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
        description="Number by which keys refer to the track",
        min=0,
        max=MOST_TRACKS - 1,
        update=_changed,
    )


def _every() -> BoolProperty:
    return BoolProperty(
        name="All Instances",
        description="Apply to all instances instead of only one",
        default=True,
        update=_changed,
    )


def _instance() -> IntProperty:
    return IntProperty(
        name="Instance",
        description="Instance that it applies to, counted from 0",
        min=0,
        max=MOST_INSTANCES - 1,
        update=_changed,
    )


def _priority() -> EnumProperty:
    return EnumProperty(
        name="Priority",
        description="Tracks that it is mixed with",
        items=PRIORITIES,
        default="LOW",
        update=_changed,
    )


class SKINSCOPE_PG_masked_bone(bpy.types.PropertyGroup):
    """A bone that a track moves; its name is the group's own."""

    amount: _share("Amount", "Share of the track's weight that applies to the bone")


class SKINSCOPE_PG_track(bpy.types.PropertyGroup):
    """A track of the controller as it is at the start."""

    number: _number()
    clip: StringProperty(name="Clip", description="Clip that the track plays", update=_changed)
    enabled: BoolProperty(
        name="Enable",
        translation_context=CONTEXT,
        description="Play the track from the start",
        default=True,
        update=_changed,
    )
    speed: _speed()
    weight: _share("Weight", "Weight of the track among those of its priority")
    position: _seconds("Position", "Position in the clip to start from", least=-LONGEST_SCRIPT)
    priority: _priority()
    masked: BoolProperty(
        name="Masked",
        description="Move only the bones of the mask; an empty mask moves none",
        default=False,
        update=_changed,
    )
    mask: CollectionProperty(
        type=SKINSCOPE_PG_masked_bone, name="Mask", description="Bones that a masked track moves"
    )
    every: _every()
    instance: _instance()


class SKINSCOPE_PG_track_key(bpy.types.PropertyGroup):
    """Something that changes at a time. Which of the values counts depends on what is keyed."""

    time: _seconds("Time", "Time of the change, in seconds from the start")
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
        description="Play the track from this time on",
        default=True,
        update=_changed,
    )
    speed: _speed()
    share: _share("Value", "New value")
    position: _seconds("Position", "Position in the clip to continue from", least=-LONGEST_SCRIPT)
    priority: _priority()
    duration: _seconds("Duration", "Duration of the change")
    transition: EnumProperty(
        name="Transition",
        description="How to go from one value to the next",
        items=TRANSITIONS,
        default="LINEAR",
        update=_changed,
    )
    every: _every()
    instance: _instance()


class SKINSCOPE_PG_script(bpy.types.PropertyGroup):
    """What an armature's controller is told."""

    tracks: CollectionProperty(type=SKINSCOPE_PG_track, name="Tracks", description="The controller's tracks")
    active_track: IntProperty(name="Track", description="The selected track")
    keys: CollectionProperty(type=SKINSCOPE_PG_track_key, name="Keys", description="Changes in order of time")
    active_key: IntProperty(name="Key", translation_context=CONTEXT, description="The selected key")
    instances: IntProperty(
        name="Instances",
        description="Number of characters that the controller plays, each with its own tracks",
        default=1,
        min=1,
        max=MOST_INSTANCES,
        soft_max=8,
        update=_changed,
    )
    every: BoolProperty(
        name="All Instances",
        description="Apply new tracks and keys to all instances; the preview shows the first",
        default=True,
        update=_changed,
    )
    instance: IntProperty(
        name="Instance",
        description="Instance to list, to show in the preview and to apply new tracks and keys to",
        min=0,
        max=MOST_INSTANCES - 1,
        update=_changed,
    )
    seconds: _seconds("Length", "Length of the script; 0 plays until all keys and clips are done")
    priority_blend: _share(
        "Priority Blend", "How far high-priority tracks are laid over low ones at the start"
    )


def shown_instance(settings: SKINSCOPE_PG_script) -> int:
    """Return which instance previews and lists show."""
    return 0 if settings.every else min(settings.instance, settings.instances - 1)


def lost(item: SKINSCOPE_PG_track | SKINSCOPE_PG_track_key, settings: SKINSCOPE_PG_script) -> bool:
    """Whether a track or a key is for an instance that no longer exists."""
    return not item.every and item.instance >= settings.instances


def concerns(item: SKINSCOPE_PG_track | SKINSCOPE_PG_track_key, settings: SKINSCOPE_PG_script) -> bool:
    """Whether a track or a key is listed: it applies to the chosen instances, all or the shown one, or to
    none that exists.
    """
    shown = settings.every or item.every or item.instance == shown_instance(settings)
    return shown or lost(item, settings)
