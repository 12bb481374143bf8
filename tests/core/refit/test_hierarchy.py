"""Which parents a rig for engines gets, and what its bones lose."""

from __future__ import annotations

import numpy as np
import pytest

from skinning_addon.core.refit.hierarchy import AuthoredBones, choose_hierarchy
from tests.core.builders import rotation, scaling, translation

UP = rotation((1, 0, 0), 90)
"""A bone's Y along Z."""


def bones(
    parents: list[int],
    heights: list[float],
    kept: list[bool] | None = None,
    followed: list[int] | None = None,
    mirrored: list[int] | None = None,
) -> AuthoredBones:
    count = len(parents)
    return AuthoredBones(
        np.array(parents, dtype=np.int32),
        np.array([UP @ translation(0, 0, height) for height in heights]),
        np.ones(count),
        np.array(kept or [True] * count),
        np.array(followed or [-1] * count, dtype=np.int32),
        np.array(mirrored or range(count), dtype=np.int32),
    )


def parents_of(found) -> dict[int, int]:
    return {
        int(bone): int(found.bones[parent]) if parent >= 0 else -1
        for bone, parent in zip(found.bones, found.parents, strict=True)
    }


def moved(authored: AuthoredBones, *by: np.ndarray) -> np.ndarray:
    return np.array([motion @ rest for motion, rest in zip(by, authored.rest_to_root, strict=True)])


def test_bones_without_shear_keep_their_parents():
    authored = bones([-1, 0, 1], [0, 1, 2])
    frames = np.stack(
        [
            moved(authored, rotation((1, 0, 0), angle), rotation((1, 1, 0), angle), np.eye(4))
            for angle in (0, 20, 50)
        ]
    )
    found = choose_hierarchy(authored, frames)
    assert parents_of(found) == {0: -1, 1: 0, 2: 1}
    assert found.errors.max() < 1e-6
    assert found.to_root == pytest.approx(frames[:, found.bones], abs=1e-6)


def test_a_child_that_does_not_inherit_an_uneven_scale_hangs_further_up():
    authored = bones([-1, 0, 1], [0, 1, 2])
    turned = rotation((1, 0, 0), 40)
    frames = np.stack(
        [
            moved(authored, np.eye(4), scaling(1, 1.5, 0.8), turned),
            moved(authored, np.eye(4), np.eye(4), turned),
        ]
    )
    found = choose_hierarchy(authored, frames)
    assert parents_of(found) == {0: -1, 1: 0, 2: 0}
    assert found.errors.max() < 1e-6


def test_a_child_that_inherits_an_uneven_scale_stays_although_it_is_sheared_in_root_space():
    authored = bones([-1, 0], [0, 1])
    scaled = scaling(1, 1.5, 0.8) @ authored.rest_to_root[0]
    local = authored.rest_to_root[1] @ np.linalg.inv(authored.rest_to_root[0])
    child = rotation((1, 0, 0), 40) @ local @ scaled
    found = choose_hierarchy(authored, np.stack((scaled, child))[None])
    assert parents_of(found) == {0: -1, 1: 0}
    assert found.errors.max() < 1e-6
    assert found.to_root[0] == pytest.approx(np.stack((scaled, child)), abs=1e-9)


def test_a_sheared_bone_loses_its_shear_and_says_how_much():
    authored = bones([-1], [0])
    sheared = np.eye(4)
    sheared[1, 0] = 0.3
    to_root = (sheared @ authored.rest_to_root)[:, :, :]
    found = choose_hierarchy(authored, to_root[None])
    points = np.random.default_rng(0).normal(size=(20000, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    off = points @ (found.to_root[0, 0] - to_root[0])[:3, :3]
    assert found.errors[0] == pytest.approx(np.linalg.norm(off, axis=1).max(), rel=1e-3)
    assert 0.05 < found.errors[0] < 0.3
    axes = found.to_root[0, 0, :3, :3]
    assert (axes @ axes.T)[np.triu_indices(3, 1)] == pytest.approx(0, abs=1e-9)


def test_a_control_bone_is_replaced_by_the_deforming_bone_on_it():
    # As Rigify's: ORG-spine (0) with DEF-spine (1) on it, then DEF-thigh (2) on ORG-spine; DEF-helper (3) has
    # no parent, but follows DEF-thigh by a constraint.
    authored = bones([-1, -1, 0, -1], [0, 0, 1, 1.5], [False, True, True, True], [-1, -1, -1, 2])
    found = choose_hierarchy(authored, authored.rest_to_root[None])
    assert parents_of(found) == {1: -1, 2: 1, 3: 2}


def test_two_bones_that_follow_each_other_do_not_make_a_loop():
    authored = bones([-1, -1], [0, 1], followed=[1, 0])
    found = choose_hierarchy(authored, authored.rest_to_root[None])
    assert sorted(parents_of(found).values()) in ([-1, 0], [-1, 1])
    assert list(found.parents) == [-1, 0]


def test_a_parent_scaled_to_zero_is_passed_over():
    authored = bones([-1, 0, 1], [0, 1, 2])
    frames = moved(authored, np.eye(4), scaling(0, 0, 0), rotation((1, 0, 0), 10))[None]
    found = choose_hierarchy(authored, frames)
    assert parents_of(found) == {0: -1, 1: 0, 2: 0}


def test_both_sides_get_parents_alike_although_one_alone_is_stretched():
    # A spine (0), a left arm (1, 3) and a right arm (2, 4).
    authored = bones([-1, 0, 0, 1, 2], [0, 1, 1, 2, 2], mirrored=[0, 2, 1, 4, 3])
    turned = rotation((1, 0, 0), 40)
    frames = moved(authored, np.eye(4), scaling(1, 1.5, 0.8), np.eye(4), turned, turned)[None]
    found = choose_hierarchy(authored, frames)
    assert parents_of(found) == {0: -1, 1: 0, 2: 0, 3: 0, 4: 0}
    assert found.errors.max() < 1e-6


def test_a_bone_never_hangs_on_its_own_child():
    # DEF-eye (1) and its child DEF-iris (2) both lie on MCH-eye (0).
    authored = bones([-1, 0, 1], [0, 0, 0], [False, True, True])
    frames = moved(authored, np.eye(4), scaling(1, 1.5, 0.8), rotation((1, 0, 0), 40))[None]
    found = choose_hierarchy(authored, frames)
    assert parents_of(found) == {1: -1, 2: -1}
