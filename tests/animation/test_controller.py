"""The controller's requests: events looked up and cancelled, and impossible ones refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from skinning_addon.animation.controller import Controller
from skinning_addon.animation.events import EventKind
from skinning_addon.core.text.errors import ClipError
from tests.animation.builders import arm, turning
from tests.animation.busy_controller import CLIPS, WALK, busy, state


def test_events_can_be_looked_up_and_taken_back():
    controller = Controller(arm(), CLIPS)
    controller.set_track(0, "walk")
    late = controller.key(EventKind.WEIGHT, 0.2, track=0, at=2)
    soon = controller.key(EventKind.SPEED, 2.0, track=0, at=1)
    fade = controller.cross_fade(0, 1, 1, at=3)
    assert [event.number for event in controller.upcoming()] == [soon, late, fade]
    assert [event.number for event in controller.upcoming(track=1)] == [fade]
    assert [event.number for event in controller.upcoming(kind=EventKind.SPEED)] == [soon]
    assert controller.unkey(soon)
    assert not controller.unkey(soon)
    controller.unkey_all(1)
    controller.advance(5)
    assert controller.weight(0) == pytest.approx([0.2])
    assert controller.speed(0) == [1]


def test_a_pose_of_one_key_passes_nothing_and_stands():
    pose = turning("pose", (30,), 0.0, markers=[("there", 0.0)])
    controller = Controller(arm(), (pose, WALK))
    controller.set_track(0, "pose", speed=-3)
    controller.set_track(1, "walk", enabled=False)
    controller.cross_fade(0, 1, 1.0, match_phase=True)
    assert [one.clip for one in controller.advance(0.5)] == ["walk"]
    assert controller.position(0) == [0]


@pytest.mark.parametrize(
    ("do", "says"),
    [
        (lambda c: c.advance(float("nan")), "Time can't advance by nan"),
        (lambda c: c.advance(float("inf")), "Time can't advance by inf"),
        (lambda c: c.advance(-0.1), "negative speed"),
        (lambda c: c.advance(1e300), "Time can't advance by 1e"),
        (lambda c: c.set_track(0, "fly"), "no clip 'fly'"),
        (lambda c: c.set_track(7, "walk"), "no track 7"),
        (lambda c: c.set_track(0, "walk", weight=1.5), "between 0 and 1"),
        (lambda c: c.set_track(0, "walk", weight=float("nan")), "between 0 and 1"),
        (lambda c: c.set_track(0, "walk", speed=float("inf")), "times as fast"),
        (lambda c: c.set_track(0, "walk", position=float("nan")), "must be a number of seconds"),
        (lambda c: c.set_track(0, "walk", instances=[9]), "no instance 9"),
        (lambda c: c.key(EventKind.WEIGHT, -0.1, track=0), "between 0 and 1"),
        (lambda c: c.key(EventKind.WEIGHT, 1, track=0, at=0.1), "clock is already at"),
        (
            lambda c: c.key(EventKind.WEIGHT, 1, track=0, at=float("nan")),
            "A time must be a number of seconds",
        ),
        (lambda c: c.key(EventKind.WEIGHT, 1, track=0, duration=-1), "can't take -1 seconds"),
        (lambda c: c.cross_fade(1, 1, 1), "fade to itself"),
        (lambda c: c.set_mask(0, {"tail": 1.0}), "no bone 'tail'"),
        (lambda c: c.set_mask(0, {"b0": 2.0}), "between 0 and 1"),
    ],
)
def test_impossible_requests_are_refused_and_change_nothing(do: Callable[[Controller], object], says: str):
    controller = busy()
    controller.advance(0.5)
    before = state(controller)
    with pytest.raises(ClipError, match=says):
        do(controller)
    assert state(controller) == before


def test_bones_that_the_skeleton_lacks_are_named():
    assert Controller(arm(1), (WALK,)).missing == {}
    with pytest.raises(ClipError, match="another skeleton"):
        Controller(arm(1), CLIPS)


def test_two_clips_of_one_name_are_refused():
    with pytest.raises(ClipError, match="Two clips are called 'walk'"):
        Controller(arm(), (WALK, WALK))
