"""What a game-ready copy will play, told before it is made: a fit of many frames takes minutes."""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache

import bpy

from ...core.text.counts import clips
from ...core.text.message import Message
from ...measurement.profiles.game_ready import clips_of
from ...scene.clips.clips import SceneClip
from ...scene.identification import identity, object_of

NAMED = 3
"""More clips are counted."""


def told_clips(scene: bpy.types.Scene, armature: bpy.types.Object) -> Message:
    """Say how many clips a copy of an armature will have, of how many frames, and which. Cheap enough to be
    called while drawing: clips are listed again only once an action, a track or a bone has come, gone or got
    other frames.
    """
    return _told(scene.name, identity(armature), _signature(scene, armature))


def _signature(scene: bpy.types.Scene, armature: bpy.types.Object) -> Hashable:
    """Summarize what clips are listed from, without reading every curve's path."""
    data = armature.animation_data
    return (
        scene.session_uid,
        (scene.frame_start, scene.frame_end),
        armature.session_uid,
        len(armature.pose.bones) if armature.pose else 0,
        tuple((one.session_uid, one.name, *one.frame_range) for one in bpy.data.actions),
        tuple((one.name, len(one.strips), one.mute) for one in (data.nla_tracks if data else ())),
    )


@lru_cache(maxsize=1)
def _told(scene: str, armature: str, _signature: Hashable) -> Message:
    found = clips_of(bpy.data.scenes[scene], object_of(armature))
    frames = sum(int(one.frame_end - one.frame_start) + 1 for one in found)
    names = [one.name for one in found if isinstance(one, SceneClip)]
    if not names:
        return Message("It will have what the scene plays: {frames:,} frames", frames=frames)
    listed, more = ", ".join(names[:NAMED]), len(names) - NAMED
    what = {"clips": clips(len(names)), "frames": frames, "names": listed}
    if more > 0:
        return Message(
            "It will have {clips}, {frames:,} frames: {names} and {more:,} more", more=more, **what
        )
    return Message("It will have {clips}, {frames:,} frames: {names}", **what)
