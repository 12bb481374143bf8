"""Bones in any order become a skeleton; local matrices become matrices to the root, and vice versa."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skinning_addon.core.skinning.skeleton import Skeleton, invert_affine, parents_first
from skinning_addon.core.text.errors import HierarchyError, InvalidArrayError
from tests.core.builders import (
    X,
    Z,
    bone_names,
    forests,
    property_test,
    random_transform,
    random_transforms,
    rotation,
    scaling,
    seeds,
    skeleton_of,
    translation,
)


def skeleton_in_any_order(parents):
    """Each rest matrix is a translation by the bone's index in the input, so that one can see whose it
    is.
    """
    rest = [translation(index, 0, 0) for index in range(len(parents))]
    return Skeleton.from_bones(bone_names(len(parents)), parents, rest)


def to_root_by_the_book(parents, to_parent, bone):
    """Walk up from the bone, one product an ancestor."""
    matrix = to_parent[bone]
    while parents[bone] >= 0:
        bone = parents[bone]
        matrix = matrix @ to_parent[bone]
    return matrix


class TestOrder:
    @property_test
    @given(forests())
    def test_every_parent_stands_before_its_children(self, parents):
        order = parents_first(bone_names(len(parents)), parents).tolist()
        assert sorted(order) == list(range(len(parents)))
        for bone, parent in enumerate(parents):
            assert parent < 0 or order.index(parent) < order.index(bone)

    @property_test
    @given(forests())
    def test_every_bone_keeps_its_name_its_parent_and_its_rest_matrix(self, parents):
        skeleton, order = skeleton_in_any_order(parents)
        given_names = bone_names(len(parents))
        assert [given_names[index] for index in order] == list(skeleton.names)
        for bone, index in enumerate(order):
            parent = int(skeleton.parents[bone])
            assert (order[parent] if parent >= 0 else -1) == parents[index]
            assert skeleton.rest_to_root[bone, 3, 0] == index

    def test_roots_and_siblings_keep_the_order_in_which_they_were_given(self):
        names = ["hand.R", "spine", "hand.L", "prop"]
        assert parents_first(names, [1, -1, 1, -1]).tolist() == [1, 3, 0, 2]

    def test_bones_that_already_stand_parents_first_stay_as_they_are(self):
        """Limb by limb, as Blender lists them, and not level by level."""
        names = ["hips", "leg", "foot", "spine", "head"]
        assert parents_first(names, [-1, 0, 1, 0, 3]).tolist() == [0, 1, 2, 3, 4]

    def test_a_bone_is_found_by_its_name(self):
        skeleton, order = skeleton_in_any_order([2, 0, -1])
        assert order[skeleton.index("bone.001")] == 1
        with pytest.raises(KeyError):
            skeleton.index("bone.999")

    @property_test
    @given(forests())
    def test_a_level_holds_the_bones_of_one_depth(self, parents):
        skeleton, _ = skeleton_in_any_order(parents)
        level_of_bone = {int(bone): depth for depth, level in enumerate(skeleton.levels) for bone in level}
        assert sorted(level_of_bone) == list(range(len(parents)))
        for bone, parent in enumerate(skeleton.parents.tolist()):
            assert level_of_bone[bone] == (level_of_bone[parent] + 1 if parent >= 0 else 0)

    def test_levels_are_computed_once_and_read_only(self):
        with pytest.raises(ValueError, match="read-only"):
            skeleton_of([-1, 0, 0]).levels[1][0] = 0

    def test_an_armature_of_no_bones_is_a_skeleton(self):
        skeleton, order = Skeleton.from_bones([], [], [])
        assert skeleton.names == ()
        assert len(order) == 0
        assert skeleton.levels == ()
        assert skeleton.to_root(np.empty((0, 4, 4))).shape == (0, 4, 4)
        to_parent, attached = skeleton.to_parent(np.empty((0, 4, 4)))
        assert to_parent.shape == (0, 4, 4)
        assert attached.shape == (0,)


class TestRefusals:
    def test_a_loop_is_spelled_out_by_name(self):
        names = ["hips", "a", "b", "c", "below the loop"]
        with pytest.raises(HierarchyError, match="'a' -> 'c' -> 'b' -> 'a'") as refusal:
            parents_first(names, [-1, 3, 1, 2, 3])
        assert "hips" not in str(refusal.value)
        assert "below the loop" not in str(refusal.value)

    def test_a_loop_is_spelled_out_when_a_bone_below_it_comes_first(self):
        with pytest.raises(HierarchyError, match="'a' -> 'b' -> 'a'") as refusal:
            parents_first(["below the loop", "a", "b"], [1, 2, 1])
        assert "below the loop" not in str(refusal.value)

    def test_a_bone_can_not_be_its_own_parent(self):
        with pytest.raises(HierarchyError, match="'hips' -> 'hips'"):
            Skeleton.from_bones(["hips"], [0], np.eye(4)[None])

    @pytest.mark.parametrize("parent", [2, 7, -2])
    def test_a_parent_that_does_not_exist_is_refused_with_the_bone_that_names_it(self, parent):
        with pytest.raises(HierarchyError, match=rf"'hand'.* {parent},"):
            parents_first(["arm", "hand"], [-1, parent])

    def test_names_must_be_unique(self):
        """Vertex groups find their bone by its name."""
        with pytest.raises(HierarchyError, match="'hand'"):
            Skeleton.from_bones(["arm", "hand", "hand"], [-1, 0, 0], np.tile(np.eye(4), (3, 1, 1)))

    @pytest.mark.parametrize("count", [0, 1, 3])
    def test_each_bone_needs_its_rest_matrix(self, count):
        with pytest.raises(InvalidArrayError, match=r"^rest_to_root .*2 bones"):
            Skeleton.from_bones(["arm", "hand"], [-1, 0], np.tile(np.eye(4), (count, 1, 1)))

    def test_names_and_parents_must_be_as_many(self):
        with pytest.raises(HierarchyError, match=r"\b2 .* 1 "):
            parents_first(["arm", "hand"], [-1])

    def test_a_skeleton_refuses_a_child_before_its_parent(self):
        with pytest.raises(HierarchyError, match=r"'hand'.*parents_first"):
            Skeleton(("hand", "arm"), np.array([1, -1]), np.tile(np.eye(4), (2, 1, 1)))

    def test_a_skeleton_refuses_matrices_for_another_number_of_bones(self):
        with pytest.raises(InvalidArrayError, match="rest_to_root"):
            Skeleton(("arm", "hand"), np.array([-1, 0]), np.eye(4)[None])


class TestToRoot:
    @property_test
    @given(forests(), seeds)
    def test_each_bone_is_its_own_matrix_times_those_of_its_ancestors(self, parents, seed):
        skeleton, order = skeleton_in_any_order(parents)
        to_parent = random_transforms(np.random.default_rng(seed), len(parents))
        to_root = skeleton.to_root(to_parent[order])
        for bone, index in enumerate(order):
            expected = to_root_by_the_book(parents, to_parent, index)
            np.testing.assert_allclose(
                to_root[bone], expected, rtol=1e-12, atol=1e-9 * np.abs(expected).max()
            )

    def test_the_input_is_left_alone(self):
        to_parent = np.tile(translation(1, 0, 0), (3, 1, 1))
        before = to_parent.copy()
        skeleton_of([-1, 0, 1]).to_root(to_parent)
        np.testing.assert_array_equal(to_parent, before)

    def test_several_roots_do_not_touch_one_another(self):
        skeleton = skeleton_of([-1, -1, 0, 1])
        to_parent = np.array([translation(1, 0, 0), scaling(0, 0, 0), translation(0, 2, 0), np.eye(4)])
        to_root = skeleton.to_root(to_parent)
        np.testing.assert_array_equal(to_root[2], translation(1, 2, 0))
        np.testing.assert_array_equal(to_root[3], scaling(0, 0, 0))

    def test_a_chain_of_3000_bones_closes_to_a_regular_polygon(self):
        """Each bone is one unit long and turned by 1/3000 of a full turn; all angles add up to 360 degrees."""
        count = 3000
        skeleton = skeleton_of(range(-1, count - 1))
        step = rotation(Z, 360 / count) @ translation(1, 0, 0)
        to_root = skeleton.to_root(np.tile(step, (count, 1, 1)))
        np.testing.assert_allclose(to_root[-1], np.eye(4), atol=1e-8)
        # Half way round, the chain is farthest away: by the diameter of the polygon's circumscribed circle.
        assert np.linalg.norm(to_root[count // 2 - 1, 3, :3]) == pytest.approx(1 / math.sin(math.pi / count))

    @pytest.mark.parametrize("leading", [(1,), (5,), (2, 3), (0,)])
    def test_a_crowd_is_each_of_its_instances(self, leading):
        skeleton = skeleton_of([-1, 0, 0, 1, 3, -1])
        bones = len(skeleton.names)
        poses = random_transforms(np.random.default_rng(1), math.prod(leading) * bones)
        together = skeleton.to_root(poses.reshape(*leading, bones, 4, 4)).reshape(-1, bones, 4, 4)
        for one, pose in zip(together, poses.reshape(-1, bones, 4, 4), strict=True):
            np.testing.assert_array_equal(one, skeleton.to_root(pose))

    def test_a_detached_bone_is_given_relative_to_the_root_and_still_carries_its_children(self):
        skeleton = skeleton_of([-1, 0, 1])
        to_parent = np.array([translation(1, 0, 0), translation(0, 1, 0), translation(0, 0, 1)])
        to_root = skeleton.to_root(to_parent, attached=np.array([True, False, True]))
        assert to_root[:, 3, :3].tolist() == [[1, 0, 0], [0, 1, 0], [0, 1, 1]]


class TestToParent:
    @property_test
    @given(forests(), seeds)
    def test_it_undoes_the_top_down_pass(self, parents, seed):
        skeleton, _ = skeleton_in_any_order(parents)
        given_to_parent = random_transforms(
            np.random.default_rng(seed), len(parents), smallest_scale=0.8, largest_scale=1.25
        )
        to_parent, attached = skeleton.to_parent(skeleton.to_root(given_to_parent))
        assert attached.all()
        # 24 bones deep, each product may lose a few digits of sixteen.
        np.testing.assert_allclose(to_parent, given_to_parent, atol=1e-7)

    @property_test
    @given(forests(), seeds, st.data())
    def test_the_pass_restores_every_pose_even_with_bones_scaled_to_zero(self, parents, seed, data):
        """As Blender hands them out: `to_root` is known, in single precision, and some bones are flat or
        gone.
        """
        skeleton, _ = skeleton_in_any_order(parents)
        to_root = (
            random_transforms(np.random.default_rng(seed), len(parents)).astype(np.float32).astype(np.float64)
        )
        zeros = st.sampled_from([(1, 1, 1), (0, 0, 0), (1, 0, 1), (0, 0, 1)])
        for bone in range(len(parents)):
            to_root[bone] = scaling(*data.draw(zeros)) @ to_root[bone]
        to_parent, attached = skeleton.to_parent(to_root)
        np.testing.assert_allclose(skeleton.to_root(to_parent, attached), to_root, atol=1e-11)

    @pytest.mark.parametrize("zero", [(0, 0, 0), (1, 0, 1), (0, 1, 1)])
    def test_children_of_a_bone_scaled_to_zero_are_told_apart_and_all_others_are_right(self, zero):
        skeleton = skeleton_of([-1, 0, 1, 2, 0])
        local = random_transforms(np.random.default_rng(3), 5)
        to_root = skeleton.to_root(local)
        to_root[1] = scaling(*zero) @ to_root[1]
        to_parent, attached = skeleton.to_parent(to_root)
        assert attached.tolist() == [True, True, False, True, True]
        np.testing.assert_allclose(to_parent[2], to_root[2])
        np.testing.assert_allclose(to_parent[1], scaling(*zero) @ local[1], atol=1e-12)
        np.testing.assert_allclose(to_parent[3:], local[3:], atol=1e-12)


class TestInvertAffine:
    def assert_inverse_is_the_closed_form(self, scale, turned, moved):
        """(scale, rotation, translation) undone is (translation back, rotation back, 1 / scale)."""
        matrix = scaling(*scale) @ turned @ translation(*moved)
        inverse, invertible = invert_affine([matrix])
        assert invertible.all()
        expected = translation(*np.negative(moved)) @ turned.T @ scaling(*np.reciprocal(scale))
        # Column by column, because 1 / scale is what sets the size of a column.
        error = np.linalg.norm(inverse[0] - expected, axis=0) / np.linalg.norm(expected, axis=0)
        assert error.max() < 1e-9

    @property_test
    @given(seeds)
    def test_axes_of_very_different_length_cost_no_digits(self, seed):
        """A bone a trillion times as long as wide: float64 itself has 15 digits, and 13 come out."""
        rng = np.random.default_rng(seed)
        scale, turned = 10 ** rng.uniform(-12, 12, 3), random_transform(rng, 1, 1, 0)
        inverse, invertible = invert_affine([scaling(*scale) @ turned])
        assert invertible.all()
        expected = turned[:3, :3].T / scale
        np.testing.assert_allclose(inverse[0, :3, :3] * scale, expected * scale, atol=1e-13)

    @property_test
    @given(seeds)
    def test_any_scale_along_a_bones_own_axes_is_undone(self, seed):
        rng = np.random.default_rng(seed)
        scale = 10 ** rng.uniform(-6, 6, 3)
        self.assert_inverse_is_the_closed_form(
            scale, random_transform(rng, 1, 1, 0), rng.uniform(-1000, 1000, 3)
        )

    @pytest.mark.parametrize(
        "scale",
        [(1e-6, 1e-6, 1e-6), (1e6, 1e6, 1e6), (1e-6, 1.0, 1e6), (-1.0, 1.0, 1.0), (1e-6, -1e6, 1.0)],
    )
    def test_honest_scale_is_invertible_however_extreme(self, scale):
        self.assert_inverse_is_the_closed_form(scale, rotation((1, 2, 3), 40), (5.0, 6.0, 7.0))

    @pytest.mark.parametrize("stretch", [10, 1e5])
    def test_a_child_turned_in_a_stretched_parent_is_invertible(self, stretch):
        """The parent is longer along one axis, so the child's axes are no longer at right angles."""
        matrix = rotation(Z, 45) @ scaling(stretch, 1, 1) @ translation(1, 2, 3)
        inverse, invertible = invert_affine([matrix])
        assert invertible.all()
        expected = translation(-1, -2, -3) @ scaling(1 / stretch, 1, 1) @ rotation(Z, -45)
        np.testing.assert_allclose(inverse[0], expected, atol=1e-9)

    @pytest.mark.parametrize(
        "matrix",
        [
            scaling(0, 0, 0),
            scaling(1, 0, 1),
            # A flattened parent gives its turned child three axes in one plane, no longer exactly once in
            # float32.
            (rotation((1, 2, 3), 40) @ scaling(1, 0, 1) @ rotation(X, 25)).astype(np.float32),
            np.full((4, 4), np.nan),
            np.where(np.eye(4) > 0, np.inf, 0),
        ],
        ids=["gone", "flat", "flattened by a parent", "not a number", "infinite"],
    )
    def test_one_broken_matrix_spoils_no_other(self, matrix):
        whole = rotation(Z, 90) @ translation(1, 2, 3)
        inverse, invertible = invert_affine(np.array([whole, matrix, whole]))
        assert invertible.tolist() == [True, False, True]
        np.testing.assert_array_equal(inverse[1], np.eye(4))
        expected = translation(-1, -2, -3) @ rotation(Z, -90)
        np.testing.assert_allclose(inverse[[0, 2]], [expected, expected], atol=1e-15)

    def test_no_flattened_bone_of_a_thousand_passes_for_invertible(self):
        """Float32 noise gives the axes of such a bone a volume of up to 1e-7, never a genuine one."""
        rng = np.random.default_rng(11)
        flattened = [
            random_transform(rng, 1, 1) @ scaling(1, 0, 1) @ random_transform(rng, 1, 1) for _ in range(1000)
        ]
        _, invertible = invert_affine(np.array(flattened, dtype=np.float32))
        assert not invertible.any()

    def test_no_matrices_at_all(self):
        inverse, invertible = invert_affine(np.empty((0, 4, 4)))
        assert inverse.shape == (0, 4, 4)
        assert invertible.shape == (0,)
