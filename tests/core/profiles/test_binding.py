"""What deforms a mesh, and whether that accounts for everything Blender does to it."""

import numpy as np
import pytest

from skinning_addon.core.profiles.binding import Binding, Reason
from skinning_addon.core.skinning.joints import Joints
from skinning_addon.core.skinning.passes import Pass
from skinning_addon.core.text.errors import InvalidArrayError
from tests.core.builders import mesh_of, skeleton_of, skin_of


def pass_by(armature, bones):
    joints = Joints.of_bones(skeleton_of([-1] * bones), range(bones), np.eye(4))
    return Pass(skin_of([[(1, 1.0)]]), joints, armature)


def binding_of(*passes, reasons=()):
    skeletons = {one.armature: skeleton_of([-1] * (len(one.joints) - 1)) for one in passes}
    return Binding("Body", mesh_of([(0, 0, 0)]), skeletons, passes, reasons)


def test_a_binding_is_exact_until_there_is_a_reason_why_not():
    assert binding_of(pass_by("Rig", 2)).exact
    reason = Reason("preserve-volume", "'Body' preserves its volume, which linear blending can't.")
    assert not binding_of(pass_by("Rig", 2), reasons=(reason,)).exact


def test_weights_for_another_mesh_are_refused_with_both_numbers():
    with pytest.raises(InvalidArrayError, match=r"'Rig' .*\b1 vertices of 'Body', .*\b2\."):
        Binding("Body", mesh_of([(0, 0, 0)] * 2), {"Rig": skeleton_of([-1])}, (pass_by("Rig", 1),))


def test_an_armature_that_deforms_twice_is_read_once():
    binding = binding_of(pass_by("Rig", 2), pass_by("Cloth rig", 3), pass_by("Rig", 2))
    assert binding.armatures == ("Rig", "Cloth rig")


def test_joints_are_counted_without_joint_0():
    assert binding_of(pass_by("Rig", 2), pass_by("Cloth rig", 3)).joint_count == 5


def test_a_mesh_that_nothing_deforms_has_no_joints():
    binding = binding_of()
    assert binding.joint_count == 0
    assert binding.armatures == ()
    assert binding.exact
