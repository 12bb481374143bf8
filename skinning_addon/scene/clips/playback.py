"""Playing a scene at any frame: its own animation or a single clip.

Playing a clip changes the scene: it assigns animation and resets poses. Do so only in files opened to be
measured and in isolated scenes, never in the scene that a user works in.
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
from .armature_state import reset_pose
from .clips import ArmatureClip, SceneClip, find_clips, list_clips

FRAMES_AT_MOST = 50
"""The default number of frames sampled from a clip."""


@dataclass(frozen=True)
class ScenePlayback:
    """The scene's own animation, from frame_start to frame_end, in scene frames; needs no preparation."""

    frame_start: float
    frame_end: float
    name: str = "(scene)"


Playback = SceneClip | ScenePlayback


def what_plays(
    scene: bpy.types.Scene, armatures: Sequence[bpy.types.Object], clip_names: Sequence[str] | None = None
) -> list[Playback]:
    """Choose what to play.

    The named clips if given, else the scene's own animation over its frame range. If that moves nothing, all
    clips; if there are none, the current frame.

    Raises:
        UsageError: a clip is unknown.
    """
    if clip_names:
        return list(find_clips(scene, clip_names, armatures))
    if scene_is_animated(scene, armatures):
        return [ScenePlayback(scene.frame_start, scene.frame_end)]
    present = scene.frame_current_final
    return list(list_clips(scene, armatures)) or [ScenePlayback(present, present)]


def play_clip(scene: bpy.types.Scene, clip: SceneClip) -> None:
    """Play only `clip` on its armatures, with bones that it doesn't key at rest; all other armatures rest.

    `clip_player` plays clips as a file holds them.
    """
    for armature in (one for one in scene.objects if one.type == "ARMATURE"):
        stop_animation(armature)
        reset_pose(armature)
    for part in clip.parts:
        play_part(object_of(part.armature), part)
    # Time remapping would change the clip's speed.
    scene.render.frame_map_old = scene.render.frame_map_new = 100


def stop_animation(armature: bpy.types.Object) -> None:
    """Disable an armature's animation, except for drivers; its pose stays."""
    data = armature.animation_data
    if data is not None:
        data.use_tweak_mode = False
        data.use_nla = False
        data.action = None


def play_part(armature: bpy.types.Object, part: ArmatureClip) -> None:
    """Play an armature's part of a clip; its animation must be stopped."""
    if part.action is not None:
        assign(armature, action_of(part.action), part.slot)
        return
    data = armature.animation_data
    track = next(one for one in data.nla_tracks if one.name == part.track)
    data.use_nla = True
    track.mute = False
    track.is_solo = True


def set_frame(scene: bpy.types.Scene, frame: float) -> None:
    """Go to a frame, which may be fractional, and evaluate the scene there."""
    whole = math.floor(frame)
    scene.frame_set(whole, subframe=frame - whole)


def sample_frames(
    start: float, end: float, step: float | None = None, at_most: int = FRAMES_AT_MOST
) -> tuple[float, ...]:
    """Choose frames from `start` to `end`, both included.

    step: every step-th frame from the start on. If omitted, whole frames and both ends, fractional or not, and
        no more than `at_most` of them, spread evenly.

    Raises:
        UsageError: the end lies before the start, or the step isn't positive.
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
        # A hair more, so that rounding doesn't lose the end with steps such as 0.1.
        return tuple(
            float(start + step * index) for index in range(math.floor((end - start) / step + 1e-6) + 1)
        )
    between = range(math.floor(start) + 1, math.ceil(end))
    if len(between) + 2 > at_most:
        between = (round(frame) for frame in np.linspace(start, end, max(at_most, 2))[1:-1])
    return tuple(sorted({float(start), *(float(frame) for frame in between), float(end)}))


def scene_is_animated(scene: bpy.types.Scene, armatures: Sequence[bpy.types.Object]) -> bool:
    """Tell whether the scene's animation moves any bone of `armatures` relative to its armature.

    This plays the frames that would be measured: actions, the NLA stack, drivers, constraints and animated
    targets all count, an action with a single pose doesn't. If nothing moves, Blender has nothing to evaluate,
    and playing every frame costs little. The current frame is restored afterwards.
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
