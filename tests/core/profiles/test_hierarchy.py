"""What a hierarchy of translations, rotations and scales preserves of a pose, and what it loses."""

from __future__ import annotations

import numpy as np
import pytest

from skinning_addon.core.profiles.hierarchy import (
    HierarchyRule,
    local_for_fbx,
    parents_among,
    pose_through,
)
from skinning_addon.core.profiles.transform_parts import take_apart
from skinning_addon.core.skinning.skeleton import Skeleton
from tests.core.builders import random_transforms, rotation, scaling, translation

CHAIN = Skeleton(
    ("root", "middle", "tip"),
    np.array([-1, 0, 1]),
    np.array([translation(0, place, 0) for place in range(3)]),
)


def posed(*local: np.ndarray) -> np.ndarray:
    """Return to_root of CHAIN's bones, each moved relative to its rest position on its parent."""
    rest = [translation(0, 0, 0), translation(0, 1, 0), translation(0, 1, 0)]
    return CHAIN.to_root(np.array([move @ place for move, place in zip(local, rest, strict=True)]))


def test_what_was_put_together_comes_apart():
    rng = np.random.default_rng(0)
    matrices = random_transforms(rng, 50)
    assert take_apart(matrices).matrices() == pytest.approx(matrices, abs=1e-12)
    mirrored = matrices @ np.diag([1, 1, -1, 1])
    parts = take_apart(mirrored)
    assert (parts.scale < 0).all()
    assert parts.matrices() == pytest.approx(mirrored, abs=1e-12)


def test_a_bone_scaled_to_zero_has_parts():
    parts = take_apart(np.diag([0.0, 0.0, 0.0, 1.0])[None])
    assert parts.scale.tolist() == [[0, 0, 0]]
    assert np.isfinite(parts.matrices()).all()


@pytest.mark.parametrize("rule", HierarchyRule)
def test_poses_without_shear_survive(rule: HierarchyRule):
    to_root = posed(
        rotation((1, 2, 3), 40) @ translation(1, 0, 0),
        scaling(2, 2, 2) @ rotation((0, 1, 1), -70),
        rotation((1, 0, 0), 100),
    )
    # Blender's FBX exporter computes in single precision.
    rounding = 1e-6 if rule.is_of_fbx else 1e-12
    assert pose_through(rule, CHAIN, to_root) == pytest.approx(to_root, abs=rounding)


@pytest.mark.parametrize("rule", HierarchyRule)
def test_poses_of_rotations_alone_may_be_kept_as_blender_rounds_them(rule: HierarchyRule):
    turns = rotation((1, 2, 3), 40) @ translation(1, 0, 0), rotation((0, 1, 1), -70), rotation((1, 0, 0), 100)
    rounded = posed(*turns).astype(np.float32).astype(np.float64)
    assert pose_through(rule, CHAIN, rounded, keeps_rigid=True) is rounded
    # All that a hierarchy could do is to undo the rounding of half a float32 step.
    assert pose_through(rule, CHAIN, rounded) == pytest.approx(rounded, abs=2e-6)


@pytest.mark.parametrize("rule", HierarchyRule)
@pytest.mark.parametrize(
    "bone",
    [
        scaling(1.0001, 1, 1),
        scaling(1, 1, 0.9999) @ rotation((0, 1, 1), 20),
        scaling(-1, 1, 1),
        scaling(0, 0, 0),
    ],
    ids=["stretched", "squashed and turned", "mirrored", "collapsed"],
)
def test_other_poses_are_not_kept(rule: HierarchyRule, bone: np.ndarray):
    to_root = posed(rotation((0, 0, 1), 30), bone @ rotation((1, 1, 0), 50), rotation((0, 1, 0), 60))
    found = pose_through(rule, CHAIN, to_root, keeps_rigid=True)
    assert found is not to_root
    assert (found == pose_through(rule, CHAIN, to_root)).all()


def test_only_bones_that_matter_and_those_above_them_have_to_be_rigid():
    to_root = posed(rotation((0, 0, 1), 30), np.eye(4), scaling(1, 2, 1))
    root_and_middle, tip = np.array([False, True, False]), np.array([False, False, True])
    kept = pose_through(HierarchyRule.TRS, CHAIN, to_root, needed=root_and_middle, keeps_rigid=True)
    assert kept is to_root
    assert pose_through(HierarchyRule.TRS, CHAIN, to_root, needed=tip, keeps_rigid=True) is not to_root


def test_shear_that_a_parent_hands_down_is_no_shear_of_the_local_matrix():
    to_root = posed(scaling(3, 1, 1), rotation((0, 0, 1), 45), np.eye(4))
    assert pose_through(HierarchyRule.TRS, CHAIN, to_root) == pytest.approx(to_root, abs=1e-12)


def test_shear_of_a_local_matrix_is_lost_below_it_too():
    sheared = np.eye(4)
    sheared[1, 0] = 0.5
    to_root = posed(np.eye(4), sheared, np.eye(4))
    held = pose_through(HierarchyRule.TRS, CHAIN, to_root)
    assert held[0] == pytest.approx(to_root[0])
    # Axes stay as long as they were, and become a right-handed frame at right angles.
    lengths = np.linalg.norm(to_root[1, :3, :3], axis=1)
    assert np.linalg.norm(held[1, :3, :3], axis=1) == pytest.approx(lengths)
    gram = held[1, :3, :3] @ held[1, :3, :3].T
    assert gram == pytest.approx(np.diag(lengths**2), abs=1e-12)
    assert np.abs(held[2] - to_root[2]).max() > 0.1


def test_scale_by_component_ignores_the_rotation_between():
    """Unreal's FTransform: scales multiply by axis. Here the parent's long X meets the child's own X, turned by
    90 degrees.
    """
    to_root = posed(scaling(2, 1, 1), rotation((0, 0, 1), 90) @ translation(1, 0, 0), np.eye(4))
    held = pose_through(HierarchyRule.COMPONENT_SCALE, CHAIN, to_root)
    turned = rotation((0, 0, 1), 90)[:3, :3]
    assert held[1, :3, :3] == pytest.approx(np.diag([2, 1, 1]) @ turned, abs=1e-12)
    # Its place is scaled as usual: one unit up the parent and one along the stretched X.
    assert held[1, 3, :3] == pytest.approx([2, 1, 0])
    assert to_root[1, :3, :3] == pytest.approx(turned @ np.diag([2, 1, 1]), abs=1e-12)


def test_flattened_bones_lose_what_shears_relative_to_the_armature_alone():
    to_root = posed(scaling(3, 1, 1), rotation((0, 0, 1), 45), np.eye(4))
    held = pose_through(HierarchyRule.FLATTENED, CHAIN, to_root)
    assert held[0] == pytest.approx(to_root[0], abs=1e-12)
    assert held[:, 3] == pytest.approx(to_root[:, 3], abs=1e-12)
    assert np.abs(held[1] - to_root[1]).max() > 0.1


def test_fbx_takes_the_rest_pose_apart_with_the_rest():
    """A local matrix relative to its rest pose and the whole one leave different rotations when shear is
    dropped.
    """
    rest = np.array([np.eye(4), rotation((1, 2, 3), 50) @ translation(0, 1, 0)])
    skeleton = Skeleton(("root", "tip"), np.array([-1, 0]), rest)
    sheared = np.eye(4)
    sheared[1, 0] = 0.5
    to_root = skeleton.to_root(np.array([np.eye(4), rest[1] @ sheared]))
    held = pose_through(HierarchyRule.FBX_TRS, skeleton, to_root)
    assert held[1] == pytest.approx(take_apart(to_root[1:]).matrices()[0], abs=1e-6)
    assert np.abs(held - pose_through(HierarchyRule.TRS, skeleton, to_root)).max() > 0.01


def test_fbx_hides_the_children_of_a_bone_scaled_to_zero():
    """A child that does not inherit the scale is 1e8 times as large as its parent in the file, and the
    engine multiplies that by zero.
    """
    to_root = posed(scaling(0, 0, 0) @ translation(1, 2, 3), np.eye(4), np.eye(4))
    to_root[1:] = [rotation((0, 0, 1), 30) @ translation(4, 5, 6), translation(7, 8, 9)]
    held = pose_through(HierarchyRule.FBX_TRS, CHAIN, to_root)
    assert held[1:, :3, :3] == pytest.approx(np.zeros((2, 3, 3)), abs=1e-6)
    assert held[1:, 3, :3] == pytest.approx(np.array([[1, 2, 3]] * 2), abs=1e-6)


def test_missing_keys_alone_keep_the_shear():
    rng = np.random.default_rng(5)
    skeleton = Skeleton(tuple("abc"), np.array([-1, 0, 1]), random_transforms(rng, 3))
    to_root = random_transforms(rng, 3)
    to_root[:, :3, :3] += rng.uniform(-0.3, 0.3, (3, 3, 3))
    held = take_apart(local_for_fbx(skeleton, to_root)).matrices()
    alone = pose_through(HierarchyRule.MATRICES, skeleton, to_root, played=held)
    assert alone == pytest.approx(to_root, abs=1e-9)
    moved = held @ translation(1, 0, 0)
    together = pose_through(HierarchyRule.FBX_TRS, skeleton, to_root, played=moved)
    assert together == pytest.approx(skeleton.to_root(moved), abs=1e-9)
    alone = pose_through(HierarchyRule.MATRICES, skeleton, to_root, played=moved)
    expected = skeleton.to_root(skeleton.to_parent(to_root)[0] @ translation(1, 0, 0))
    assert alone == pytest.approx(expected, abs=1e-9)


def test_a_parent_scaled_to_zero_keeps_its_children_where_they_are():
    to_root = posed(scaling(0, 0, 0), np.eye(4), rotation((0, 0, 1), 30))
    for rule in HierarchyRule:
        assert pose_through(rule, CHAIN, to_root) == pytest.approx(to_root, abs=1e-9)


def test_bones_that_are_left_out_hand_their_children_up():
    parents = np.array([-1, 0, 1, 2, 1], dtype=np.int32)
    kept = np.array([False, True, False, True, True])
    assert parents_among(parents, kept).tolist() == [-1, -1, 1, 1, 1]


@pytest.mark.parametrize("rule", HierarchyRule)
@pytest.mark.parametrize("parents", [None, [-1, -1, 1, -1, 1, -1]], ids=["all", "some left out"])
def test_bones_that_matter_come_out_the_same_without_the_rest(rule: HierarchyRule, parents: list[int] | None):
    rng = np.random.default_rng(4)
    skeleton = Skeleton(tuple("abcdef"), np.array([-1, 0, 1, 0, 1, 3]), random_transforms(rng, 6))
    to_root = random_transforms(rng, 10 * 6)
    to_root[:, :3, :3] += rng.uniform(-0.3, 0.3, (60, 3, 3))
    to_root = to_root.reshape(10, 6, 4, 4)
    in_file = None if parents is None else np.array(parents, dtype=np.int32)
    needed = np.array([False, False, True, False, True, False])
    whole = pose_through(rule, skeleton, to_root, in_file)
    part = pose_through(rule, skeleton, to_root, in_file, needed)
    # Some processors round the last values of a block, of which there are fewer, in another way.
    np.testing.assert_array_max_ulp(part[:, needed], whole[:, needed], 8)
    assert (part[:, [3, 5]] == to_root[:, [3, 5]]).all(), "what matters to none is left alone"
    assert np.abs(whole - to_root)[:, [3, 5]].max() > 1e-3 or rule is HierarchyRule.MATRICES
