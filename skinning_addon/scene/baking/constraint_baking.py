"""An action of what constraints and drivers make of an armature's bones: files have no constraints, and without
an action no animation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ...animation.local_pose import LocalPose
from ...core.refit.channels import nearest_channels, turning_the_short_way
from ...core.text.errors import UsageError
from ..clips.action_curves import TRANSFORMS, played_action
from ..clips.actions import POSE_BONE_PATH
from ..clips.clips import list_clips
from ..clips.playback import ScenePlayback
from ..identification import identity
from ..matrices import row_vectors
from ..staging.clip_scene import ClipScene, clip_scene
from ..staging.clip_staging import playback_frames, show_frame, stage_playback


@dataclass(frozen=True)
class ConstrainedMotion:
    """What constraints and drivers make of bones. bones: their names. frames: (F,). channels: (F, B, 4, 4)
    float64, each bone's own matrix, as its location, rotation and scale would have to be.
    """

    bones: tuple[str, ...]
    frames: NDArray[np.float64]
    channels: NDArray[np.float64]


def constrained_motion(scene: bpy.types.Scene, armature: bpy.types.Object) -> ConstrainedMotion:
    """Play the scene on a copy of an armature, and read its bones that have constraints or drivers.

    Creates and removes data-blocks.

    Raises:
        UsageError: there are no such bones, or the armature has clips or is linked.
    """
    if armature.library or armature.override_library:
        raise UsageError("'{armature}' is linked; make it local to bake it.", armature=armature.name)
    if list_clips(scene, [armature]):
        raise UsageError(
            "'{armature}' has clips of its own; bake each with Pose > Animation > Bake Action.",
            armature=armature.name,
        )
    bones = tuple(one.name for one in armature.pose.bones if _is_constrained(one, armature))
    if not bones:
        raise UsageError("No constraint or driver moves a bone of '{armature}'.", armature=armature.name)
    playback = ScenePlayback(scene.frame_start, scene.frame_end)
    frames = playback_frames(playback)
    with clip_scene(scene, [armature]) as stage:
        stage_playback(stage, playback, None)
        read: list[NDArray[np.float64]] = []
        for frame in frames:
            show_frame(stage, playback, frame)
            read.append(_own_matrices(stage, identity(armature), bones))
    return ConstrainedMotion(bones, np.array(frames), np.array(read))


def key_motion(armature: bpy.types.Object, motion: ConstrainedMotion) -> bpy.types.Action:
    """Key the motion in the armature's action, a new one if it has none, and mute the constraints and drivers
    that made it.
    """
    own = played_action(armature)
    channels = nearest_channels(motion.channels)
    rotations = turning_the_short_way(channels.rotations)
    for number, name in enumerate(motion.bones):
        bone = armature.pose.bones[name]
        pose = LocalPose(
            channels.translations[:, number].T, rotations[:, number].T, channels.scales[:, number].T
        )
        own.key_bone(bone, motion.frames, pose, ("translation", "rotation", "scale"), to_the_end=True)
        for constraint in bone.constraints:
            constraint.mute = True
    for driver in _drivers(armature, motion.bones):
        driver.mute = True
    armature.update_tag(refresh={"TIME"})
    return own.action


def _own_matrices(stage: ClipScene, armature: str, bones: Sequence[str]) -> NDArray[np.float64]:
    evaluated = stage.copies[armature].evaluated_get(stage.depsgraph)
    posed = (evaluated.pose.bones[name] for name in bones)
    matrices = [
        evaluated.convert_space(pose_bone=one, matrix=one.matrix, from_space="POSE", to_space="LOCAL")
        for one in posed
    ]
    return np.array([row_vectors(one) for one in matrices])


def _is_constrained(bone: bpy.types.PoseBone, armature: bpy.types.Object) -> bool:
    acting = any(not one.mute and one.influence > 0 for one in bone.constraints)
    return acting or any(True for _ in _drivers(armature, (bone.name,)))


def _drivers(armature: bpy.types.Object, bones: Sequence[str]) -> Iterator[bpy.types.FCurve]:
    """List the drivers of bones' own transforms."""
    data = armature.animation_data
    for one in data.drivers if data else ():
        match = POSE_BONE_PATH.match(one.data_path)
        name = bpy.utils.unescape_identifier(match[1]) if match else None
        if name in bones and one.data_path.rpartition(".")[2] in TRANSFORMS and not one.mute:
            yield one
