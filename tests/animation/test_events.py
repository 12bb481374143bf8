"""Each kind of keyed event before, during and after, in closed form."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skinning_addon.animation.controller import Controller
from skinning_addon.animation.events import EventKind
from skinning_addon.animation.plain_state import from_plain, to_plain
from skinning_addon.animation.ramps import Transition
from skinning_addon.animation.rotations import RotationBlend, interpolate
from skinning_addon.animation.sampling import ClipSampler
from tests.animation.builders import angle, arm, turning
from tests.animation.busy_controller import CLIPS, RUN, WALK

WAY = {Transition.LINEAR: lambda x: x, Transition.EASE: lambda x: 3 * x**2 - 2 * x**3}
TRAVELLED = {Transition.LINEAR: lambda x: x**2 / 2, Transition.EASE: lambda x: x**3 - x**4 / 2}


def _walking() -> Controller:
    controller = Controller(arm(), CLIPS, tracks=3)
    controller.set_track(0, "walk")
    return controller


@pytest.mark.parametrize("transition", Transition)
@given(st.floats(0, 1))
def test_a_weight_goes_from_what_it_is_to_what_is_keyed(transition: Transition, share: float):
    controller = _walking()
    controller.key(EventKind.WEIGHT, 0.2, track=0, at=0.5, duration=2, transition=transition)
    controller.advance(0.5)
    assert controller.weight(0) == [1]
    controller.advance(2 * share)
    assert controller.weight(0) == pytest.approx([1 - 0.8 * WAY[transition](share)])
    controller.advance(2)
    assert controller.weight(0) == [0.2]


@pytest.mark.parametrize("transition", Transition)
@given(st.floats(0, 1))
def test_a_speed_goes_there_and_the_position_is_its_integral(transition: Transition, share: float):
    controller = _walking()
    controller.key(EventKind.SPEED, 3.0, track=0, at=0.5, duration=2, transition=transition)
    controller.advance(0.5)
    controller.advance(2 * share)
    assert controller.speed(0) == pytest.approx([1 + 2 * WAY[transition](share)])
    way = 0.5 + 2 * share + 2 * 2 * TRAVELLED[transition](share)
    apart = (controller.position(0)[0] - way + WALK.duration / 2) % WALK.duration - WALK.duration / 2
    assert apart == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("transition", Transition)
@pytest.mark.parametrize("share", [0.0, 0.25, 0.6, 1.0])
def test_the_priority_blend_goes_from_the_high_group_to_the_low_one(transition: Transition, share: float):
    """It is 1 at first: the high group alone."""
    controller = _walking()
    controller.set_track(1, "run", high=True)
    controller.key(EventKind.PRIORITY_BLEND, 0.0, at=0.2, duration=0.4, transition=transition)
    controller.advance(0.2)
    controller.advance(0.4 * share)
    low, high = (
        ClipSampler(clip, arm()).at(controller.position(track)).rotation[:, 0]
        for track, clip in ((0, WALK), (1, RUN))
    )
    expected = interpolate(low, high, 1 - WAY[transition](share), RotationBlend.NLERP)
    assert np.abs(controller.pose().rotation[:, 0] - expected).max() < 1e-6


def test_a_position_jumps_and_a_track_goes_on_from_there():
    controller = _walking()
    controller.key(EventKind.POSITION, 0.9, track=0, at=0.3)
    controller.advance(0.3)
    assert controller.position(0) == [0.9]
    controller.advance(0.1)
    assert controller.position(0) == pytest.approx([1.0])


def test_a_track_is_switched_off_where_it_stands_and_goes_on_from_there():
    controller = _walking()
    controller.key(EventKind.ENABLE, 0, track=0, at=0.3)
    controller.key(EventKind.ENABLE, 1, track=0, at=1.0)
    controller.advance(0.6)
    assert controller.weight(0) == [0]
    assert controller.position(0) == pytest.approx([0.3])
    assert np.abs(controller.to_root()[0] - arm().rest_to_root).max() < 1e-6
    controller.advance(0.6)
    assert controller.weight(0) == [1]
    assert controller.position(0) == pytest.approx([0.5])


@pytest.mark.parametrize("transition", Transition)
def test_a_cross_fade_takes_weights_the_way_that_is_asked_for(transition: Transition):
    controller = _walking()
    controller.set_track(1, "run", enabled=False)
    controller.cross_fade(0, 1, 2.0, at=0.25, transition=transition, weight=0.8)
    controller.advance(0.25)
    controller.advance(0.5)
    share = WAY[transition](0.25)
    assert controller.weight(0) == pytest.approx([1 - share])
    assert controller.weight(1) == pytest.approx([0.8 * share])


def test_later_events_of_one_moment_have_the_last_word():
    controller = _walking()
    controller.key(EventKind.WEIGHT, 0.3, track=0, at=1)
    controller.key(EventKind.WEIGHT, 0.7, track=0, at=1)
    controller.advance(1)
    assert controller.weight(0) == [0.7]


def test_an_event_in_the_middle_of_a_way_sets_out_from_there():
    controller = _walking()
    controller.key(EventKind.WEIGHT, 0.0, track=0, duration=2)
    controller.key(EventKind.WEIGHT, 1.0, track=0, at=1, duration=1)
    controller.advance(1)
    assert controller.weight(0) == pytest.approx([0.5])
    controller.advance(0.5)
    assert controller.weight(0) == pytest.approx([0.75])


def test_a_fade_that_is_unkeyed_does_not_happen():
    controller = _walking()
    controller.set_track(1, "run", enabled=False)
    fade = controller.cross_fade(0, 1, 0.5, at=1)
    assert controller.unkey(fade)
    controller.advance(3)
    assert (controller.weight(0), controller.weight(1)) == ([1], [0])


def test_events_of_some_instances_are_taken_back_for_those_alone():
    controller = Controller(arm(), CLIPS, instances=3)
    controller.set_track(0, "walk")
    controller.key(EventKind.WEIGHT, 0.2, track=0, at=1)
    controller.unkey_all(0, instances=[1])
    assert [one.instances for one in controller.upcoming()] == [(0, 2)]
    controller.advance(1)
    assert controller.weight(0).tolist() == [0.2, 1, 0.2]


def test_what_is_still_to_happen_is_told_after_loading_too():
    controller = _walking()
    controller.key(EventKind.SPEED, 2.0, track=0, at=1, duration=0.5, transition=Transition.EASE)
    controller.key(EventKind.PRIORITY_BLEND, 0.5, at=2)
    controller.advance(0.5)
    again = from_plain(json.loads(json.dumps(to_plain(controller))), arm(), CLIPS)
    assert again.upcoming() == controller.upcoming()
    assert [one.kind for one in again.upcoming()] == [EventKind.SPEED, EventKind.PRIORITY_BLEND]
    assert again.unkey(again.upcoming()[0].number)
    again.advance(2)
    assert again.speed(0) == [1]


def test_weights_of_one_group_are_shares_of_their_sum():
    once = turning("once", (90,), 0.0, "b0")
    controller = Controller(arm(), (turning("still", (0,), 0.0, "b0"), once))
    controller.set_track(0, "still", weight=0.3)
    controller.set_track(1, "once", weight=0.1)
    first, second = (ClipSampler(one, arm()).at([0]).rotation for one in controller.clips)
    expected = interpolate(first, second, 0.25, RotationBlend.NLERP)
    assert angle(controller.pose().rotation[:, 0, 0]) == pytest.approx(angle(expected[:, 0, 0]), abs=1e-3)


def test_an_event_of_no_instance_changes_none():
    controller = Controller(arm(), CLIPS, instances=2)
    controller.set_track(0, "walk")
    for at in (None, 1.0):
        controller.key(EventKind.WEIGHT, 0.2, track=0, at=at, instances=[])
        controller.key(EventKind.SPEED, 2.0, track=0, at=at, instances=[])
        controller.cross_fade(0, 1, 0.5, at=at, match_phase=True, instances=[])
    controller.advance(2)
    assert controller.weight(0).tolist() == [1, 1]
    assert controller.speed(0).tolist() == [1, 1]


@pytest.mark.parametrize("steps", [1, 7])
def test_a_passing_has_the_weight_of_its_time_whatever_is_keyed_later_in_the_step(steps: int):
    clip = turning(markers=[("foot", 0.25)], looping=False)
    controller = Controller(arm(), [clip])
    controller.set_track(0, "turn", weight=0.0)
    # Up to 1 in half a second, so 0.5 at the footstep; then two more changes, the second at once.
    controller.key(EventKind.WEIGHT, 1.0, track=0, duration=0.5)
    controller.key(EventKind.WEIGHT, 0.2, track=0, at=0.5, duration=0.1)
    controller.key(EventKind.WEIGHT, 0.9, track=0, at=0.7)
    told = [one for _ in range(steps) for one in controller.advance(Fraction(7, 8) / steps)]
    assert [(one.time, one.weight) for one in told] == [(0.25, 0.5)]
