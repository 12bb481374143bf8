"""Curves of bones in FBX: their angles, and the keys that Simplify leaves."""

from __future__ import annotations

import numpy as np
import pytest

from skinning_addon.core.profiles.fbx_curves import (
    FbxClip,
    curves_of,
    kept_keys,
    local_matrices,
    played,
    sampled_frames,
)
from skinning_addon.core.profiles.hierarchy import HierarchyRule, pose_through
from skinning_addon.core.skinning.skeleton import Skeleton
from tests.core.builders import random_transforms, rotation

ALONE = Skeleton(("bone",), np.array([-1]), np.eye(4)[None])


def test_angles_give_the_matrix_again():
    skeleton = Skeleton(tuple("abc"), np.array([-1, 0, 1]), random_transforms(np.random.default_rng(0), 3))
    to_root = random_transforms(np.random.default_rng(1), 60).reshape(20, 3, 4, 4)
    held = pose_through(HierarchyRule.FBX_TRS, skeleton, to_root)
    assert skeleton.to_root(local_matrices(curves_of(skeleton, to_root))) == pytest.approx(held, abs=1e-9)
    clip = FbxClip.of(skeleton, to_root, np.arange(20.0), simplify=0)
    assert skeleton.to_root(clip.local(np.arange(20))) == pytest.approx(held, abs=1e-5)


def test_angles_go_on_past_half_a_turn():
    turning = np.array([rotation((0, 0, 1), 30.0 * frame)[None] for frame in range(30)])
    angles = curves_of(ALONE, turning)[:, 0, 3:6]
    assert angles[:, 2] == pytest.approx(30.0 * np.arange(30), abs=1e-9)
    assert angles[:, :2] == pytest.approx(np.zeros((30, 2)), abs=1e-9)


def test_the_keys_that_stay():
    """At 1, values are alike within 0.2%; near zero, within 1e-4. Worked out by hand."""
    standing = [1.0, 1.0, 1.0, 1.0, 1.0]
    jumping = [1.0, 1.0, 1.0, 2.0, 2.0]
    creeping = [1.0, 1.0015, 1.003, 1.0045, 1.006]
    near_zero = [0.0, 0.00009, 0.0, 0.00011, 0.00011]
    curves = np.array([standing, jumping, creeping, near_zero]).T
    assert kept_keys(curves).T.astype(int).tolist() == [
        [1, 0, 0, 0, 1],
        [1, 0, 1, 1, 1],
        [1, 0, 1, 0, 1],
        [1, 0, 1, 1, 1],
    ]
    # At 0.001, nothing that moves at all is dropped.
    assert kept_keys(curves, 1e-3).T.astype(int).tolist()[2] == [1, 1, 1, 1, 1]


def test_a_file_is_linear_between_its_keys():
    curves = np.array([0.0, 5.0, 5.0, 6.0, 8.0])[:, None]
    kept = np.array([True, False, False, True, True])[:, None]
    assert played(curves, kept)[:, 0] == pytest.approx([0, 2, 4, 6, 8])


def test_between_samples_and_beyond_the_ends():
    place = np.array([np.eye(4) for _ in range(3)])[:, None]
    place[:, 0, 3, 0] = [1, 2, 6]
    clip = FbxClip.of(ALONE, place, sampled_frames(10.5, 14.6, 2.0), simplify=0)
    assert clip.frames.tolist() == [10.5, 12.5, 14.5]
    assert clip.local([0, 10.5, 11.5, 13.5, 14.5, 20])[:, 0, 3, 0] == pytest.approx([1, 1, 1.5, 4, 6, 6])
    still = FbxClip.of(ALONE, place[:1], sampled_frames(3, 3))
    assert still.local(5.0)[0, 3, 0] == 1


def test_angles_start_close_to_what_the_scene_shows():
    """Of two triples for the same rotation, the one near the pose that the scene shows during the export."""
    turned = rotation((1, 0, 0), 100)[None]
    usual = curves_of(ALONE, turned[None])[0, 0, 3:6]
    assert usual == pytest.approx([100, 0, 0], abs=1e-9)
    shown = rotation((1, 0, 0), -10) @ rotation((0, 1, 0), 89) @ rotation((0, 0, 1), 80)
    other = curves_of(ALONE, turned[None], shown[None])[0, 0, 3:6]
    # 70 + 91 + 100 degrees from (-10, 89, 80); the usual triple would be 110 + 89 + 80.
    assert other == pytest.approx([-80, 180, 180], abs=1e-9)
