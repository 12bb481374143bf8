from __future__ import annotations

import numpy as np

from skinning_addon.core.skinning.joints import Joints
from skinning_addon.core.skinning.passes import Pass
from skinning_addon.core.skinning.skin import Skin
from skinning_addon.core.verdicts.dominant_bone import at_vertex, dominant_bone, dominant_bones
from tests.core.builders import skin_of


def a_pass(skin: Skin, bones, armature="Rig", amount=None) -> Pass:
    """bones: of the joints after joint 0; several of one bone are those of a bendy bone."""
    bone = np.array([-1, *bones], dtype=np.int32)
    matrices = np.tile(np.eye(4), (len(bone), 1, 1))
    joints = Joints(bone, np.zeros(len(bone), dtype=np.int32), matrices, matrices)
    return Pass(skin, joints, armature, amount=amount)


def test_the_largest_share_counts_and_joints_of_one_bone_count_together():
    # Joints 2 and 3 are both of bone 4: together they weigh more than the bone of joint 1.
    skin = skin_of([[(1, 0.45), (2, 0.3), (3, 0.25)], [(1, 0.6), (2, 0.4)]])
    assert dominant_bones([a_pass(skin, [7, 4, 4])], 2).bone.tolist() == [4, 7]
    assert [dominant_bone([a_pass(skin, [7, 4, 4])], vertex) for vertex in range(2)] == [(0, 4), (0, 7)]


def test_shares_count_and_not_stored_weights():
    little = a_pass(skin_of([[(1, 0.02), (2, 0.01)]]), [0, 1])
    much = a_pass(skin_of([[(1, 1.0), (2, 0.9)]]), [5, 6])
    found = dominant_bones([much, little], 1)
    assert (found.pass_index[0], found.bone[0]) == dominant_bone([much, little], 0) == (1, 0)


def test_a_vertex_that_nothing_moves_has_none():
    skin = skin_of([[], [(1, 1e-4)], [(1, 0.0)], [(0, 1.0)]])
    found = dominant_bones([a_pass(skin, [3])], 4)
    assert found.bone.tolist() == [-1, -1, -1, -1]
    assert found.pass_index.tolist() == [-1, -1, -1, -1]
    assert {dominant_bone([a_pass(skin, [3])], vertex) for vertex in range(4)} == {(-1, -1)}
    assert dominant_bones([], 1).bone.tolist() == [-1]
    assert dominant_bone([], 0) == (-1, -1)


def test_one_vertex_alone_keeps_its_influences_and_amount():
    skin = skin_of([[(1, 1.0)], [(2, 0.25), (1, 0.75)], []])
    one = at_vertex(a_pass(skin, [0, 1], amount=np.array([0.1, 0.2, 0.3], dtype=np.float32)), 1)
    assert one.skin.joints.tolist() == [2, 1]
    assert one.skin.weights.tolist() == [0.25, 0.75]
    assert one.amount.tolist() == [np.float32(0.2)]
    assert at_vertex(a_pass(skin, [0, 1]), 2).skin.largest_count == 0
