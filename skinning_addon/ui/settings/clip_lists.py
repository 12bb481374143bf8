"""The lists of clips that the interface shows, by armature: the window manager's, so no undo step holds them.

They say what an armature's actions and tracks are at the moment. What users decide about clips is saved with
the armature (`animation_settings`).
"""

from __future__ import annotations

from collections.abc import Sequence

import bpy
from bpy.props import CollectionProperty, FloatProperty, IntProperty, PointerProperty, StringProperty

from ...animation.script import LONGEST_SCRIPT
from ...scene.clips.clips import SceneClip
from ...viewport.session import current_session

CLIP_LISTS = "skinscope_clip_lists"
"""The attribute of the window manager that holds them."""


def _get_time(listed: SKINSCOPE_PG_clip_list) -> float:
    player = current_session().players.by_uid(int(listed.name))
    return 0.0 if player is None or player.plan is None else player.seconds


def _set_time(listed: SKINSCOPE_PG_clip_list, seconds: float) -> None:
    current_session().players.go_to(int(listed.name), seconds)


class SKINSCOPE_PG_listed_clip(bpy.types.PropertyGroup):
    """A clip of an armature; its name is the group's own."""

    frame_start: FloatProperty(name="Start", description="First frame of the clip")
    frame_end: FloatProperty(name="End", description="Last frame of the clip")


class SKINSCOPE_PG_clip_list(bpy.types.PropertyGroup):
    """The clips of one armature; the group's name is the session_uid of the armature object."""

    clips: CollectionProperty(
        type=SKINSCOPE_PG_listed_clip,
        name="Clips",
        description="Actions and NLA tracks that move the armature, as of the last refresh",
    )
    active: IntProperty(name="Clip", description="The selected clip")
    source: StringProperty(name="Source", description="What the clips were listed from")
    time: FloatProperty(
        name="Time",
        description="Current time of the script; drag to look at any moment",
        get=_get_time,
        set=_set_time,
        min=0.0,
        max=LONGEST_SCRIPT,
        subtype="TIME_ABSOLUTE",
        unit="TIME_ABSOLUTE",
        step=10,
        precision=3,
    )


class SKINSCOPE_PG_clip_lists(bpy.types.PropertyGroup):
    """All armatures' lists."""

    lists: CollectionProperty(
        type=SKINSCOPE_PG_clip_list, name="Clip Lists", description="The clips of each armature"
    )


def _lists() -> bpy.types.bpy_prop_collection_idprop[SKINSCOPE_PG_clip_list]:
    return getattr(bpy.context.window_manager, CLIP_LISTS).lists


def clip_list(armature: bpy.types.Object) -> SKINSCOPE_PG_clip_list | None:
    """Return an armature's list, None if its clips were not listed yet."""
    return _lists().get(str(armature.session_uid))


def clip_names(armature: bpy.types.Object) -> list[str]:
    """Return the names of an armature's listed clips."""
    listed = clip_list(armature)
    return [] if listed is None else listed.clips.keys()


def selected_clip(armature: bpy.types.Object) -> str:
    """Return the name of the clip that is selected in an armature's list; empty if that is empty."""
    listed = clip_list(armature)
    if listed is None or not listed.clips:
        return ""
    return listed.clips[min(max(listed.active, 0), len(listed.clips) - 1)].name


def select_clip(armature: bpy.types.Object, name: str) -> None:
    """Select a clip in an armature's list, if it is there."""
    listed = clip_list(armature)
    if listed is not None and name in listed.clips:
        listed.active = listed.clips.find(name)


def list_for(armature: bpy.types.Object, clips: Sequence[SceneClip]) -> None:
    """List an armature's clips in place of those that were listed."""
    listed = clip_list(armature)
    if listed is None:
        listed = _lists().add()
        listed.name = str(armature.session_uid)
    selected = selected_clip(armature)
    listed.clips.clear()
    for clip in clips:
        item = listed.clips.add()
        item.name, item.frame_start, item.frame_end = clip.name, clip.frame_start, clip.frame_end
    listed.active = max(listed.clips.find(selected), 0)


def listed_armatures() -> list[bpy.types.Object]:
    """Return the armature objects that have a list and still exist, and forget the lists of others."""
    objects, lists = current_session().objects, _lists()
    found = {one.name: objects.find(int(one.name)) for one in lists}
    for name in [name for name, armature in found.items() if armature is None]:
        lists.remove(lists.find(name))
    return [armature for armature in found.values() if armature is not None]


def forget_clip_lists() -> None:
    """Drop all lists, as when another file is loaded."""
    _lists().clear()


def add_clip_lists() -> None:
    """Give the window manager the lists."""
    setattr(bpy.types.WindowManager, CLIP_LISTS, PointerProperty(type=SKINSCOPE_PG_clip_lists))


def remove_clip_lists() -> None:
    """Undo `add_clip_lists`."""
    delattr(bpy.types.WindowManager, CLIP_LISTS)
