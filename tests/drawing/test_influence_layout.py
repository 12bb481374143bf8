"""The layout of influences in GPU memory."""

from __future__ import annotations

import numpy as np
import pytest

from skinning_addon.core.skinning.passes import Blend, Pass
from skinning_addon.core.skinning.skin import Skin
from skinning_addon.drawing.influence_layout import influence_layout
from tests.drawing.samples import plain_joints, random_pass, whole_pass


def pass_of(*rows, joints=9, **fields):
    """A pass from one list of (joint, weight) a vertex."""
    starts = np.concatenate(([0], np.cumsum([len(row) for row in rows])))
    entries = [entry for row in rows for entry in row]
    skin = Skin(starts, [joint for joint, _ in entries], [weight for _, weight in entries])
    return Pass(skin, plain_joints(joints), "Armature", **fields)


@pytest.mark.parametrize(
    ("most", "file"),
    [(1, "four"), (4, "four"), (5, "eight"), (8, "eight"), (9, "texture")],
)
def test_the_number_of_influences_decides(most, file):
    rng = np.random.default_rng(most)
    one = random_pass(rng, 200, 30, fewest=most, most=most)
    assert influence_layout((one,), 200).shader_file == f"lib/influences_{file}.glsl"


def test_several_passes_and_amounts_take_the_texture():
    one = whole_pass(3)
    masked = pass_of([(1, 1.0)], amount=np.array([0.5]))
    assert influence_layout((one, one), 3).texels is not None
    assert influence_layout((masked,), 1).texels is not None
    assert influence_layout((one,), 3).texels is None


def test_attributes_keep_the_stored_order_and_add_up_to_one():
    layout = influence_layout((pass_of([(3, 1.0), (2, 3.0)], [(4, 2.0)]),), 2)
    np.testing.assert_array_equal(layout.attributes["skinJoints0"], [[3, 2, 0, 0], [4, 0, 0, 0]])
    np.testing.assert_array_equal(layout.attributes["skinWeights0"], [[0.25, 0.75, 0, 0], [1, 0, 0, 0]])


def test_a_vertex_that_nothing_moves_follows_joint_0():
    layout = influence_layout((pass_of([(3, 1e-5)], []),), 2)
    np.testing.assert_array_equal(layout.attributes["skinJoints0"][:, 0], [0, 0])
    np.testing.assert_array_equal(layout.attributes["skinWeights0"][:, 0], [1, 1])


def test_the_run_of_a_vertex_holds_all_its_passes():
    first = pass_of([(1, 1.0)], [(2, 1.0), (3, 1.0)], joints=5)
    second = pass_of([(1, 1.0)], [(1, 1.0)], joints=4, amount=np.array([1.0, 0.25]), blend=Blend.VOLUME)
    layout = influence_layout((first, second), 2)
    np.testing.assert_array_equal(layout.attributes["skinInfluenceStart"], [[0], [6]])
    # Joints of the second pass follow the five of the first and its own two spaces.
    run = [(1, 1), (0, 0), (1, 1), (1, 1), (5, 0), (8, 1)]
    other = [(2, 1), (0, 0), (2, 0.5), (3, 0.5), (1, 0.25), (5, 0), (8, 1)]
    np.testing.assert_array_equal(layout.texels, [*run, *other])
    assert layout.joint_count == 5 + 2 + 4


def test_a_chain_of_dual_quaternions_alone_has_its_spaces_in_two_entries_each():
    one = pass_of([(1, 1.0)], joints=3, blend=Blend.DUAL_QUATERNION)
    layout = influence_layout((one,), 1)
    assert layout.attributes["skinJoints0"][0, 0] == 4 + 1
    assert layout.joint_count == 4 + 3
    # Beside matrices of three rows, one entry holds a space.
    mixed = influence_layout((pass_of([(1, 1.0)], joints=5), one), 1)
    assert mixed.joint_count == 5 + 2 + 3


def test_more_joints_than_16_bits_count():
    one = pass_of([(70_000, 1.0)], joints=70_001)
    joints = influence_layout((one,), 1).attributes["skinJoints0"]
    assert joints[0, 0] == 70_000


def test_a_mesh_without_vertices():
    assert influence_layout((whole_pass(0),), 0).joint_count == 2
    assert influence_layout((), 0).joint_count == 1
