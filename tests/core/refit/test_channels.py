"""Motion taken apart into the channels that Blender keys and engines blend."""

from __future__ import annotations

import numpy as np
import pytest

from skinning_addon.core.profiles.transform_parts import take_apart
from skinning_addon.core.refit.channels import (
    Channels,
    channel_matrices,
    nearest_channels,
    to_root_of_channels,
    turning_the_short_way,
)
from tests.core.builders import random_transforms, rotation, scaling, translation


def test_motion_without_shear_comes_back():
    matrices = random_transforms(np.random.default_rng(0), 60).reshape(6, 10, 4, 4)
    assert nearest_channels(matrices).matrices() == pytest.approx(matrices, abs=1e-12)
    mirrored = matrices @ np.diag([1, 1, -1, 1])
    parts = nearest_channels(mirrored)
    assert (parts.scales < 0).all()
    assert parts.matrices() == pytest.approx(mirrored, abs=1e-12)


def test_rotations_are_in_blenders_order():
    turned = nearest_channels(rotation((0, 0, 1), 90)[None])
    assert turned.rotations[0] == pytest.approx((np.sqrt(0.5), 0, 0, np.sqrt(0.5)))


def test_nothing_without_shear_is_nearer_to_a_sheared_matrix():
    rng = np.random.default_rng(1)
    sheared = np.tile(np.eye(4), (40, 1, 1))
    sheared[:, :3, :3] += rng.uniform(-0.25, 0.25, (40, 3, 3))
    found = nearest_channels(sheared)
    lost = np.linalg.norm(found.matrices() - sheared, axis=(1, 2))
    assert lost.max() > 0.05
    assert (lost <= np.linalg.norm(take_apart(sheared).matrices() - sheared, axis=(1, 2)) + 1e-12).all()
    for _ in range(300):
        near = Channels(
            found.translations,
            found.rotations + rng.normal(scale=0.01, size=found.rotations.shape),
            found.scales + rng.normal(scale=0.01, size=found.scales.shape),
        )
        near.rotations[:] /= np.linalg.norm(near.rotations, axis=1, keepdims=True)
        assert (np.linalg.norm(near.matrices() - sheared, axis=(1, 2)) > lost - 1e-7).all()


def test_bones_scaled_to_zero_have_channels():
    parts = nearest_channels(np.diag([0.0, 0.0, 0.0, 1.0])[None])
    assert parts.scales.tolist() == [[0, 0, 0]]
    assert np.isfinite(parts.matrices()).all()


def test_channels_put_bones_where_they_were():
    rng = np.random.default_rng(2)
    rest = random_transforms(rng, 3)
    rest[:, :3, :3] = np.stack([rotation(rng.normal(size=3), 100)[:3, :3] for _ in range(3)])
    parents = np.array([-1, 0, 1], dtype=np.int32)
    to_root = random_transforms(rng, 15).reshape(5, 3, 4, 4)
    # Sheared in root space, but not below their parents.
    channels = nearest_channels(random_transforms(rng, 15).reshape(5, 3, 4, 4))
    to_root = to_root_of_channels(channels, rest, parents)
    matrices, lost = channel_matrices(to_root, rest, parents)
    assert not lost.any()
    assert matrices == pytest.approx(channels.matrices(), abs=1e-9)


def test_a_child_of_a_bone_scaled_to_zero_has_none():
    to_root = np.stack((scaling(0, 0, 0), translation(1, 0, 0)))[None]
    rest = np.tile(np.eye(4), (2, 1, 1))
    matrices, lost = channel_matrices(to_root, rest, np.array([-1, 0], dtype=np.int32))
    assert lost.tolist() == [[False, True]]
    assert np.array_equal(matrices[0, 1], np.eye(4))


def test_keys_between_two_frames_turn_the_short_way():
    angles = np.radians(np.arange(0, 720, 20)) / 2
    one = np.stack((np.cos(angles), 0 * angles, 0 * angles, np.sin(angles)), axis=1)[:, None]
    flipped = one * np.where(np.arange(len(one)) % 3 == 0, -1, 1)[:, None, None]
    kept = turning_the_short_way(flipped)
    assert (np.einsum("fbc,fbc->fb", kept[1:], kept[:-1]) > 0.9).all()
    assert np.abs(np.einsum("fbc,fbc->fb", kept, one)) == pytest.approx(1)
