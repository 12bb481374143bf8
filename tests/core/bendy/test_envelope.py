"""Envelope weights against distances to a capsule, calculated by hand."""

import numpy as np
import pytest
from hypothesis import given

from skinning_addon.core.bendy import envelope
from skinning_addon.core.bendy.envelope import (
    Envelopes,
    multiplied_by_envelopes,
    with_envelopes_where_ungrouped,
)
from tests.core.builders import bone_skin_of, property_test, rotation, rows_of, seeds, translation


def envelopes_of(*bones, **options):
    """Bones as (head, tail); radii 0.5 at the head and 1 at the tail, one unit of distance, where nothing else
    is said.
    """
    count = len(bones)
    values = {"head_radius": 0.5, "tail_radius": 1.0, "distance": 1.0, "weight": 1.0, "multiply": False}
    values.update(options)
    return Envelopes(
        head=np.array([head for head, _ in bones], dtype=np.float64),
        tail=np.array([tail for _, tail in bones], dtype=np.float64),
        **{name: np.broadcast_to(value, count) for name, value in values.items()},
    )


UPRIGHT = ((0, 0, 0), (0, 2, 0))
"""A bone two units long; half-way up, its radius is 0.75."""


def factor_at(point, bone=UPRIGHT, **options):
    return float(envelopes_of(bone, **options).factors(np.array([point], dtype=np.float64), np.array([0]))[0])


class TestFactor:
    @pytest.mark.parametrize(
        ("point", "expected"),
        [
            ((0, 1, 0), 1),
            ((0.74, 1, 0), 1),
            ((0.75, 1, 0), 1),
            ((1.25, 1, 0), 0.75),
            ((0, 1, -1.5), 1 - 0.75**2),
            ((1.75, 1, 0), 0),
            ((9, 9, 9), 0),
            ((0, -0.5, 0), 1),
            ((0, -1, 0), 0.75),
            ((0, -1.5, 0), 0),
            ((0, 3, 0), 1),
            ((0, 3.5, 0), 0.75),
            ((0, 4, 0), 0),
            # Off the tail sideways and upwards: 1.5 from it by Pythagoras.
            ((0.9, 3.2, 0), 0.75),
        ],
        ids=[
            "on the axis", "inside", "on the surface", "half a unit out", "three quarters out", "at the end of the reach",
            "far away", "on the head's sphere", "half a unit before the head", "a unit before the head",
            "on the tail's sphere", "half a unit past the tail", "a unit past the tail", "past the tail at an angle",
        ],
    )  # fmt: skip
    def test_it_falls_with_the_square_of_the_gap_to_the_capsule(self, point, expected):
        assert factor_at(point) == pytest.approx(expected, abs=1e-12)

    def test_the_distance_sets_how_fast_it_falls(self):
        assert factor_at((1.25, 1, 0), distance=0.5) == 0
        assert factor_at((1.25, 1, 0), distance=2.0) == pytest.approx(1 - 0.25**2)

    def test_without_distance_the_capsule_has_a_hard_edge(self):
        assert factor_at((0.7499, 1, 0), distance=0.0) == 1
        assert factor_at((0.75, 1, 0), distance=0.0) == 0

    def test_without_radius_only_the_axis_counts_whole(self):
        assert factor_at((0, 1, 0), head_radius=0.0, tail_radius=0.0) == 1
        assert factor_at((0.5, 1, 0), head_radius=0.0, tail_radius=0.0) == pytest.approx(0.75)

    def test_a_bone_without_length_is_a_ball_around_its_head(self):
        bone = ((1, 1, 1), (1, 1, 1))
        assert factor_at((1.5, 1, 1), bone) == pytest.approx(1)
        assert factor_at((1, 2, 1), bone) == pytest.approx(0.75)

    @property_test
    @given(seeds)
    def test_it_does_not_depend_on_where_the_bone_stands_or_how_it_is_turned(self, seed):
        rng = np.random.default_rng(seed)
        points = np.c_[rng.uniform(-2, 4, (20, 3)), np.ones(20)]
        moved = rotation(rng.normal(size=3), rng.uniform(0, 180)) @ translation(*rng.normal(size=3))
        upright = np.array([(0, 0, 0, 1), (0, 2, 0, 1)])
        ends = (upright @ moved)[:, :3]
        here = envelopes_of(UPRIGHT).factors(points[:, :3], np.zeros(20, dtype=int))
        there = envelopes_of(ends).factors((points @ moved)[:, :3], np.zeros(20, dtype=int))
        np.testing.assert_allclose(there, here, atol=1e-9)

    def test_every_position_meets_every_bone(self):
        envelopes = envelopes_of(UPRIGHT, ((5, 0, 0), (5, 2, 0)))
        points = np.array([(1.25, 1, 0), (5, 1, 0)])
        np.testing.assert_allclose(
            envelopes.factors(points[:, None], np.array([0, 1])[None]), [[0.75, 0], [0, 1]]
        )


class TestMultiply:
    def test_only_the_weights_of_bones_that_ask_for_it_are_multiplied(self):
        envelopes = envelopes_of(UPRIGHT, UPRIGHT, multiply=[True, False], weight=0.1)
        skin = bone_skin_of([[(0, 0.8), (1, 0.6)], [(1, 0.5)], [(0, 1.0)]])
        positions = np.array([(1.25, 1, 0), (1.25, 1, 0), (9, 9, 9)])
        multiplied = rows_of(multiplied_by_envelopes(skin, envelopes, positions))
        assert multiplied[0] == [(0, pytest.approx(0.6)), (1, pytest.approx(0.6))]
        assert multiplied[1:] == [[(1, 0.5)], [(0, 0.0)]]

    def test_a_skin_that_no_such_bone_moves_stays_itself(self):
        skin = bone_skin_of([[(1, 0.5)]])
        envelopes = envelopes_of(UPRIGHT, UPRIGHT, multiply=[True, False])
        assert multiplied_by_envelopes(skin, envelopes, np.zeros((1, 3))) is skin


class TestFallback:
    ENVELOPES = envelopes_of(UPRIGHT, UPRIGHT, ((5, 0, 0), (5, 2, 0)), weight=[1.0, 0.5, 0.2])

    def fallback(self, rows, positions, bones=(0, 1, 2)):
        positions = np.array(positions, dtype=np.float64).reshape(-1, 3)
        return rows_of(
            with_envelopes_where_ungrouped(bone_skin_of(rows), self.ENVELOPES, positions, np.array(bones))
        )

    def test_a_vertex_in_no_group_gets_factor_times_weight_of_every_bone_in_reach(self):
        (row,) = self.fallback([[]], [(1.25, 1, 0)])
        assert row == [(0, pytest.approx(0.75)), (1, pytest.approx(0.375))]

    def test_the_new_influences_stand_in_the_order_of_the_pose(self):
        (row,) = self.fallback([[]], [(1.25, 1, 0)], bones=(2, 1, 0))
        assert [joint for joint, _ in row] == [1, 0]

    def test_bones_that_do_not_deform_are_left_out(self):
        assert self.fallback([[]], [(1.25, 1, 0)], bones=(1, 2)) == [[(1, pytest.approx(0.375))]]

    def test_a_membership_keeps_the_envelopes_away_even_with_a_weight_of_zero(self):
        assert self.fallback([[(2, 0.0)], [(2, 0.3)]], [(0, 1, 0)] * 2) == [
            [(2, 0.0)],
            [(2, pytest.approx(0.3))],
        ]

    def test_out_of_reach_nothing_moves_a_vertex(self):
        assert self.fallback([[]], [(9, 9, 9)]) == [[]]

    @pytest.mark.parametrize("block", [1, 3, 100])
    def test_the_size_of_a_block_changes_nothing(self, block, monkeypatch):
        positions = np.random.default_rng(1).uniform(-1, 6, (40, 3))
        rows = [[] if vertex % 3 else [(1, 0.5)] for vertex in range(40)]
        whole = self.fallback(rows, positions)
        monkeypatch.setattr(envelope, "VERTICES_PER_BLOCK", block)
        assert self.fallback(rows, positions) == whole
