"""A bendy bone's weight is shared by the two joints around a vertex, without any loss."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skinning_addon.core.bendy.bones import (
    SegmentLocations,
    number_joints,
    split_over_joints,
    straight_locations,
)
from tests.core.builders import bone_skin_of, property_test, rows_of, skin_rows


def locations_of(*along_length_segments):
    along, length, segments = np.array(along_length_segments, dtype=np.float64).T
    return straight_locations(along, length, segments.astype(np.int32))


class TestStraightPlaces:
    @pytest.mark.parametrize(
        ("along", "segment", "blend"),
        [(0, 0, 0), (0.25, 0, 0.5), (0.5, 1, 0), (1, 2, 0), (1.125, 2, 0.25), (1.5, 3, 0), (2, 3, 1)],
    )
    def test_a_bone_of_four_segments_and_two_units(self, along, segment, blend):
        """On a boundary a vertex belongs to the segment that begins there; the tail ends the last one."""
        locations = locations_of((along, 2, 4))
        assert locations.segment.tolist() == [segment]
        assert locations.blend.tolist() == [blend]

    def test_before_the_head_and_past_the_tail_the_ends_count(self):
        locations = locations_of((-5, 2, 4), (7, 2, 4))
        assert locations.segment.tolist() == [0, 3]
        assert locations.blend.tolist() == [0, 1]

    def test_a_bone_without_length_is_all_head(self):
        locations = locations_of((0, 0, 4), (1, 0, 4))
        assert locations.segment.tolist() == [0, 0]
        assert locations.blend.tolist() == [0, 0]

    @property_test
    @given(st.floats(-1, 3), st.floats(0.01, 10), st.integers(2, 32))
    def test_segment_and_blend_are_the_distance_along_the_bone(self, along, length, segments):
        locations = locations_of((along, length, segments))
        assert 0 <= locations.segment[0] < segments
        assert 0 <= locations.blend[0] <= 1
        expected = min(max(along / length, 0), 1) * segments
        assert locations.segment[0] + locations.blend[0] == pytest.approx(expected, abs=1e-9)


class TestNumbers:
    def test_plain_bones_have_one_joint_and_bendy_ones_one_more_than_segments(self):
        numbers = number_joints(np.array([0, 2, 3]), np.array([1, 8, 4, 1], dtype=np.int32))
        assert numbers.first.tolist() == [1, -1, 2, 7]
        assert numbers.bone.tolist() == [-1, 0, 2, 2, 2, 2, 2, 3]
        assert numbers.segment.tolist() == [0, 0, 0, 1, 2, 3, 4, 0]

    def test_no_bones_at_all_leave_joint_0(self):
        numbers = number_joints(np.empty(0, dtype=int), np.array([1, 4], dtype=np.int32))
        assert numbers.first.tolist() == [-1, -1]
        assert numbers.bone.tolist() == [-1]


BONES = 8
SEGMENTS = np.array([1, 4, 1, 2, 32, 1, 3, 1], dtype=np.int32)


def split(rows, segment_of, blend_of):
    """Bone 5 has no joints. segment_of, blend_of: for the influences of bendy bones, one after the other."""
    skin = bone_skin_of(rows)
    numbers = number_joints(np.array([0, 1, 2, 3, 4, 6, 7]), SEGMENTS)
    bendy = np.flatnonzero(SEGMENTS[skin.bones] > 1)
    segment = np.array([segment_of(SEGMENTS[bone]) for bone in skin.bones[bendy]], dtype=np.int32)
    blend = np.array([blend_of() for _ in bendy], dtype=np.float64)
    return numbers, split_over_joints(skin, numbers, bendy, SegmentLocations(segment, blend))


class TestSplit:
    @property_test
    @given(skin_rows(joints=BONES), st.data())
    def test_the_shares_of_a_bone_add_up_to_its_weight(self, rows, data):
        """And their balance point is where the vertex lies."""
        blend = data.draw(st.sampled_from([0.0, 0.25, 0.5, 1.0]))
        numbers, skin = split(rows, lambda segments: segments - 1, lambda: blend)
        for before, after in zip(rows, rows_of(skin), strict=True):
            expected = [(bone, float(np.float32(weight))) for bone, weight in before if bone != 5]
            bones = {bone for bone, _ in expected}
            for bone in bones:
                total = sum(weight for own, weight in expected if own == bone)
                shares = [(joint, weight) for joint, weight in after if numbers.bone[joint] == bone]
                assert sum(weight for _, weight in shares) == pytest.approx(total, rel=1e-6)
                location = SEGMENTS[bone] - 1 + blend if SEGMENTS[bone] > 1 else 0
                moment = sum(weight * numbers.segment[joint] for joint, weight in shares)
                assert moment == pytest.approx(total * location, rel=1e-6)
            assert {int(numbers.bone[joint]) for joint, _ in after} == bones

    def test_between_two_joints_the_nearer_end_of_the_segment_comes_first(self):
        numbers, skin = split([[(0, 0.5), (1, 0.8), (2, 0.2)]], lambda _: 2, lambda: 0.25)
        first = int(numbers.first[1])
        (row,) = rows_of(skin)
        assert [joint for joint, _ in row] == [1, first + 2, first + 3, int(numbers.first[2])]
        assert [weight for _, weight in row] == pytest.approx([0.5, 0.6, 0.2, 0.2])

    @pytest.mark.parametrize(("blend", "segment_moved"), [(0.0, 0), (1.0, 1)])
    def test_on_a_boundary_one_joint_has_it_all(self, blend, segment_moved):
        numbers, skin = split([[(1, 0.8)]], lambda _: 2, lambda: blend)
        assert rows_of(skin) == [[(int(numbers.first[1]) + 2 + segment_moved, pytest.approx(0.8))]]

    def test_a_weight_of_zero_that_is_stored_stays(self):
        numbers, skin = split([[(0, 0.0)], [(1, 0.0)]], lambda _: 1, lambda: 0.5)
        first = int(numbers.first[1])
        assert rows_of(skin) == [[(1, 0.0)], [(first + 1, 0.0), (first + 2, 0.0)]]

    def test_bones_without_joints_are_dropped(self):
        _, skin = split([[(5, 0.5), (0, 0.5)], [(5, 1.0)]], lambda _: 0, lambda: 0.0)
        assert rows_of(skin) == [[(1, 0.5)], []]
