"""Offsets take a vertex into a joint's space; joints take their matrices from their bones."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from skinning_addon.core.blending.volume_palette import volume_palette
from skinning_addon.core.skinning.joints import Joints, offset_matrices
from skinning_addon.core.skinning.palette import final_matrices
from skinning_addon.core.skinning.pose import Pose
from skinning_addon.core.text.errors import InvalidArrayError
from tests.core.builders import (
    AT_THE_ROOT,
    Z,
    bone_skin_of,
    bound,
    property_test,
    random_transform,
    random_transforms,
    rotation,
    scaling,
    seeds,
    skeleton_of,
    skin_by_the_book,
    skin_of,
    skin_rows,
    translation,
)


class TestOffset:
    @property_test
    @given(seeds)
    def test_a_rest_pose_moves_nothing_wherever_the_mesh_stands(self, seed):
        rng = np.random.default_rng(seed)
        rest, mesh_to_root = random_transforms(rng, 5), random_transform(rng)
        joints = bound(rest, mesh_to_root)
        palette = final_matrices(joints, joints.posed(rest), np.linalg.inv(mesh_to_root))
        np.testing.assert_allclose(palette.final, np.tile(np.eye(4), (6, 1, 1)), atol=1e-6)

    def test_it_says_where_a_bone_sees_a_vertex(self):
        """A bone at (2, 0, 0) whose x axis points along the root's y sees a vertex at (2, 3, 0) three units
        ahead.
        """
        (offset,) = offset_matrices(np.array([rotation(Z, 90) @ translation(2, 0, 0)]), np.eye(4))
        np.testing.assert_allclose([2, 3, 0, 1] @ offset, [3, 0, 0, 1], atol=1e-15)

    def test_a_mesh_object_that_moves_only_changes_the_offsets(self):
        rng = np.random.default_rng(0)
        rest, before, after = random_transforms(rng, 4), random_transform(rng), random_transform(rng)
        moved = bound(rest, before).seen_from(after)
        np.testing.assert_allclose(moved.offset, bound(rest, after).offset, atol=1e-12)
        np.testing.assert_array_equal(moved.rest_to_root, bound(rest, before).rest_to_root)

    def test_a_bone_without_extent_does_not_spoil_the_others(self):
        rest = np.array([translation(1, 0, 0), scaling(0, 0, 0), translation(0, 2, 0)])
        offset = offset_matrices(rest, np.eye(4))
        np.testing.assert_array_equal(offset, [translation(-1, 0, 0), np.eye(4), translation(0, -2, 0)])


class TestJoints:
    def test_joint_0_moves_nothing_in_any_pose(self):
        rng = np.random.default_rng(2)
        joints = bound(random_transforms(rng, 3), random_transform(rng))
        for pose in (joints.posed(random_transforms(rng, 3)), Pose(random_transforms(rng, 4))):
            palette = final_matrices(joints, pose, random_transform(rng))
            np.testing.assert_array_equal(palette.final[0], np.eye(4))

    def test_each_joint_takes_the_matrix_of_its_bone(self):
        to_root = np.array([translation(bone, 0, 0) for bone in range(5)])
        joints = Joints.of_bones(skeleton_of([-1] * 5), [4, 1], np.eye(4))
        assert joints.posed(to_root).to_root[:, 3, 0].tolist() == [0, 4, 1]

    def test_an_armature_of_no_bones_still_has_joint_0(self):
        joints = Joints.of_bones(skeleton_of([]), [], np.eye(4))
        palette = final_matrices(joints, joints.posed(np.empty((0, 4, 4))), np.eye(4))
        np.testing.assert_array_equal(palette.final, [np.eye(4)])

    @pytest.mark.parametrize("joints_posed", [1, 2, 4])
    def test_a_pose_of_other_joints_is_refused(self, joints_posed):
        """Otherwise a single matrix would serve for all."""
        joints, pose = bound([np.eye(4)] * 2), Pose(np.tile(np.eye(4), (joints_posed, 1, 1)))
        with pytest.raises(InvalidArrayError, match=rf"\b{joints_posed} joints .*\b3\b"):
            final_matrices(joints, pose, np.eye(4))
        with pytest.raises(InvalidArrayError, match=rf"\b{joints_posed} joints .*\b3\b"):
            volume_palette(joints, pose, np.eye(4), np.eye(4))

    def test_what_joints_have_worked_out_can_not_be_edited(self):
        with pytest.raises(ValueError, match="read-only"):
            bound([np.eye(4)]).root_to_rest[0, 0, 0] = 2

    def test_a_palette_without_joint_0_is_refused(self):
        with pytest.raises(InvalidArrayError, match="Joint 0"):
            replace(bound([np.eye(4)]), bone=np.array([0, 1]))

    @property_test
    @given(skin_rows(joints=6), seeds)
    def test_bones_without_influence_are_not_missed(self, rows, seed):
        """With joints for the influence bones only, each vertex moves as it does with joints for
        all bones.
        """
        rng = np.random.default_rng(seed)
        skeleton = skeleton_of([-1, 0, 1, 1, 0, 4], random_transforms(rng, 6))
        posed, positions = random_transforms(rng, 6), rng.normal(size=(len(rows), 3))
        bone_skin = bone_skin_of(rows)
        influencing = bone_skin.used_bones().tolist()
        joints = Joints.of_bones(skeleton, influencing, AT_THE_ROOT)
        joint_of_bone = {bone: joint for joint, bone in enumerate(influencing, start=1)}
        final = final_matrices(joints, joints.posed(posed), AT_THE_ROOT).final
        kept = [
            [(joint_of_bone[bone], weight) for bone, weight in row if bone in joint_of_bone] for row in rows
        ]
        every_bone = [
            np.linalg.inv(rest) @ pose for rest, pose in zip(skeleton.rest_to_root, posed, strict=True)
        ]
        np.testing.assert_allclose(
            skin_by_the_book(skin_of(kept), final, positions),
            skin_by_the_book(skin_of(rows), every_bone, positions),
            atol=3e-5,
        )
