"""Idle, choose, turn, arrive, wait: against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

from skinning_addon.animation.crowd.crowd import Crowd
from skinning_addon.animation.crowd.kinds import WALK as WALKS
from skinning_addon.animation.crowd.state import Mode
from skinning_addon.core.text.errors import CrowdError
from tests.animation.crowd.crowds import RADIUS, RUN_SPEED, WALK_SPEED, crowd, places, rules

TURN = math.radians(180)
"""Radians a second."""

CIRCLE = WALK_SPEED / TURN
"""The radius of the circle that a walking agent turns on."""


def _alone(target: tuple[float, float], mode: Mode = Mode.MOVING) -> Crowd:
    """One agent at the origin that looks along X and walks at full speed, on its way to a target."""
    one = Crowd.populated(rules(idle=100_000), 1, (100.0, 100.0))
    state = one.state
    state.position[:, 0] = 0
    state.heading[:, 0] = 1 << 30, 0
    state.target[:, 0] = np.round(np.array(target) * 1e6)
    state.mode[0], state.gait[0] = mode, WALKS
    if mode == Mode.MOVING:
        state.begin[:, 0] = 0, 1 << 20, 0
        state.role[0] = WALKS
    return one


def _way(one: Crowd, seconds: float = 60) -> np.ndarray:
    """Where the agent is at each step until it has stood still for a second."""
    way = [places(one)[0]]
    while len(way) < 120 * seconds and not (len(way) > 150 and np.allclose(way[-120], way[-1])):
        one.advance(1 / 120)
        way.append(places(one)[0])
    return np.array(way)


@pytest.mark.parametrize("target", [(3, 4), (5, -2), (1, 2), (0.5, 1.2), (20, 0), (2.5, -2.4)])
def test_a_way_is_an_arc_of_the_turning_circle_and_a_straight_line(target: tuple[float, float]):
    """As a taut string has it from the heading's circle to the target: an arc, then its tangent."""
    way = _way(_alone(target))
    assert np.linalg.norm(way[-1] - target) < WALK_SPEED / 120
    side = math.copysign(1, target[1])
    centre = np.array([0, side * CIRCLE])
    to_target = np.array(target) - centre
    away = np.linalg.norm(to_target)
    tangent = math.sqrt(away**2 - CIRCLE**2)
    turned = math.atan2(side * to_target[1], to_target[0]) + math.pi / 2 - math.acos(CIRCLE / away)
    length = np.linalg.norm(np.diff(way, axis=0), axis=1).sum()
    assert length == pytest.approx(CIRCLE * turned + tangent, abs=2.5 * WALK_SPEED / 120)


@pytest.mark.parametrize("target", [(0, 0.3), (0.1, -0.4), (0.05, 0.8), (-0.2, 0.5), (0.3, 0.45)])
def test_a_target_inside_the_turning_circle_is_not_orbited(target: tuple[float, float]):
    assert min(np.hypot(target[0], target[1] - side * CIRCLE) for side in (-1, 1)) < CIRCLE
    way = _way(_alone(target))
    assert len(way) < 120 * 6
    # It coasts for a quarter of a second at first, and comes back.
    assert np.linalg.norm(way[-1] - target) < WALK_SPEED / 120
    assert np.linalg.norm(np.diff(way, axis=0), axis=1).sum() < 4 * np.hypot(*target) + 1


@pytest.mark.parametrize("degrees", [10, 100, 179, -179, -100, -10, 181, 260])
def test_the_shorter_way_round_is_taken_at_the_limited_speed(degrees: float):
    one = _alone((50 * math.cos(math.radians(degrees)), 50 * math.sin(math.radians(degrees))), Mode.PIVOTING)
    shorter = (degrees + 180) % 360 - 180
    seconds = 0.0
    heading = 0.0
    while abs(heading - shorter) > 1e-3:
        one.advance(1 / 120)
        seconds += 1 / 120
        x, y = one.state.heading[:, 0].tolist()
        turned = (math.degrees(math.atan2(y, x)) - heading + 180) % 360 - 180
        assert abs(turned) <= 180 / 120 + 1e-6
        assert turned * shorter >= -1e-9
        heading += turned
        assert seconds < 2
    assert seconds == pytest.approx(abs(shorter) / 180, abs=2 / 120)


def test_an_agent_idles_for_four_seconds_at_most_at_first_and_then_at_every_target():
    one = crowd(50, 60.0)
    idles: list[int] = []
    lasted = np.zeros(50, int)
    for _ in range(120 * 40):
        one.advance(1 / 120)
        idle = one.state.mode == Mode.IDLING
        idles += [int(steps) for steps in lasted[~idle & (lasted > 0)]]
        lasted = np.where(idle, lasted + 1, 0)
    assert len(idles) > 100
    late = idles[50:]
    assert min(late) >= 4 * 120 - 1
    assert np.median(late) <= 4 * 120 + 1


def test_one_whose_way_is_barred_stops_waits_a_second_and_chooses_anew():
    one = Crowd.populated(rules(idle=100_000), 2, (30.0, 30.0))
    state = one.state
    state.position[:] = [[0, 3_000_000], [0, 0]]
    state.heading[:, 0] = 1 << 30, 0
    state.target[:, 0] = 6_000_000, 0
    state.mode[0], state.gait[0] = Mode.TURNING, WALKS
    modes: list[int] = []
    stood = places(one)[0]
    for _ in range(120 * 10):
        one.advance(1 / 120)
        modes.append(int(state.mode[0]))
        if modes[-1] == Mode.WAITING:
            stood = places(one)[0]
    waited = modes.count(Mode.WAITING)
    assert 120 <= waited <= 4 * 120
    last = len(modes) - 1 - modes[::-1].index(Mode.WAITING)
    assert stood[0] <= 3 - 2 * RADIUS
    assert stood[0] > 3 - 2 * RADIUS - 0.25
    assert modes[last + 1] == Mode.TURNING
    assert tuple(state.target[:, 0]) != (6_000_000, 0)


def test_a_steered_agent_goes_where_it_is_told_and_goes_on_by_itself_when_released():
    one = crowd(1, 100.0)
    one.state.position[:] = 0
    one.steer(0, (0, 1), "run")
    one.advance(3)
    before = places(one)[0]
    one.advance(1)
    assert places(one)[0] - before == pytest.approx([0, RUN_SPEED], abs=1e-3)
    one.steer(0, (1, 0))
    one.advance(2)
    before = places(one)[0]
    one.advance(1)
    assert places(one)[0] - before == pytest.approx([WALK_SPEED, 0], abs=1e-3)
    one.steer(0, (0, 0))
    one.advance(1)
    before = places(one)[0]
    one.advance(5)
    assert places(one)[0] == pytest.approx(before)
    one.release(0)
    one.advance(20)
    assert np.linalg.norm(places(one)[0] - before) > 1


def test_a_steered_agent_stops_before_others_and_before_the_border():
    one = Crowd.populated(rules(idle=100_000), 2, (30.0, 30.0))
    one.state.position[:] = [[0, 4_000_000], [0, 0]]
    one.state.heading[:] = [[1 << 30, 1 << 30], [0, 0]]
    one.steer(0, (1, 0), "run")
    one.advance(10)
    assert 4 - 2 * RADIUS - 1 < places(one)[0, 0] <= 4 - 2 * RADIUS + 1e-3
    assert places(one)[1] == pytest.approx([4, 0])
    one.steer(0, (0, 1), "run")
    one.advance(10)
    assert 15 - RADIUS - 1 < places(one)[0, 1] <= 15 - RADIUS


@pytest.mark.parametrize("wrong", [(7, (1, 0), "walk"), (0, (math.nan, 0), "walk"), (0, (1, 0), "crawl")])
def test_nobody_is_steered_who_does_not_exist_or_to_nowhere(wrong: tuple):
    one = crowd(3)
    with pytest.raises(CrowdError):
        one.steer(*wrong)
    assert len(one.recording.inputs) == 2
