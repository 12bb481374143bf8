"""Playing a clip in the user's own scene: only for operators that announce it and can be undone."""

from __future__ import annotations

from collections.abc import Iterable

import bpy

from ..identification import object_of
from .armature_state import reset_pose
from .clips import find_clips
from .followed_objects import followed_objects
from .playback import play_part, stop_animation


def show_clip(scene: bpy.types.Scene, name: str, armatures: Iterable[bpy.types.Object]) -> None:
    """Play a clip on those of its armatures that are among these, or that these follow, starting from the rest
    pose, with all their other NLA tracks off. If none of them is, on all.

    Raises:
        UsageError: the clip does not exist.
    """
    (clip,) = find_clips(scene, [name])
    wanted = _with_followed(armatures)
    concerned = [one for part in clip.parts if (one := object_of(part.armature)) in wanted]
    for part in clip.parts:
        armature = object_of(part.armature)
        if concerned and armature not in concerned:
            continue
        stop_animation(armature)
        reset_pose(armature)
        play_part(armature, part)


def _with_followed(armatures: Iterable[bpy.types.Object]) -> set[bpy.types.Object]:
    found, waiting = set[bpy.types.Object](), list(armatures)
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting += followed_objects(one)
    return found


def clips_in_timeline(armature: bpy.types.Object) -> set[str]:
    """Return the names of the clips that an armature shows now: its action's, or that of the NLA track which
    the action lies on, and those of the tracks that play alone.
    """
    data = armature.animation_data
    if data is None:
        return set()
    names = {track.name for track in data.nla_tracks if track.is_solo}
    if data.action is not None:
        names.add(data.action.name)
        names |= {
            track.name for track in data.nla_tracks if any(one.action == data.action for one in track.strips)
        }
    return names
