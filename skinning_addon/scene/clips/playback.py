"""Playing a scene at any frame: its own animation or a single clip.

Playing a clip changes the scene: animation is assigned and poses are reset. That is for files which were opened
to be measured, and for scenes of one's own; never for the scene that a user works in.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import bpy
import numpy as np

from ...core.text.errors import UsageError
from ..identification import action_of, object_of
from .actions import assign
from .clips import ClipPart, SceneClip, find_clips, list_clips

FRAMES_AT_MOST = 50
"""The default number of frames sampled from a clip."""

REST_CHANNELS = {
    "location": (0, 0, 0),
    "rotation_quaternion": (1, 0, 0, 0),
    "rotation_euler": (0, 0, 0),
    "rotation_axis_angle": (0, 0, 1, 0),
    "scale": (1, 1, 1),
    "bbone_curveinx": (0,),
    "bbone_curveinz": (0,),
    "bbone_curveoutx": (0,),
    "bbone_curveoutz": (0,),
    "bbone_rollin": (0,),
    "bbone_rollout": (0,),
    "bbone_scalein": (1, 1, 1),
    "bbone_scaleout": (1, 1, 1),
    "bbone_easein": (0,),
    "bbone_easeout": (0,),
}
"""A pose bone's values in the rest pose. All three rotations, since the one used depends on the bone."""


@dataclass(frozen=True)
class ScenePlayback:
    """The scene's own animation, from frame_start to frame_end, in scene frames. It needs no preparation."""

    frame_start: float
    frame_end: float
    name: str = "(scene)"


Playback = SceneClip | ScenePlayback


def what_plays(
    scene: bpy.types.Scene, armatures: Sequence[bpy.types.Object], clip_names: Sequence[str] | None = None
) -> list[Playback]:
    """Choose what to look at.

    Named clips, or else what the scene plays, over its frame range; where that moves nothing, every clip; and
    where there is none, the present frame.

    Raises:
        UsageError: a clip is unknown.
    """
    if clip_names:
        return list(find_clips(scene, clip_names, armatures))
    if scene_is_animated(scene, armatures):
        return [ScenePlayback(scene.frame_start, scene.frame_end)]
    present = scene.frame_current_final
    return list(list_clips(scene, armatures)) or [ScenePlayback(present, present)]


def play(scene: bpy.types.Scene, playback: Playback) -> None:
    """Make the scene ready for the frames of `playback`; `set_frame` then shows them."""
    if isinstance(playback, SceneClip):
        play_clip(scene, playback)


def play_clip(scene: bpy.types.Scene, clip: SceneClip) -> None:
    """Let the armatures of `clip` play it and nothing else; all other armatures of the scene rest.

    Poses are reset first: a bone that the clip does not key would keep what the last one left.
    """
    for armature in (one for one in scene.objects if one.type == "ARMATURE"):
        stop_animation(armature)
    for part in clip.parts:
        play_part(object_of(part.armature), part)
    # Stretched time would play the clip at another speed than its own.
    scene.render.frame_map_old = scene.render.frame_map_new = 100


def stop_animation(armature: bpy.types.Object) -> None:
    """Take all animation but drivers off an armature, and put it into the rest pose."""
    data = armature.animation_data
    if data is not None:
        data.use_tweak_mode = False
        data.use_nla = False
        data.action = None
    reset_pose(armature)


def play_part(armature: bpy.types.Object, part: ClipPart) -> None:
    """Let an armature, whose animation was stopped, play its part of a clip."""
    if part.action is not None:
        assign(armature, action_of(part.action), part.slot)
        return
    data = armature.animation_data
    track = next(one for one in data.nla_tracks if one.name == part.track)
    data.use_nla = True
    track.mute = False
    track.is_solo = True


def reset_pose(armature: bpy.types.Object) -> None:
    """Put every pose bone into the rest pose; custom properties stay as they are."""
    if armature.pose is None or not armature.pose.bones:
        return
    count = len(armature.pose.bones)
    for channel, rest in REST_CHANNELS.items():
        armature.pose.bones.foreach_set(channel, np.tile(np.array(rest, dtype=np.float32), count))
    # Values that are set in bulk are not noticed otherwise.
    armature.update_tag()


def set_frame(scene: bpy.types.Scene, frame: float) -> None:
    """Go to a frame that need not be whole; the scene is evaluated there."""
    whole = math.floor(frame)
    scene.frame_set(whole, subframe=frame - whole)


def sample_frames(
    start: float, end: float, step: float | None = None, at_most: int = FRAMES_AT_MOST
) -> tuple[float, ...]:
    """Choose frames from `start` to `end`, both included.

    step: every step-th frame from the start on. Left out, it is whole frames and the two ends, whole or not,
        `at_most` of them spread evenly.

    Raises:
        UsageError: the end lies before the start, or the step is not above 0.
    """
    if not (math.isfinite(start) and math.isfinite(end) and start <= end):
        raise UsageError(
            "Frames can't run from {start:g} to {end:g}; the first must not be after the last.",
            start=start,
            end=end,
        )
    if step is not None:
        if not step > 0:
            raise UsageError("Frames can't be taken in steps of {step:g}; give a number above 0.", step=step)
        # A hair more, so that the end is not lost to rounding in steps such as 0.1.
        return tuple(
            float(start + step * index) for index in range(math.floor((end - start) / step + 1e-6) + 1)
        )
    between = range(math.floor(start) + 1, math.ceil(end))
    if len(between) + 2 > at_most:
        between = (round(frame) for frame in np.linspace(start, end, max(at_most, 2))[1:-1])
    return tuple(sorted({float(start), *(float(frame) for frame in between), float(end)}))


def scene_is_animated(scene: bpy.types.Scene, armatures: Sequence[bpy.types.Object]) -> bool:
    """Tell whether what the scene plays moves a bone of `armatures`, relative to its armature.

    That is seen by playing it, over the frames that would be measured: actions, the NLA stack, drivers,
    constraints and animated targets all count, and an action of one pose does not. Where nothing moves, Blender
    has nothing to evaluate, and looking at every frame costs little. The present frame is set again afterwards.
    """
    present = scene.frame_current_final
    first: list[np.ndarray] | None = None
    try:
        for frame in sample_frames(scene.frame_start, max(scene.frame_start, scene.frame_end)):
            set_frame(scene, frame)
            depsgraph = bpy.context.evaluated_depsgraph_get()
            poses = [_pose(one.evaluated_get(depsgraph)) for one in armatures]
            if first is None:
                first = poses
            elif any(not np.array_equal(one, other) for one, other in zip(first, poses, strict=True)):
                return True
    finally:
        set_frame(scene, present)
    return False


def _pose(armature: bpy.types.Object) -> np.ndarray:
    matrices = np.empty(16 * len(armature.pose.bones) if armature.pose else 0, dtype=np.float32)
    if matrices.size:
        armature.pose.bones.foreach_get("matrix", matrices)
    return matrices
