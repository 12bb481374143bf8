"""Poses mixed from several tracks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skinning_addon.animation.blending import additive_clip
from skinning_addon.animation.controller import Controller
from skinning_addon.animation.events import EventKind
from skinning_addon.animation.local_pose import compose
from skinning_addon.animation.ramps import Transition
from skinning_addon.animation.rotations import RotationBlend, interpolate
from skinning_addon.animation.sampling import ClipSampler
from tests.animation.builders import about, angle, arm, turning
from tests.animation.busy_controller import CLIPS, RUN, WALK, WAVE, busy


@pytest.mark.parametrize("blend", RotationBlend)
def test_a_cross_fade_blends_the_two_poses_bone_by_bone(blend: RotationBlend):
    controller = Controller(arm(), CLIPS, rotation_blend=blend)
    controller.set_track(0, "walk")
    controller.set_track(1, "run", enabled=False)
    controller.advance(0.3)
    controller.cross_fade(0, 1, 0.4, speed=1.5)
    controller.advance(0.1)
    walk = ClipSampler(WALK, arm()).at([0.4])
    run = ClipSampler(RUN, arm()).at([0.15])
    pose = controller.pose()
    assert np.abs(pose.rotation - interpolate(walk.rotation, run.rotation, 0.25, blend)).max() < 1e-6
    assert controller.weight(0) == pytest.approx([0.75])
    controller.advance(0.31)
    assert controller.weight(0) == [0]
    assert controller.weight(1) == [1]
    assert np.array_equal(
        controller.pose().rotation, ClipSampler(RUN, arm()).at(controller.position(1)).rotation
    )


def test_a_fade_that_is_turned_back_does_not_jump():
    controller = Controller(arm(), CLIPS)
    controller.set_track(0, "walk")
    controller.set_track(1, "run", enabled=False)
    controller.cross_fade(0, 1, 1.0)
    controller.advance(0.5)
    before = controller.to_root()
    controller.cross_fade(1, 0, 1.0)
    assert np.abs(controller.to_root() - before).max() < 1e-6
    controller.advance(1.0)
    assert controller.weight(0) == [1]
    assert controller.weight(1) == [0]
    assert controller.upcoming() == ()


@settings(max_examples=30)
@given(st.floats(0, 3), st.floats(0.2, 2), st.floats(0.3, 2), st.sampled_from(Transition))
def test_phases_stay_matched_all_through_a_fade(
    start: float, duration: float, speed: float, transition: Transition
):
    controller = Controller(arm(), CLIPS)
    controller.set_track(0, "walk")
    controller.set_track(1, "run", enabled=False)
    controller.advance(start)
    controller.cross_fade(0, 1, duration, match_phase=True, speed=speed, transition=transition)
    for _ in range(8):
        walk, run = controller.position(0) / 1.1, controller.position(1) / 0.7
        apart = (walk - run + 0.5) % 1 - 0.5
        assert abs(apart[0]) < 1e-9
        controller.advance(duration / 9)
    controller.advance(duration)
    assert controller.speed(1) == [speed]


def test_the_high_group_lies_over_the_low_one():
    controller = Controller(arm(), CLIPS)
    controller.set_track(0, "walk")
    controller.set_track(1, "wave", high=True)
    controller.advance(0.45)
    assert angle(controller.pose().rotation[:, 0, 0]) == pytest.approx(0, abs=1e-4)
    controller.key(EventKind.PRIORITY_BLEND, 0.0)
    walk = angle(ClipSampler(WALK, arm()).at([0.45]).rotation[:, 0, 0])
    assert angle(controller.pose().rotation[:, 0, 0]) == pytest.approx(walk, abs=1e-4)
    controller.key(EventKind.ENABLE, 0, track=0)
    assert angle(controller.pose().rotation[:, 0, 2]) == pytest.approx(
        angle(ClipSampler(WAVE, arm()).at([0.45]).rotation[:, 0, 2]), abs=1e-4
    )


def test_a_mask_keeps_a_track_to_its_bones():
    controller = Controller(arm(), CLIPS)
    whole = turning("whole", (0, 90), 1.0, "b0")
    controller = Controller(arm(), (WALK, whole, WAVE), tracks=2)
    controller.set_track(0, "walk")
    controller.set_track(1, "wave", high=True)
    controller.set_mask(1, {"b2": 1.0})
    controller.advance(0.5)
    pose = controller.pose()
    walk, wave = ClipSampler(WALK, arm()).at([0.5]), ClipSampler(WAVE, arm()).at([0.5])
    assert np.abs(pose.rotation[:, :, :2] - walk.rotation[:, :, :2]).max() < 1e-6
    assert np.abs(pose.rotation[:, :, 2] - wave.rotation[:, :, 2]).max() < 1e-6


def test_an_additive_clip_adds_its_change():
    nod = additive_clip(turning("nod", (20, 50), 1.0, "b0", looping=False), arm(), reference=0.0)
    controller = Controller(arm(), (WALK, nod))
    controller.set_track(0, "walk", position=0.55, speed=0.0)
    controller.set_track(1, "nod", position=1.0, speed=0.0)
    assert angle(controller.pose().rotation[:, 0, 0]) == pytest.approx(60 + 30, abs=1e-3)
    controller.key(EventKind.WEIGHT, 0.0, track=1)
    assert angle(controller.pose().rotation[:, 0, 0]) == pytest.approx(60, abs=1e-3)


def test_an_additive_clip_at_its_reference_changes_nothing():
    nod = additive_clip(turning("nod", (20, 50), 1.0, "b1"), arm(), reference=0.4)
    controller = Controller(arm(), (WALK, nod))
    controller.set_track(0, "walk", position=0.2)
    alone = controller.to_root()
    controller.set_track(1, "nod", position=0.4)
    assert np.abs(controller.to_root() - alone).max() < 1e-6


def test_a_thousand_instances_move_as_one_by_one():
    many = busy(instances=6)
    many.advance(2.2)
    alone = [busy(instances=6) for _ in range(2)]
    for one in alone:
        one.advance(2.2)
    for first in range(0, 6, 2):
        assert np.array_equal(many.to_root(first, 2), many.to_root()[first : first + 2])


def test_nothing_playing_is_the_rest_pose():
    controller = Controller(arm(length=2.0), CLIPS, instances=2)
    assert np.abs(controller.to_root() - arm(length=2.0).rest_to_root).max() < 1e-6
    empty = Controller(arm(), ())
    assert empty.advance(1) == []
    assert np.abs(empty.to_root() - arm().rest_to_root).max() < 1e-6


def test_local_matrices_of_a_turn_are_those_of_the_closed_form():
    controller = Controller(arm(), (turning(degrees=(0, 90), looping=False),))
    controller.set_track(0, "turn", position=1.0, speed=0)
    to_root = controller.to_root()[0]
    expected = compose(ClipSampler(controller.clips[0], arm()).at([1.0]))[0, 0]
    assert np.abs(to_root[0] - expected).max() < 1e-6
    # A quarter turn about X takes Y to Z: the chain points up.
    assert to_root[2, 3, :3] == pytest.approx([0, 0, 2], abs=1e-6)
    assert angle(about((1, 0, 0), 90)) == pytest.approx(90)


def test_instances_may_play_plain_and_additive_clips_on_one_track():
    nod = additive_clip(turning("nod", (20, 50), 1.0, "b0", looping=False), arm(), reference=0.0)
    controller = Controller(arm(), (WALK, RUN, nod), tracks=2, instances=3)
    controller.set_track(0, "walk", position=0.55, speed=0.0)
    controller.set_track(1, "nod", position=1.0, speed=0.0, instances=[0, 2])
    controller.set_track(1, "run", position=0.2, speed=0.0, high=True, instances=[1])
    turned = angle(controller.pose().rotation[:, :, 0])
    assert turned[[0, 2]] == pytest.approx([90, 90], abs=1e-3)
    run = ClipSampler(RUN, arm()).at([0.2])
    assert np.abs(controller.pose().rotation[:, 1] - run.rotation[:, 0]).max() < 1e-6
