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
