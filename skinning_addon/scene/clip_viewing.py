"""A clip shown in the scene that a user works in: what an operator does that says so, and that can be undone."""

from __future__ import annotations

import bpy

from .actions import assign
from .clips import find_clips
from .playback import reset_pose


def show_clip(scene: bpy.types.Scene, name: str) -> None:
    """Let the armatures of a clip play it from the rest pose; nothing of their own NLA stacks but its track takes part.

    Raises:
        UsageError: there is no such clip.
    """
    (clip,) = find_clips(scene, [name])
    for part in clip.parts:
        armature = scene.objects[part.armature]
        reset_pose(armature)
        if part.action is not None:
            assign(armature, bpy.data.actions[part.action], part.slot)
            continue
        data = armature.animation_data
        data.use_tweak_mode = False
        data.action = None
        data.use_nla = True
        track = next(one for one in data.nla_tracks if one.name == part.track)
        track.mute = False
        track.is_solo = True
