"""The palette is built from offset, to_root and root_to_mesh; its bytes are what a shader reads."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from skinning_addon.core.blending.volume_palette import volume_palette
from skinning_addon.core.skinning.palette import (
    Joints,
    Palette,
    Pass,
    Pose,
    final_matrices,
    offset_matrices,
)
from skinning_addon.core.text.errors import InvalidArrayError
from tests.core.builders import (
    AT_THE_ROOT,
    X,
    Z,
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


class TestFinal:
    def test_an_arm_bent_by_90_degrees(self):
        """Upper arm from (0, 0, 0) to (2, 0, 0), forearm from there to (4, 0, 0), bent upwards at the elbow."""
        skeleton = skeleton_of([-1, 0], [np.eye(4), translation(2, 0, 0)])
        joints = Joints.of_bones(skeleton, [0, 1], np.eye(4))
        to_root = skeleton.to_root([np.eye(4), rotation(Z, 90) @ translation(2, 0, 0)])
        upper, fore = final_matrices(joints, joints.posed(to_root), np.eye(4)).final[1:]
        for point, under_upper, under_fore in [
            ((1, 0, 0), (1, 0, 0), (2, -1, 0)),
            ((2, 0, 0), (2, 0, 0), (2, 0, 0)),
            ((2, 1, 0), (2, 1, 0), (1, 0, 0)),
            ((4, 0, 0), (4, 0, 0), (2, 2, 0)),
            ((4, 1, 5), (4, 1, 5), (1, 2, 5)),
        ]:
            np.testing.assert_allclose((*point, 1) @ upper, (*under_upper, 1), atol=1e-6)
            np.testing.assert_allclose((*point, 1) @ fore, (*under_fore, 1), atol=1e-6)

    def test_a_child_moves_with_its_parent(self):
        """The whole arm raised at the shoulder, the elbow straight: the hand at (4, 0, 0) goes to (0, 4, 0)."""
        skeleton = skeleton_of([-1, 0], [np.eye(4), translation(2, 0, 0)])
        joints = Joints.of_bones(skeleton, [0, 1], np.eye(4))
        to_root = skeleton.to_root([rotation(Z, 90), translation(2, 0, 0)])
        palette = final_matrices(joints, joints.posed(to_root), np.eye(4))
        np.testing.assert_allclose([4, 0, 0, 1] @ palette.final[2], [0, 4, 0, 1], atol=1e-6)

    def test_a_scaled_bone_scales_along_its_own_axes_about_its_own_head(self):
        """A bone at (10, 0, 0) whose y axis is the root's x axis, stretched to three times its length."""
        rest = rotation(Z, -90) @ translation(10, 0, 0)
        joints = bound([rest])
        palette = final_matrices(joints, joints.posed(np.array([scaling(1, 3, 1) @ rest])), np.eye(4))
        np.testing.assert_allclose([12, 5, 7, 1] @ palette.final[1], [16, 5, 7, 1], atol=1e-5)

    def test_the_result_is_in_mesh_space(self):
        """A mesh turned by 90 degrees in the armature: what moves along the root's x moves along the mesh's
        -y.
        """
        mesh_to_root = rotation(Z, 90) @ translation(3, 4, 5)
        joints = bound([translation(1, 1, 1)], mesh_to_root)
        palette = final_matrices(
            joints, joints.posed(np.array([translation(3, 1, 1)])), np.linalg.inv(mesh_to_root)
        )
        np.testing.assert_allclose([7, 8, 9, 1] @ palette.final[1], [7, 6, 9, 1], atol=1e-6)

    def test_far_from_the_armature_single_precision_comes_only_at_the_end(self):
        """A mesh object 123 km away: in float32 alone its vertices would jump by 8 mm from one value to the
        next.
        """
        mesh_to_root = rotation((1, 2, 3), 40) @ translation(123456.789, 0, 0)
        rest = rotation(X, 30) @ translation(0.1, 0.2, 0.3)
        joints = bound([rest], mesh_to_root)
        palette = final_matrices(joints, joints.posed(rest[None]), np.linalg.inv(mesh_to_root))
        np.testing.assert_allclose(palette.final[1], np.eye(4), atol=1e-9)


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
        """With joints for the influence bones only, each vertex goes where it goes with joints for
        all bones.
        """
        rng = np.random.default_rng(seed)
        skeleton = skeleton_of([-1, 0, 1, 1, 0, 4], random_transforms(rng, 6))
        posed, positions = random_transforms(rng, 6), rng.normal(size=(len(rows), 3))
        bone_skin = skin_of(rows)
        influencing = bone_skin.used_joints().tolist()
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
            skin_by_the_book(bone_skin, every_bone, positions),
            atol=3e-5,
        )


class TestPacking:
    def test_three_rows_are_the_whole_matrix(self):
        rng = np.random.default_rng(4)
        palette = Palette(random_transforms(rng, 7))
        assert palette.rows().shape == (7, 3, 4)
        for point in rng.normal(size=(20, 3)):
            for rows, final in zip(palette.rows(), palette.final, strict=True):
                by_rows = [float(np.dot(row, (*point, 1))) for row in rows]
                np.testing.assert_allclose(by_rows, ((*point, 1) @ final)[:3], atol=1e-6)

    def test_a_translation_stands_at_the_end_of_the_rows(self):
        rows = Palette(np.array([translation(7, 8, 9)])).rows()
        assert rows.tolist() == [[[1, 0, 0, 7], [0, 1, 0, 8], [0, 0, 1, 9]]]
        assert rows.tobytes() == np.float32([1, 0, 0, 7, 0, 1, 0, 8, 0, 0, 1, 9]).tobytes()

    def test_the_bytes_of_a_matrix_are_what_glsl_calls_column_major(self):
        """Four floats a column, so that a shader that computes `M * v` makes our `v @ M`."""
        final = random_transform(np.random.default_rng(5)).astype(np.float32)
        columns = np.frombuffer(Palette(final[None]).final.tobytes(), np.float32).reshape(4, 4)
        point = np.float32([1, 2, 3, 1])
        as_glsl_does = sum(coordinate * column for coordinate, column in zip(point, columns, strict=True))
        np.testing.assert_allclose(as_glsl_does, point @ final, rtol=1e-6)


class TestPass:
    def test_a_skin_can_not_name_a_joint_that_the_palette_lacks(self):
        joints = bound([np.eye(4)])
        Pass(skin_of([[(0, 1.0), (1, 1.0)]]), joints, "Armature")
        with pytest.raises(InvalidArrayError, match="joint 2"):
            Pass(skin_of([[(2, 1.0)]]), joints, "Armature")

    @pytest.mark.parametrize("amount", [np.nan, np.inf])
    def test_an_amount_is_a_number(self, amount):
        skin = skin_of([[(1, 1.0)], [(1, 1.0)]])
        with pytest.raises(InvalidArrayError, match=r"^amount"):
            Pass(skin, bound([np.eye(4)]), "Armature", amount=[0.5, amount])

    def test_an_amount_is_given_for_each_vertex(self):
        skin = skin_of([[(1, 1.0)], [(1, 1.0)]])
        with pytest.raises(InvalidArrayError, match="amount"):
            Pass(skin, bound([np.eye(4)]), "Armature", amount=np.ones(3))
