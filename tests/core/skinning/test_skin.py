"""Influences stay as stored; engines' limits and normalization are derived from them."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skinning_addon.core.skinning.skin import Skin
from skinning_addon.core.text.errors import InvalidArrayError
from tests.core.builders import bone_skin_of, property_test, rows_of, seeds, skin_of, skin_rows


class TestStoredOrder:
    @property_test
    @given(skin_rows())
    def test_what_was_put_in_comes_out(self, rows):
        skin = skin_of(rows)
        assert rows_of(skin) == [
            [(joint, float(np.float32(weight))) for joint, weight in row] for row in rows
        ]
        assert skin.vertex_count == len(rows)
        assert skin.counts.tolist() == [len(row) for row in rows]
        assert skin.largest_count == max((len(row) for row in rows), default=0)

    @property_test
    @given(skin_rows(), seeds)
    def test_entries_of_a_vertex_keep_their_order_wherever_they_stand_in_a_file(self, rows, seed):
        """A file may list the influences by bone or in any other order; within a vertex the order is what
        counts.
        """
        skin = skin_of(rows)
        shuffled_owner = np.random.default_rng(seed).permutation(skin.vertex_of_influence.copy())
        entry_of_vertex = [iter(range(start, end)) for start, end in pairwise(skin.starts.tolist())]
        entries = [next(entry_of_vertex[vertex]) for vertex in shuffled_owner]
        joints, weights = skin.joints[entries], skin.weights[entries]
        assert rows_of(Skin.from_entries(shuffled_owner, joints, weights, len(rows))) == rows_of(skin)

    def test_vertices_without_any_group_at_the_end_are_not_lost(self):
        skin = Skin.from_entries(np.array([1]), np.array([3]), np.array([0.5]), 4)
        assert rows_of(skin) == [[], [(3, 0.5)], [], []]

    def test_a_skin_can_not_be_edited_in_place(self):
        skin = skin_of([[(1, 0.5)]])
        for array in (skin.starts, skin.joints, skin.weights):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 1

    @pytest.mark.parametrize("name", ["counts", "vertex_of_influence", "weight_sums"])
    def test_what_it_has_worked_out_is_shared_and_can_not_be_edited_either(self, name):
        with pytest.raises(ValueError, match="read-only"):
            getattr(skin_of([[(1, 0.5)]]), name)[0] = 1


class TestRefusals:
    @pytest.mark.parametrize(
        ("starts", "joints", "weights", "said"),
        [
            ([], [], [], "starts"),
            ([1, 2], [0, 0], [1, 1], "starts"),
            ([0, 1], [1, 2], [1, 1], "starts"),
            ([0, 2, 1, 3], [1, 1, 1], [1, 1, 1], "starts"),
            ([0, 1], [-1], [1], "indices"),
            ([0, 2], [1, 2], [1], "weights"),
            ([0, 1], [1], [np.nan], "weights"),
            ([0, 1], [1], [np.inf], "weights"),
        ],
        ids=[
            "no starts", "a gap in front", "a gap behind", "a vertex with fewer than no influences",
            "a negative index", "fewer weights than joints", "not a number", "infinite",
        ],
    )  # fmt: skip
    def test_what_is_no_skin_is_refused_by_the_array_at_fault(self, starts, joints, weights, said):
        with pytest.raises(InvalidArrayError, match=f"^{said} "):
            Skin(np.array(starts, dtype=np.int32), np.array(joints, dtype=np.int32), np.array(weights))

    @pytest.mark.parametrize("influences", [0, -4])
    def test_no_engine_has_fewer_than_one_influence(self, influences):
        with pytest.raises(InvalidArrayError, match=f"{influences} influences"):
            skin_of([[(1, 1.0)]]).limited(influences)


class TestNormalised:
    @property_test
    @given(skin_rows())
    def test_each_weight_becomes_its_share_of_the_sum_and_unmoved_vertices_get_no_bone(self, rows):
        for row, normalised in zip(rows, rows_of(skin_of(rows).normalised()), strict=True):
            weights = [float(np.float32(weight)) for _, weight in row]
            total = sum(weights)
            if total <= 1e-4:
                assert normalised == [(0, 1.0)]
                continue
            moving = [
                (joint, weight / total) for (joint, _), weight in zip(row, weights, strict=True) if weight
            ]
            assert [joint for joint, _ in normalised] == [joint for joint, _ in moving]
            assert [weight for _, weight in normalised] == pytest.approx(
                [weight for _, weight in moving], rel=1e-7
            )

    @property_test
    @given(skin_rows())
    def test_weights_add_up_to_one_on_every_vertex(self, rows):
        np.testing.assert_allclose(skin_of(rows).normalised().weight_sums, np.ones(len(rows)), rtol=3e-7)

    @pytest.mark.parametrize(
        ("total", "moves"),
        [(0.0, False), (9.993e-5, False), (1e-4, False), (1.0015e-4, True), (1.0, True), (7.5, True)],
    )
    def test_blender_moves_a_vertex_only_above_a_sum_of_a_ten_thousandth(self, total, moves):
        """9.993e-5 is the largest sum that Blender was seen to leave alone, 1.0015e-4 the smallest that it
        moved.
        """
        (row,) = rows_of(skin_of([[(3, total / 2), (5, total / 2)]]).normalised())
        assert row == ([(3, 0.5), (5, 0.5)] if moves else [(0, 1.0)])

    def test_the_original_is_left_alone(self):
        skin = skin_of([[(1, 0.25), (2, 0.25)], []])
        skin.normalised()
        assert rows_of(skin) == [[(1, 0.25), (2, 0.25)], []]

    def test_a_mesh_of_no_vertices(self):
        assert skin_of([]).normalised().vertex_count == 0


class TestLimited:
    @property_test
    @given(skin_rows(), st.integers(1, 8))
    def test_the_largest_are_kept_ties_go_to_the_first_and_the_order_stays(self, rows, influences):
        for row, limited in zip(rows, rows_of(skin_of(rows).limited(influences)), strict=True):
            stored = [(joint, float(np.float32(weight))) for joint, weight in row]
            largest = sorted(range(len(stored)), key=lambda index: -stored[index][1])[:influences]
            assert limited == [stored[index] for index in sorted(largest)]

    def test_what_four_influences_leave_of_six(self):
        six = [(1, 0.125), (2, 0.25), (3, 0.0625), (4, 0.25), (5, 0.0625), (6, 0.25)]
        assert rows_of(skin_of([six]).limited(4)) == [[(1, 0.125), (2, 0.25), (4, 0.25), (6, 0.25)]]
        shared_out = rows_of(skin_of([six]).limited(4).normalised())[0]
        assert [weight for _, weight in shared_out] == pytest.approx([1 / 7, 2 / 7, 2 / 7, 2 / 7])

    def test_a_skin_within_the_limit_is_unchanged(self):
        rows = [[(1, 0.5), (2, 0.0)], [], [(3, 0.1), (1, 0.2), (2, 0.3), (4, 0.4)]]
        assert rows_of(skin_of(rows).limited(4)) == rows_of(skin_of(rows))


class TestUsedBones:
    def test_influence_bones_are_those_that_move_a_vertex(self):
        skin = bone_skin_of([[(7, 1.0), (2, 0.0)], [(4, 5e-5)], [(5, 0.5), (7, 0.5)], []])
        assert skin.used_bones().tolist() == [5, 7]


def test_the_skin_of_some_vertices_in_another_order():
    skin = Skin([0, 2, 2, 3], [4, 5, 6], [0.25, 0.75, 1.0])
    chosen = skin.of_vertices(np.array([2, 0, 1, 0]))
    assert chosen.starts.tolist() == [0, 1, 3, 3, 5]
    assert chosen.joints.tolist() == [6, 4, 5, 4, 5]
    assert chosen.weights.tolist() == [1.0, 0.25, 0.75, 0.25, 0.75]
