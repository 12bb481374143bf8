"""Cross-fades, speeds and footsteps, against the animation controller and by counting."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from skinning_addon.animation.controller import Controller
from skinning_addon.animation.crowd.footsteps import Footstep
from skinning_addon.animation.crowd.gaits import weights
from tests.animation.builders import arm, turning
from tests.animation.crowd.crowds import RUN, RUN_SPEED, STAND, WALK, WALK_SPEED, crowd, places

GAITS = (STAND, WALK, RUN)
FADE = 0.25

HALF_A_STEP = (1 / 0.7 - 1) / 2 / 120
"""In cycles, of at most a second, what a fade from walking to running gains by half a step: within a step the
crowd's cadence stays the same, while the controller's changes.
"""


def _controller() -> Controller:
    """One that has the gaits' clips on its tracks, and stands."""
    clips = [
        turning(
            gait.clip,
            seconds=gait.duration / 1e6,
            markers=[(one.name, one.phase / 2**32 * gait.duration / 1e6) for one in gait.contacts],
        )
        for gait in GAITS
    ]
    controller = Controller(arm(), clips, tracks=3)
    for track, gait in enumerate(GAITS):
        controller.set_track(track, gait.clip, enabled=track == 0)
    return controller


def test_gaits_fade_as_the_animation_controller_cross_fades_phases_matched():
    """Stand, walk, run, walk, stand: weights, phases and passed feet are the controller's own."""
    one, controller = crowd(1, 100.0), _controller()
    told: list[Footstep] = []
    passed = []
    was = 0
    for step in range(120 * 12):
        if step % 300 == 0 and step:
            direction, gait = {300: ((1, 0), "walk"), 600: ((1, 0), "run"), 900: ((1, 0), "walk")}.get(
                step, ((0, 0), "walk")
            )
            one.steer(0, direction, gait)
        told += one.advance(Fraction(1, 120))
        passed += controller.advance(1 / 120)
        role = int(one.state.role[0])
        if role != was:
            controller.cross_fade(was, role, FADE, match_phase=0 not in {was, role})
            was = role
        shares = weights(one.state, one.settings)[:, 0] / 2**20
        assert shares == pytest.approx([controller.weight(track)[0] for track in range(3)], abs=1e-5)
        for track in (1, 2):
            if shares[track] > 0.01:
                apart = (
                    controller.position(track)[0] / (GAITS[track].duration / 1e6)
                    - int(one.state.stride_phase[0]) / 2**32
                )
                assert (apart + 0.5) % 1 - 0.5 == pytest.approx(0, abs=HALF_A_STEP)
    heard = [one for one in passed if one.weight >= 0.5]
    sure = [one for one in told if one.weight >= 0.5]
    assert len(sure) > 10
    assert [(one.clip, one.marker) for one in heard] == [(one.clip, one.name) for one in sure]
    assert np.allclose([one.time for one in heard], [one.time for one in sure], atol=HALF_A_STEP)


@pytest.mark.parametrize(("gait", "speed", "cycle"), [("walk", WALK_SPEED, 1.0), ("run", RUN_SPEED, 0.7)])
def test_every_foot_comes_down_once_a_cycle_and_a_stride_further_on(gait: str, speed: float, cycle: float):
    one = crowd(1, 400.0)
    one.state.position[0, 0] = -190_000_000
    one.steer(0, (1, 0), gait)
    one.advance(3)
    before = places(one)[0]
    told = one.advance(28 * cycle)
    assert places(one)[0] - before == pytest.approx([28 * cycle * speed, 0], abs=2 * speed / 120)
    assert abs(Counter(step.name for step in told)["left"] - 28) <= 1
    assert abs(Counter(step.name for step in told)["right"] - 28) <= 1
    for name in ("left", "right"):
        times = np.diff([step.time for step in told if step.name == name])
        assert times == pytest.approx(np.full(len(times), cycle), abs=1e-4)
    assert all(a.name != b.name for a, b in pairwise(told))


def test_listeners_hear_all_footsteps_in_order_and_none_of_a_jump():
    one = crowd(60, 20.0)
    heard: list[Footstep] = []
    one.listen(heard.append)
    told = one.advance(12)
    assert heard == told
    assert told == sorted(told)
    assert {step.agent for step in told} <= set(range(60))
    assert len(told) > 100
    one.seek(100)
    one.seek(2000)
    assert heard == told


def test_an_agent_that_stands_makes_no_steps():
    one = crowd(1, 100.0)
    one.steer(0, (0, 0))
    assert not one.advance(10)
