"""Plays a check's opened scene: clips, the scene's own animation, ranges of motion."""

from __future__ import annotations

from collections.abc import Sequence

import bpy

from ...core.profiles.export_options import ExportOptions
from ...core.profiles.profile import Profile
from ...core.text.errors import ClipError
from ...scene.clips.armature_state import reset_pose
from ...scene.clips.clip_player import ClipPlayer
from ...scene.clips.playback import ScenePlayback, set_frame, stop_animation, what_plays
from ...scene.clips.range_of_motion import RangeOfMotion, pose_turn, range_of_motion
from ...scene.identification import identity, object_of
from ...scene.objects.deformed_meshes import deformed_meshes
from ...scene.objects.modifier_stack import armature_objects
from ...scene.staging.clip_staging import Scanned

RANGE_OF_MOTION = "range-of-motion"
"""The name that stands for a range of motion in lists of clips."""


def playbacks(scene: bpy.types.Scene, clips: Sequence[str] | None) -> list[Scanned]:
    """Choose what the scene plays. All its armatures count: one may drive the next.

    Raises:
        UsageError: there is no such clip. ClipError: a range of motion is requested and no bone can be
        rotated.
    """
    armatures = [one for one in scene.objects if one.type == "ARMATURE"]
    if clips is None or RANGE_OF_MOTION not in clips:
        return list(what_plays(scene, armatures, clips))
    others = [one for one in clips if one != RANGE_OF_MOTION]
    chosen: list[Scanned] = list(what_plays(scene, armatures, others)) if others else []
    ranges = ranges_of_motion(scene)
    if not ranges:
        raise ClipError(
            "The armatures here have no bones that can be rotated; unlock rotations, or show the controls."
        )
    return [*chosen, *ranges]


def with_ranges_where_still(scene: bpy.types.Scene, chosen: Sequence[Scanned]) -> list[Scanned]:
    """Add ranges of motion to the choice if it is only the current pose, since nothing moves."""
    return [*chosen, *ranges_of_motion(scene)] if is_still(chosen) else list(chosen)


def is_still(chosen: Sequence[Scanned]) -> bool:
    """Whether the current pose is all there is to play."""
    return all(isinstance(one, ScenePlayback) and one.frame_start == one.frame_end for one in chosen)


def ranges_of_motion(scene: bpy.types.Scene) -> list[RangeOfMotion]:
    """List the ranges of motion of the armatures that deform the scene's meshes; those without bones to
    rotate are left out.
    """
    armatures = {one for mesh_object in deformed_meshes(scene) for one in armature_objects(mesh_object)}
    ranges: list[RangeOfMotion] = []
    for one in sorted(armatures, key=identity):
        try:
            ranges.append(range_of_motion(one))
        except ClipError:
            continue
    return ranges


def groups_of(
    player: ClipPlayer, playback: Scanned, profiles: Sequence[Profile]
) -> list[tuple[ExportOptions | None, set[ExportOptions | None]]]:
    """Group the export options of profiles by what the armatures do under them: the options to play with, and
    those that this stands for.
    """
    options = list(dict.fromkeys(one.export_options for one in profiles))
    if isinstance(playback, RangeOfMotion):
        # Poses that no file holds.
        return [(None, set(options))]
    return player.groups(playback, options)


def prepare(
    scene: bpy.types.Scene, player: ClipPlayer, playback: Scanned, options: ExportOptions | None
) -> None:
    """Make the scene ready for the frames of `playback`, as a file exported with these options holds it; None
    for Blender's own. `show` then shows them.
    """
    if not isinstance(playback, RangeOfMotion):
        player.play(playback, options)
        return
    for one in scene.objects:
        if one.type == "ARMATURE":
            stop_animation(one)
            reset_pose(one)


def show(scene: bpy.types.Scene, playback: Scanned, frame: float) -> None:
    """Show a frame of the prepared playback; the rest pose beyond a range of motion's ends."""
    if not isinstance(playback, RangeOfMotion):
        set_frame(scene, frame)
        return
    armature, number = object_of(playback.armature), round(frame)
    if 1 <= number <= len(playback.turns):
        pose_turn(armature, playback.turns[number - 1])
    else:
        reset_pose(armature)
    bpy.context.view_layer.update()
