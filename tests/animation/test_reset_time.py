"""D3DX's ResetTime: the clock goes back to 0, and nothing else happens; callback keys carry the application's
data.
"""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from skinning_addon.animation.clip import Marker
from skinning_addon.animation.controller import Controller
from skinning_addon.animation.events import EventKind
from skinning_addon.animation.plain_state import from_plain, to_plain
from skinning_addon.animation.ramps import Transition
from tests.animation.builders import BoneKeys, about, arm, sparse_clip
from tests.animation.busy_controller import CLIPS


def busy() -> Controller:
    """In the middle of a cross-fade, with a speed on its way and an event to come."""
    controller = Controller(arm(), CLIPS, tracks=3)
    controller.set_track(0, "walk", speed=1.3)
    controller.set_track(1, "wave", enabled=False)
    controller.cross_fade(0, 1, 2.0, at=1.0, transition=Transition.EASE)
    controller.key(EventKind.SPEED, 0.4, track=0, at=0.5, duration=3.0)
    controller.key(EventKind.WEIGHT, 0.2, track=1, at=4.0, duration=1.0)
    controller.advance(2.0)
    return controller


def test_everything_goes_on_as_if_the_clock_had_not_been_reset():
    kept, reset = busy(), busy()
    reset.reset_time()
    assert reset.now == 0
    assert [one.time for one in reset.upcoming()] == pytest.approx([one.time - 2 for one in kept.upcoming()])
    for step in (0.0, 0.3, 0.9, 1.7, 2.0):
        before, after = kept.advance(step), reset.advance(step)
        assert [one.marker for one in after] == [one.marker for one in before]
        assert [one.time for one in after] == pytest.approx([one.time - 2 for one in before], abs=1e-9)
        for track in range(3):
            assert reset.position(track) == pytest.approx(kept.position(track), abs=1e-9)
            assert reset.weight(track) == pytest.approx(kept.weight(track), abs=1e-9)
            assert reset.speed(track) == pytest.approx(kept.speed(track), abs=1e-9)
        np.testing.assert_allclose(reset.to_root(), kept.to_root(), atol=1e-6)


def test_a_clock_of_weeks_that_was_reset_can_be_saved():
    # Without markers: weeks of steps are millions to list.
    clips = [replace(clip, markers=()) for clip in CLIPS]
    controller = Controller(arm(), clips)
    controller.set_track(0, "walk")
    for _ in range(21):
        controller.advance(86400)
    controller.reset_time()
    again = from_plain(json.loads(json.dumps(to_plain(controller))), arm(), clips)
    assert again.now == 0
    assert np.array_equal(controller.to_root(), again.to_root())


def test_a_clock_that_was_reset_in_the_middle_of_a_fade_can_be_saved():
    controller = busy()
    controller.reset_time()
    again = from_plain(json.loads(json.dumps(to_plain(controller))), arm(), CLIPS)
    controller.advance(1.0)
    again.advance(1.0)
    assert np.array_equal(controller.to_root(), again.to_root())


def test_a_listener_gets_the_data_of_the_marker_that_was_passed():
    sounds = {"sound": "gravel.wav", "volume": 0.5}
    times = np.array([0.0, 10.0])
    clip = sparse_clip(
        "step",
        {"b0": BoneKeys(rotation=(times, about((1, 0, 0), (0, 90)).T))},
        ticks_per_second=10.0,
        # At one moment, and not to be compared with one another.
        markers=(Marker("left", 5, sounds), Marker("left", 5, None), Marker("right", 8)),
    )
    controller = Controller(arm(), [clip])
    controller.set_track(0, "step")
    told = controller.advance(0.9)
    assert [(one.marker, one.data) for one in told] == [("left", sounds), ("left", None), ("right", None)]
