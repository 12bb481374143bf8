from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from skinning_addon.core.blending.dual_quaternion import dual_quaternion_palette
from skinning_addon.core.blending.volume_palette import volume_palette
from skinning_addon.core.inspection.vertex_trace import trace_vertex
from skinning_addon.core.profiles.binding import Binding
from skinning_addon.core.skinning.joints import Joints
from skinning_addon.core.skinning.palette import final_matrices
from skinning_addon.core.skinning.passes import Blend, Pass, PassInput
from skinning_addon.core.skinning.pose import Pose
from tests.core.builders import mesh_of, rotation, skeleton_of, skin_of, translation

Z = (0.0, 0.0, 1.0)


@dataclass
class Posed:
    """One pass at one instant, whose mesh stands where the armature does."""

    joints: Joints
    pose: Pose
    palette: object
    root_to_mesh: np.ndarray


def a_pass(rows, blend=Blend.LINEAR, amount=None, pass_input=PassInput.PREVIOUS):
    """Two bones: "bone.000" rests at the origin, "bone.001" at x = 2."""
    skeleton = skeleton_of([-1, -1], np.array([np.eye(4), translation(2, 0, 0)]))
    joints = Joints.of_bones(skeleton, [0, 1], np.eye(4))
    amount = None if amount is None else np.array(amount, dtype=np.float32)
    return skeleton, Pass(skin_of(rows), joints, "Rig", blend=blend, amount=amount, input=pass_input)


def posed(one, second_bone=None):
    """Bone 1 is raised by 1, bone 2 rotated by 90 degrees about Z, in place, unless specified otherwise."""
    second = rotation(Z, 90) @ translation(2, 0, 0) if second_bone is None else second_bone
    pose = one.joints.posed(np.array([translation(0, 0, 1), second]))
    make = {
        Blend.LINEAR: lambda *_: final_matrices(one.joints, pose, np.eye(4)),
        Blend.VOLUME: volume_palette,
        Blend.DUAL_QUATERNION: dual_quaternion_palette,
    }[one.blend]
    return Posed(one.joints, pose, make(one.joints, pose, np.eye(4), np.eye(4)), np.eye(4))


def run(binding, instants, vertex=0):
    return trace_vertex(binding, binding.passes, instants, [one.palette for one in instants], vertex)


def traced(*passes, positions=((3, 0, 0),), vertex=0):
    skeleton = passes[0][0]
    chain = [one for _, one in passes]
    binding = Binding("Body", mesh_of(positions), {"Rig": skeleton}, tuple(chain))
    return run(binding, [posed(one) for one in chain], vertex)


def test_each_step_is_what_a_pencil_makes_of_it():
    """The vertex lies at (3, 0, 0), one unit along X of bone 2, which turns it to (2, 1, 0); bone 1 lifts it by
    one.
    """
    trace = traced(a_pass([[(1, 0.5), (2, 1.5)]]))
    (only,) = trace.passes
    first, second = only.contributions
    assert (first.bone, second.bone) == ("bone.000", "bone.001")
    assert (first.stored_weight, second.stored_weight) == pytest.approx((0.5, 1.5))
    assert (first.weight, second.weight) == pytest.approx((0.25, 0.75))
    assert only.weight_sum == pytest.approx(2)
    assert first.in_bone == pytest.approx((3, 0, 0))
    assert first.in_root == pytest.approx((3, 0, 1))
    assert second.in_bone == pytest.approx((1, 0, 0))
    assert second.in_root == pytest.approx((2, 1, 0))
    assert second.in_mesh == pytest.approx((2, 1, 0))
    assert first.share == pytest.approx((0.75, 0, 0.25))
    assert second.share == pytest.approx((1.5, 0.75, 0))
    assert trace.result == pytest.approx((2.25, 0.75, 0.25))
    assert np.add(first.share, second.share) == pytest.approx(trace.result)  # pyright: ignore[reportCallIssue]


def test_a_mask_goes_part_of_the_way():
    trace = traced(a_pass([[(2, 1.0)]], amount=[0.25]))
    (only,) = trace.passes
    assert only.amount == pytest.approx(0.25)
    assert only.skinned == pytest.approx((2, 1, 0))
    assert only.result == pytest.approx((2.75, 0.25, 0))
    assert trace.result == pytest.approx(only.result)


def test_a_pass_begins_where_the_last_one_ended_or_where_its_run_did():
    turned = a_pass([[(2, 1.0)]])
    lifted = a_pass([[(1, 1.0)]])
    from_start = a_pass([[(1, 1.0)]], pass_input=PassInput.RUN_START)
    chained = traced(turned, lifted)
    assert chained.passes[1].start == pytest.approx((2, 1, 0))
    assert chained.result == pytest.approx((2, 1, 1))
    apart = traced(turned, from_start)
    assert apart.passes[1].from_run_start
    assert apart.passes[1].start == pytest.approx((3, 0, 0))
    assert apart.result == pytest.approx((3, 0, 1))
    # A mask goes from where the last pass ended, although the joints begin at the run's start.
    half = a_pass([[(1, 1.0)]], pass_input=PassInput.RUN_START, amount=[0.5])
    assert traced(turned, half).result == pytest.approx((2.5, 0.5, 0.5))


@pytest.mark.parametrize("row", [[], [(1, 1e-4)], [(2, 0.0)]])
def test_a_vertex_that_nothing_moves_says_so(row):
    trace = traced(a_pass([row]))
    (contribution,) = trace.passes[0].contributions
    assert (contribution.joint, contribution.bone, contribution.segment) == (0, "", None)
    assert contribution.weight == 1
    assert trace.result == pytest.approx((3, 0, 0))


@pytest.mark.parametrize("blend", [Blend.VOLUME, Blend.DUAL_QUATERNION])
def test_motions_add_up_where_positions_do_not(blend):
    """Half of a turn by 90 degrees about (2, 0, 0), and half of none: 45 degrees about there, on the circle."""
    skeleton, one = a_pass([[(1, 1.0), (2, 1.0)]], blend=blend)
    still = np.eye(4)
    joints = one.joints
    pose = joints.posed(np.array([still, rotation(Z, 90) @ translation(2, 0, 0)]))
    make = volume_palette if blend is Blend.VOLUME else dual_quaternion_palette
    instant = Posed(joints, pose, make(joints, pose, np.eye(4), np.eye(4)), np.eye(4))
    binding = Binding("Body", mesh_of([(3, 0, 0)]), {"Rig": skeleton}, (one,))
    trace = run(binding, [instant])
    assert [each.share for each in trace.passes[0].contributions] == [None, None]
    assert trace.passes[0].contributions[1].in_mesh == pytest.approx((2, 1, 0))
    assert trace.result == pytest.approx((2 + np.sqrt(0.5), np.sqrt(0.5), 0), abs=1e-6)


def test_a_segment_of_a_bendy_bone_has_its_number():
    skeleton, one = a_pass([[(1, 0.5), (2, 0.5)]])
    joints = Joints(
        np.array([-1, 0, 0], dtype=np.int32),
        np.array([0, 0, 1], dtype=np.int32),
        one.joints.rest_to_root,
        one.joints.offset,
    )
    bent = Pass(one.skin, joints, "Rig")
    binding = Binding("Body", mesh_of([(3, 0, 0)]), {"Rig": skeleton}, (bent,))
    pose = Pose(np.tile(np.eye(4), (3, 1, 1)))
    instant = Posed(joints, pose, final_matrices(joints, pose, np.eye(4)), np.eye(4))
    contributions = run(binding, [instant]).passes[0].contributions
    assert [(each.bone, each.segment) for each in contributions] == [("bone.000", 0), ("bone.000", 1)]
