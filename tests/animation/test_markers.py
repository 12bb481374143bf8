"""Markers fire once per pass, in order, at their own time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skinning_addon.animation.controller import Controller
from skinning_addon.animation.events import EventKind
from tests.animation.builders import arm
from tests.animation.busy_controller import CLIPS


def test_footsteps_are_told_once_a_passing_in_order_through_loops():
    controller = Controller(arm(), CLIPS)
    controller.set_track(0, "walk")
    told = controller.advance(1.1 * 3)
    expected = sorted([0.25 + 1.1 * n for n in range(3)] + [0.8 + 1.1 * n for n in range(3)])
    assert [one.time for one in told] == pytest.approx(expected)
    assert [one.marker for one in told] == ["left", "right"] * 3


def test_backwards_they_are_told_in_reverse():
    controller = Controller(arm(), CLIPS)
    controller.set_track(0, "walk", speed=-2.0)
    told = controller.advance(1.1)
    assert [(one.marker, one.backwards) for one in told] == [("right", True), ("left", True)] * 2
    assert [one.time for one in told] == pytest.approx([0.15, 0.425, 0.7, 0.975])


def test_a_speed_that_turns_passes_a_marker_there_and_back():
    controller = Controller(arm(), CLIPS)
    controller.set_track(0, "walk", position=0.1, speed=1.0)
    controller.key(EventKind.SPEED, -1.0, track=0, duration=1.0)
    # x = t - t² from 0.1: 0.25 is reached at 1/2 -+ sqrt(1/4 - 0.15).
    told = controller.advance(1.0)
    assert [one.time for one in told] == pytest.approx([0.5 - np.sqrt(0.1), 0.5 + np.sqrt(0.1)])
    assert [one.backwards for one in told] == [False, True]


def test_a_marker_at_the_end_of_a_clamped_clip_is_passed_once():
    controller = Controller(arm(), CLIPS)
    controller.set_track(0, "wave")
    assert [one.marker for one in controller.advance(5)] == ["top"]
    assert controller.advance(5) == []
    assert controller.position(0) == [0.9]
    controller.key(EventKind.SPEED, -1, track=0)
    assert controller.advance(0.45) == []
    assert controller.position(0) == pytest.approx([0.45])


@given(st.floats(0.5, 3), st.integers(0, 3))
def test_keying_at_the_very_moment_of_a_footstep_neither_doubles_nor_loses_it(speed: float, number: int):
    """As a game does that fades on a footstep: rounding may put the track a hair before or behind the
    marker.
    """
    plain, keyed = (Controller(arm(), CLIPS) for _ in range(2))
    for one in (plain, keyed):
        one.set_track(0, "walk", speed=speed)
    # An end that no marker falls on.
    told = plain.advance(5.0314159)
    keyed.key(EventKind.SPEED, speed, track=0, at=told[number].time)
    assert [one.marker for one in keyed.advance(5.0314159)] == [one.marker for one in told]


def test_disabled_tracks_stand_still_and_are_silent():
    controller = Controller(arm(), CLIPS)
    controller.set_track(0, "walk", position=0.2, enabled=False)
    assert controller.advance(3) == []
    assert controller.position(0) == [0.2]
    controller.key(EventKind.ENABLE, 1, track=0, at=4)
    assert [one.time for one in controller.advance(1.5)] == pytest.approx([4.05])


def test_a_day_in_one_step_is_told_in_full():
    controller = Controller(arm(), CLIPS)
    controller.set_track(0, "walk")
    told = controller.advance(86400)
    assert len(told) == int((86400 - 0.25) / 1.1 + 1) + int((86400 - 0.8) / 1.1 + 1)
