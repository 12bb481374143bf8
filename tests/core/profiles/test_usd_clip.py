"""Poses in USD files: matrices factored as OpenUSD does, and scales that are not written again."""

from __future__ import annotations

import numpy as np
import pytest

from skinning_addon.core.maths.quaternion import rotate
from skinning_addon.core.profiles.factoring import factored
from skinning_addon.core.profiles.hierarchy import HierarchyRule, pose_through
from skinning_addon.core.profiles.usd_clip import UsdClip, written_scales
from skinning_addon.core.skinning.skeleton import Skeleton
from tests.core.builders import random_transforms


def test_a_matrix_is_its_nearest_rotation_and_its_stretches():
    """By the singular value decomposition, which shares no code with Jacobi's method."""
    axes = np.random.default_rng(1).normal(size=(500, 3, 3))
    rotation, scale = factored(axes)
    left, stretches, right = np.linalg.svd(axes)
    mirrors = np.linalg.det(axes) < 0
    nearest = left @ right * np.where(mirrors, -1.0, 1.0)[:, None, None]
    for axis in range(3):
        unit = np.zeros((500, 3))
        unit[:, axis] = 1
        assert rotate(rotation, unit) == pytest.approx(nearest[:, axis], abs=1e-9)
    assert np.sort(np.abs(scale), axis=1)[:, ::-1] == pytest.approx(stretches, rel=1e-9)
    assert ((scale < 0).all(axis=1) == mirrors).all()


def test_scales_along_the_axes_stay_with_their_axes():
    scale = np.array([[3.0, 1.0, 2.0], [0.5, 4.0, 0.25]])
    _, found = factored(scale[:, :, None] * np.eye(3))
    assert found == pytest.approx(scale)


def test_scales_are_written_again_where_one_has_changed_by_a_hundredth():
    bone = np.array([1.0, 1.005, 1.009, 1.011, 1.015, 1.022])
    other = np.array([2.0, 2.0, 2.0, 2.004, 2.006, 2.0])
    scale = np.stack((bone, other), axis=1)[:, :, None].repeat(3, axis=2).astype(np.float16)
    played = written_scales(scale)[:, :, 0]
    assert played[:, 0] == pytest.approx(scale[[0, 0, 0, 3, 3, 5], 0, 0])
    assert played[:, 1] == pytest.approx(scale[[0, 0, 0, 3, 3, 5], 1, 0])


def test_a_clip_is_the_pose_where_every_scale_is_written():
    skeleton = Skeleton(tuple("abc"), np.array([-1, 0, 1]), random_transforms(np.random.default_rng(0), 3))
    to_root = random_transforms(np.random.default_rng(1), 60).reshape(20, 3, 4, 4)
    clip = UsdClip.of(skeleton, to_root, np.arange(20.0), holds_scales=False)
    held = pose_through(HierarchyRule.USD, skeleton, to_root)
    assert skeleton.to_root(clip.local(np.arange(20))) == pytest.approx(held, abs=1e-5)
    assert clip.local(-5.0) == pytest.approx(clip.local(0.0))


def test_halfway_between_frames_a_bone_is_halfway_turned():
    turned = np.array([[[0.0, 1, 0, 0], [-1, 0, 0, 0], [0, 0, 1, 0], [2, 4, 6, 1]]])
    still = np.eye(4)[None]
    clip = UsdClip.of(
        Skeleton(("bone",), np.array([-1]), np.eye(4)[None]), np.stack((still, turned)), np.arange(2.0)
    )
    half = np.sqrt(0.5)
    expected = [[half, half, 0, 0], [-half, half, 0, 0], [0, 0, 1, 0], [1, 2, 3, 1]]
    assert clip.local(0.5)[0] == pytest.approx(np.array(expected), abs=1e-6)
