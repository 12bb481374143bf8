"""The demo's animation: a stretch on the toes, then a step with a wave, and back to rest.

It is keyed on the controls of a Rigify rig, as an animator would, and bends everything that makes skin
deform: spine, neck, elbows, knees, ankles, toes and fingers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import radians
from typing import Literal

import bpy
from mathutils import Matrix, Quaternion, Vector

from ..clips.actions import fcurves

ACTION_NAME = "Stretch, step and wave"
FRAMES_PER_SECOND = 24

Turn = tuple[Literal["X", "Y", "Z"], float]
"""An axis of the armature, and degrees about it. The character faces -Y, with its left at +X. Positive X leans
forward, bends a knee and lowers the toes; negative Y raises the left arm; positive Z turns left."""


@dataclass(frozen=True)
class KeyPose:
    """A pose at a frame; controls not listed are at rest.

    turns: each control's turns, in order, relative to the control's parent.
    torso: translation of the whole upper body, in meters.
    curl: for each hand, '.L' or '.R', how far its fingers are closed, 0 to 1.
    """

    frame: int
    turns: dict[str, tuple[Turn, ...]] = field(default_factory=dict)
    torso: tuple[float, float, float] = (0.0, 0.0, 0.0)
    curl: dict[str, float] = field(default_factory=dict)


STEP: dict[str, tuple[Turn, ...]] = {
    "torso": (("Z", -12), ("X", 6)),
    "chest": (("X", 8), ("Z", 28)),
    "neck": (("Z", 10),),
    "head": (("Z", 24), ("X", -8)),
    "shoulder.L": (("Y", -12),),
    "upper_arm_fk.L": (("Y", -38), ("Z", -15)),
    "forearm_fk.L": (("Y", -95), ("X", -15)),
    "hand_fk.L": (("Y", 22),),
    "upper_arm_fk.R": (("Y", -38), ("X", -28)),
    "forearm_fk.R": (("X", -70), ("Y", -12)),
    "hand_fk.R": (("X", -15),),
    "thigh_fk.L": (("X", -58),),
    "shin_fk.L": (("X", 62),),
    "foot_fk.L": (("X", -10),),
    "thigh_fk.R": (("X", 16),),
    "shin_fk.R": (("X", 34),),
    "foot_fk.R": (("X", 14),),
    "toe_fk.R": (("X", -38),),
}

KEY_POSES = (
    KeyPose(1),
    KeyPose(
        11,
        {
            "torso": (("X", -4),),
            "chest": (("X", -16),),
            "neck": (("X", -8),),
            "head": (("X", -14),),
            "shoulder.L": (("Y", -18),),
            "shoulder.R": (("Y", 18),),
            "upper_arm_fk.L": (("Y", -82), ("X", 10)),
            "upper_arm_fk.R": (("Y", 82), ("X", 10)),
            "forearm_fk.L": (("Y", -36),),
            "forearm_fk.R": (("Y", 36),),
            "hand_fk.L": (("Y", 26),),
            "hand_fk.R": (("Y", -26),),
            "thigh_fk.L": (("X", 4),),
            "thigh_fk.R": (("X", 4),),
            "foot_fk.L": (("X", 32),),
            "foot_fk.R": (("X", 32),),
            "toe_fk.L": (("X", -32),),
            "toe_fk.R": (("X", -32),),
        },
        torso=(0.0, -0.02, 0.045),
    ),
    KeyPose(22, STEP, torso=(0.0, -0.12, -0.175), curl={".L": 0.1, ".R": 0.75}),
    KeyPose(
        27,
        STEP | {"forearm_fk.L": (("Y", -70), ("X", -15)), "hand_fk.L": (("Y", -24),)},
        torso=(0.0, -0.12, -0.175),
        curl={".L": 0.45, ".R": 0.75},
    ),
    KeyPose(32, STEP, torso=(0.0, -0.12, -0.175), curl={".L": 0.0, ".R": 0.75}),
    KeyPose(40),
)

LIMBS = ("upper_arm_parent.L", "upper_arm_parent.R", "thigh_parent.L", "thigh_parent.R")
FINGERS = (
    "f_index.01_master",
    "f_middle.01_master",
    "f_ring.01_master",
    "f_pinky.01_master",
    "thumb.01_master",
)


def animate(armature: bpy.types.Object, scene: bpy.types.Scene) -> None:
    """Key the animation on a generated Rigify rig, and have the scene play it from its first frame on."""
    bones = armature.pose.bones
    for limb in LIMBS:
        # Limbs follow the FK controls, not the IK controls of hands and feet.
        bones[limb]["IK_FK"] = 1.0
    action = bpy.data.actions.new(ACTION_NAME)
    armature.animation_data_create().action = action
    turned = dict.fromkeys(control for pose in KEY_POSES for control in pose.turns)
    for pose in KEY_POSES:
        for control in turned:
            bone = bones[control]
            bone.rotation_mode = "QUATERNION"
            bone.rotation_quaternion = _in_bone_space(bone, _turned(pose.turns.get(control, ())))
            bone.keyframe_insert("rotation_quaternion", frame=pose.frame)
        bones["torso"].location = bones["torso"].bone.matrix_local.to_3x3().inverted() @ Vector(pose.torso)
        bones["torso"].keyframe_insert("location", frame=pose.frame)
        for finger in FINGERS:
            for side in (".L", ".R"):
                # Rigify's finger controls close a finger when scaled down along it.
                bones[finger + side].scale = (1.0, 1.0 - 0.8 * pose.curl.get(side, 0.0), 1.0)
                bones[finger + side].keyframe_insert("scale", frame=pose.frame)
    _ease(action)
    scene.frame_start, scene.frame_end = KEY_POSES[0].frame, KEY_POSES[-1].frame
    scene.render.fps = FRAMES_PER_SECOND
    scene.render.fps_base = 1.0
    scene.frame_set(scene.frame_start)


def _turned(turns: tuple[Turn, ...]) -> Quaternion:
    rotation = Quaternion()
    for axis, degrees in turns:
        rotation = Matrix.Rotation(radians(degrees), 3, axis).to_quaternion() @ rotation
    return rotation


def _in_bone_space(bone: bpy.types.PoseBone, rotation: Quaternion) -> Quaternion:
    """Convert a rotation about the armature's axes to one about the bone's own axes in the rest pose."""
    rest = bone.bone.matrix_local.to_quaternion()
    return rest.inverted() @ rotation @ rest


def _ease(action: bpy.types.Action) -> None:
    """Ease in and out of each key, whatever the user's preferences for new keys."""
    for fcurve in fcurves(action):
        for key in fcurve.keyframe_points:
            key.interpolation = "BEZIER"
            key.handle_left_type = key.handle_right_type = "AUTO_CLAMPED"
        fcurve.update()
