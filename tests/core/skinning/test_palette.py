"""The palette is built from offset, to_root and root_to_mesh; its bytes are what a shader reads."""

import numpy as np

from skinning_addon.core.skinning.joints import Joints
from skinning_addon.core.skinning.palette import Palette, final_matrices
from tests.core.builders import (
    X,
    Z,
    bound,
    random_transform,
    random_transforms,
    rotation,
    scaling,
    skeleton_of,
    translation,
)


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
