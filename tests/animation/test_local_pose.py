"""Decomposing and recomposing local matrices: exact without shear, and honest about shear."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mathutils import Matrix, Quaternion, Vector

from skinning_addon.animation.local_pose import LocalPose, compose, decompose, rest_pose
from skinning_addon.animation.rotations import to_rows
from tests.animation.builders import about, arm


def _random_poses(count: int, seed: int = 1) -> LocalPose:
    random = np.random.default_rng(seed)
    rotation = random.normal(size=(4, count))
    scale = random.uniform(0.2, 3, (3, count))
    return LocalPose(random.normal(size=(3, count)), rotation / np.linalg.norm(rotation, axis=0), scale)


def test_composing_is_what_mathutils_makes_of_the_same_parts():
    pose = _random_poses(20)
    ours = compose(pose)
    for bone in range(20):
        theirs = Matrix.LocRotScale(
            pose.translation[:, bone].tolist(),
            Quaternion(pose.rotation[:, bone].tolist()),
            Vector(pose.scale[:, bone].tolist()),
        )
        assert np.abs(ours[bone] - np.array(theirs.transposed())).max() < 1e-6


def test_what_was_composed_comes_apart_again():
    pose = _random_poses(200)
    apart = decompose(compose(pose))
    assert np.abs(apart.shear).max() < 1e-12
    assert np.abs(compose(apart.pose) - compose(pose)).max() < 1e-12
    assert np.abs(apart.pose.scale - pose.scale).max() < 1e-12
    assert apart.determined.all()


@given(st.tuples(*[st.sampled_from([-2.0, -1.0, 1.0, 0.5])] * 3))
def test_mirrored_bones_are_kept_whole(scale: tuple[float, float, float]):
    matrix = compose(LocalPose(np.zeros((3, 1)), about((1, 2, 3), [50.0]), np.array(scale).reshape(3, 1)))
    assert np.abs(compose(decompose(matrix).pose) - matrix).max() < 1e-12


@pytest.mark.parametrize("scale", [(1, 1, 0), (0, 1, 1), (1, 0, 1), (0, 0, 1), (0, 0, 0)])
def test_bones_scaled_to_nothing_are_kept_whole_too(scale: tuple[float, float, float]):
    rotation = about((1, 2, 3), [50.0])
    matrix = compose(LocalPose(np.ones((3, 1)), rotation, np.array(scale, dtype=float).reshape(3, 1)))
    apart = decompose(matrix)
    assert np.abs(compose(apart.pose) - matrix).max() < 1e-9
    assert apart.determined.item() is (sum(scale) >= 2)
    if sum(scale) >= 2:
        assert np.abs(np.array(to_rows(apart.pose.rotation)) - np.array(to_rows(rotation))).max() < 1e-9


def test_shear_is_what_is_missing_and_is_measured_at_arm_length():
    matrix = np.eye(4)[None].copy()
    matrix[0, 0, 1] = 0.2
    apart = decompose(matrix)
    whole = compose(apart.pose)[:, :3, :3] + apart.shear
    assert np.abs(whole - matrix[:, :3, :3]).max() < 1e-12
    # A shear of angle a is a stretch along the diagonals of about a / 2.
    assert apart.shear_amount.item() == pytest.approx(0.1, rel=0.02)
    points = np.random.default_rng(2).normal(size=(500, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    missed = np.linalg.norm(points @ (compose(apart.pose)[0, :3, :3] - matrix[0, :3, :3]), axis=1)
    assert 0.95 * apart.shear_amount.item() <= missed.max() <= apart.shear_amount.item() + 1e-12


def test_the_rest_pose_is_each_bone_on_its_parent():
    pose = rest_pose(arm(3, length=2.0))
    assert pose.translation.T.tolist() == [[0, 0, 0], [0, 2, 0], [0, 2, 0]]
    assert (pose.scale == 1).all()
