from __future__ import annotations

import pytest

from skinning_addon.core.text.body_part import body_part


@pytest.mark.parametrize(
    ("bone", "part"),
    [
        # Blender and Rigify
        ("hand.L", "left hand"),
        ("DEF-hand.L.001", "left hand"),
        ("DEF-upper_arm.R", "right upper arm"),
        ("DEF-f_index.01.L", "left index finger"),
        ("DEF-lid.T.L.003", "left upper eyelid"),
        ("DEF-lip.B.R", "right lower lip"),
        ("DEF-jaw", "jaw"),
        # Mixamo
        ("mixamorig:LeftHand", "left hand"),
        ("mixamorig1:RightUpLeg", "right upper leg"),
        ("mixamorig:LeftHandIndex1", "left index finger"),
        ("mixamorig:LeftForeArm", "left forearm"),
        # Unreal, Unity, VRM, 3ds Max, Maya, glTF's samples
        ("ball_l", "left ball of the foot"),
        ("upperarm_twist_01_l", "left upper arm twist"),
        ("J_Bip_L_UpperArm", "left upper arm"),
        ("Bip001 R Calf", "right calf"),
        ("Skeleton_arm_joint_L__4_", "left arm"),
        ("b_Spine01_02", "spine"),
    ],
)
def test_names_of_the_usual_rigs_are_said_in_words(bone, part):
    assert body_part(bone) == part


@pytest.mark.parametrize(
    "bone", ["Bone.003", "joint1", "root", "kneeIK.l", "handslot.l", "thigh.L.R", "손.L", "L", "", "Node_1"]
)
def test_a_name_that_is_not_understood_is_no_guess(bone):
    assert body_part(bone) is None


def test_each_word_can_be_told_in_another_language():
    told = body_part("DEF-upper_arm.L").retold(
        {"left {part}": "linker {part}", "upper {part}": "Ober{part}", "arm": "arm"}.get
    )
    assert told == "linker Oberarm"
