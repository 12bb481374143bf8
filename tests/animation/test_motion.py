"""Changing speeds: positions against numerical integration, and when a position is passed against
brute force.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skinning_addon.animation.motion import Motion
from skinning_addon.animation.ramps import Ramps, Transition

speeds = st.floats(-3, 3)
transitions = st.sampled_from(Transition)


def _motion(
    begin: float, end: float, duration: float, transition: Transition, high: float = np.inf
) -> Motion:
    speed = Ramps.constant((1,), begin)
    speed.set(slice(None), 1.0, end, duration, transition)
    low = 0.0 if np.isfinite(high) else -np.inf
    return Motion(np.array([1.0]), np.array([0.5]), speed, np.array([low]), np.array([high]))


@given(speeds, speeds, st.floats(0, 5), transitions)
def test_a_ramp_has_the_integral_of_its_values(
    begin: float, end: float, duration: float, transition: Transition
):
    speed = _motion(begin, end, duration, transition).speed
    # Within and beyond the ramp apart: the trapezoidal rule wants no corner.
    way = 0.0
    for start, stop in ((1.0, 1.0 + duration), (1.0 + duration, 8.0)):
        times = np.linspace(start, stop, 20001)
        values = speed.value(times[::100])
        # numpy 1 has another name for its trapezoidal rule.
        way += (values[1:] + values[:-1]) @ np.diff(times[::100]) / 2
    assert speed.integral(8.0)[0] == pytest.approx(way, abs=2e-3)


@pytest.mark.parametrize("transition", Transition)
def test_half_way_up_a_ramp(transition: Transition):
    speed = _motion(0, 2, 4, transition).speed
    assert speed.value(3.0)[0] == 1
    assert speed.value(5.0)[0] == 2
    # x²/2 linearly, x³ - x⁴/2 eased, at x = 1/2; times the rise and the duration.
    way = 1 / 8 if transition is Transition.LINEAR else 1 / 8 - 1 / 32
    assert speed.integral(3.0)[0] == pytest.approx(8 * way)
    assert speed.integral(5.0)[0] == pytest.approx(4)


@given(st.floats(0.1, 3), st.floats(-3, -0.1), st.floats(0.1, 5), transitions)
def test_a_speed_that_changes_sign_does_so_when_it_says(
    begin: float, end: float, duration: float, transition: Transition
):
    speed = _motion(begin, end, duration, transition).speed
    assert speed.value(speed.zero_time())[0] == pytest.approx(0, abs=1e-9)


@given(speeds, speeds, st.floats(0, 4), transitions)
def test_a_clamped_clip_turns_at_once_when_its_speed_does(
    begin: float, end: float, duration: float, transition: Transition
):
    motion = _motion(begin, end, duration, transition, high=1.2)
    times = np.linspace(1, 8, 7001)
    position, stepped = 0.5, [0.5]
    for speed in motion.speed.value((times[1:] + times[:-1]) / 2).tolist():
        position = min(max(position + 0.001 * speed, 0), 1.2)
        stepped.append(position)
    exact = np.array([motion.at(time)[0] for time in times[::50]])
    assert exact == pytest.approx(stepped[::50], abs=5e-3)


@given(speeds, speeds, st.floats(0, 4), transitions, st.floats(-4, 5))
def test_a_target_is_passed_when_the_motion_crosses_it(
    begin: float, end: float, duration: float, transition: Transition, target: float
):
    motion = _motion(begin, end, duration, transition)
    passed = motion.arrivals(np.array([target]), up_to=np.array([np.nan]), until=np.inf)
    passed = np.sort(passed[(passed > 1) & (passed < 8)])
    times = np.linspace(1, 8, 14001)
    side = np.sign(motion.at(times[::7]) - target)
    side = side[side != 0]
    crossings = np.count_nonzero(np.diff(side))
    # Touched and left again within a sample is no crossing to brute force.
    touches = np.abs(np.array([motion.at(np.array([time]))[0] for time in passed]) - target)
    assert (touches < 1e-9).all()
    assert crossings <= len(passed) <= crossings + 2
