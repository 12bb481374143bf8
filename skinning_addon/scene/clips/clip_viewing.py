"""Playing a clip in the user's own scene: only for operators that announce it and can be undone."""

from __future__ import annotations

import bpy

from ..identification import object_of
from .armature_state import reset_pose
from .clips import find_clips
from .playback import play_part, stop_animation


def show_clip(scene: bpy.types.Scene, name: str) -> None:
    """Play a clip on its armatures, starting from the rest pose, with all their other NLA tracks off.

    Raises:
        UsageError: the clip does not exist.
    """
    (clip,) = find_clips(scene, [name])
    for part in clip.parts:
        armature = object_of(part.armature)
        stop_animation(armature)
        reset_pose(armature)
        play_part(armature, part)


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
