"""Sampled clips, and how far they are from what the controller plays, in closed form."""

from __future__ import annotations

import numpy as np
import pytest

from skinning_addon.animation.bone_boxes import BoneBoxes
from skinning_addon.animation.sampled_clips import (
    RATES,
    SampledClips,
    fade_deviation,
    heard_of,
    sampling_deviation,
)
from skinning_addon.core.skinning.joints import Joints
from tests.animation.builders import arm, sampled_at, turning

RADIUS = 2.0


def points_of(bones: int) -> BoneBoxes:
    """Each bone moves a single point, at RADIUS along Y from its head."""
    corners = np.tile((0, RADIUS, 0, 1), (bones, 8, 1)).astype(np.float64)
    return BoneBoxes(corners, np.ones(bones, dtype=bool), RADIUS, np.full(bones, RADIUS))


@pytest.mark.parametrize("rate", [2, 5, 30])
def test_between_samples_a_turning_point_goes_along_the_chord(rate):
    clip = turning(degrees=np.linspace(0, 90, 361))
    found = sampling_deviation(arm(1), clip, points_of(1), rate)
    assert found == pytest.approx(RADIUS * (1 - np.cos(np.radians(90 / rate / 2))), rel=1e-3)


def test_a_tolerance_chooses_the_lowest_rate():
    skeleton, boxes = arm(1), points_of(1)
    clips = (turning(degrees=(0, 45, 90)), turning("fast", degrees=np.linspace(0, 1440, 17)))
    tolerance = 1e-3
    sampled = SampledClips.within(skeleton, clips, boxes, tolerance)
    for clip, count, deviation, whole in zip(
        clips, sampled.counts, sampled.deviations, (90, 1440), strict=True
    ):
        rate = next(one for one in RATES if RADIUS * (1 - np.cos(np.radians(whole / one / 2))) <= tolerance)
        assert count == rate + 1
        assert deviation == sampling_deviation(skeleton, clip, boxes, rate) <= tolerance
    assert sampled.counts[0] < sampled.counts[1]


def test_where_no_rate_will_do_the_highest_is_taken_and_told():
    skeleton, clip, boxes = arm(1), turning(degrees=(0, 170)), points_of(1)
    sampled = SampledClips.within(skeleton, (clip,), boxes, 1e-9)
    assert sampled.counts[0] == RATES[-1] + 1
    assert sampled.deviations == (sampling_deviation(skeleton, clip, boxes, RATES[-1]),)
    assert sampled.deviations[0] > 1e-9


def test_a_fade_by_matrices_comes_closer_to_the_joint():
    """Half way between 0 and 90 degrees the mean of both matrices shrinks by cos 45."""
    still, turned = turning("still", (0, 0)), turning("turned", (90, 90))
    found = fade_deviation(arm(1), still, turned, points_of(1))
    assert found == pytest.approx(RADIUS * (1 - np.cos(np.radians(45))), rel=1e-4)


def test_clips_that_are_matched_fade_at_the_same_share_of_their_length():
    clip, slow = turning(), turning("slow", seconds=4.0)
    boxes = points_of(1)
    assert fade_deviation(arm(1), clip, slow, boxes, matched=True) < 1e-5
    assert fade_deviation(arm(1), clip, slow, boxes) > 0.1


def test_samples_are_found_by_time():
    sampled = sampled_at(arm(2), (turning(), turning("long", seconds=2.0)), (10, 4))
    assert sampled.counts.tolist() == [11, 9]
    assert sampled.starts.tolist() == [0, 11]
    before, after, fraction = sampled.between(1, np.array([0.0, 0.3, 1.99, 2.0, -1.0, 7.0]))
    assert before.tolist() == [11, 12, 18, 18, 11, 18]
    assert after.tolist() == [12, 13, 19, 19, 12, 19]
    np.testing.assert_allclose(fraction, [0, 0.2, 0.96, 1, 0, 1], atol=1e-12)


def test_a_pose_has_one_sample():
    skeleton = arm(1)
    clip = turning(degrees=(40,))
    sampled = sampled_at(skeleton, (clip,), (30,))
    assert sampled.counts.tolist() == [1]
    before, after, fraction = sampled.between(0, np.array([0.0, 3.0]))
    assert before.tolist() == after.tolist() == fraction.tolist() == [0, 0]
    assert sampling_deviation(skeleton, clip, points_of(1), 30) == 0


def test_samples_are_the_poses_at_their_times():
    skeleton = arm(1)
    joints = Joints.of_bones(skeleton, [0], np.eye(4))
    palettes = sampled_at(skeleton, (turning(degrees=(0, 45, 90)),), (4,)).palettes(joints)
    assert palettes.shape == (5, 2, 4, 4)
    np.testing.assert_array_equal(palettes[:, 0], np.tile(np.eye(4), (5, 1, 1)))
    for number, matrix in enumerate(palettes[:, 1]):
        # About X, row vectors; each half of the clip goes along the chord of its quaternions.
        angle = np.arctan2(matrix[1, 2], matrix[1, 1])
        assert np.degrees(angle) == pytest.approx(22.5 * number, abs=1e-3)


def test_weights_that_are_heard_add_up_to_one():
    skeleton = arm(1)
    sampled = sampled_at(skeleton, (turning(), turning("other")), (10, 10))
    at = np.array([0.05, 0.5])
    heard = heard_of(sampled, [(0, at), (1, at)], [(3, 1), (0, 5)], np.tile(np.eye(4), (2, 1, 1)))
    np.testing.assert_allclose(heard.weight, [(0.75, 0.25), (0, 1)])
    assert heard.before[:, 1].tolist() == (heard.before[:, 0] + 11).tolist()
