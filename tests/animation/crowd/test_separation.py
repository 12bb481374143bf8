"""Nobody comes closer than radii allow, and nobody leaves: measured by brute force, never by the grid."""

from __future__ import annotations

import numpy as np
import pytest

from skinning_addon.core.text.errors import CrowdError
from tests.animation.crowd.crowds import RADIUS, closest, crowd, places

MILLIMETRE = 1e-3


@pytest.mark.parametrize(
    ("count", "area", "steps"),
    [
        (300, 20.0, 300),
        pytest.param(300, 20.0, 10_000, marks=pytest.mark.arithmetic),
        (60, 7.0, 600),
    ],
    ids=str,
)
def test_no_two_are_ever_closer_than_their_radii_and_nobody_is_outside(count: int, area: float, steps: int):
    """Also those who run through the crowd as they are told, at the border and at others."""
    one = crowd(count, area, run_share=50, idle=60)
    smallest, farthest = np.inf, 0.0
    for step in range(steps):
        if step % 90 == 0:
            for agent in range(5):
                angle = step + 2.1 * agent
                one.steer(agent, (np.cos(angle), np.sin(angle)), "run")
        one.advance(1 / 120)
        now = places(one)
        smallest = min(smallest, closest(now))
        farthest = max(farthest, float(np.abs(now).max()))
    assert smallest >= 2 * RADIUS - MILLIMETRE
    assert farthest <= area / 2 - RADIUS + 1e-9


def test_agents_walk_about_meanwhile():
    one = crowd(300, 40.0)
    before = places(one)
    one.advance(30)
    moved = np.linalg.norm(places(one) - before, axis=1)
    assert np.mean(moved > 1) > 0.9


@pytest.mark.parametrize("seed", range(3))
def test_start_places_are_free_of_overlap(seed: int):
    assert closest(places(crowd(300, 16.0, seed=seed))) >= 2 * RADIUS - 1e-6


def test_a_crowd_that_grows_and_an_area_that_shrinks_leave_room_for_everyone():
    one = crowd(100, 20.0)
    one.advance(5)
    one.set_count(300)
    assert closest(places(one)) >= 2 * RADIUS - MILLIMETRE
    one.advance(2)
    one.set_area((16.0, 18.0))
    assert closest(places(one)) >= 2 * RADIUS - MILLIMETRE
    assert (np.abs(places(one)).max(axis=0) <= np.array([8.0, 9.0]) - RADIUS).all()
    one.advance(2)
    assert closest(places(one)) >= 2 * RADIUS - MILLIMETRE
    one.set_count(20)
    assert len(places(one)) == 20


@pytest.mark.parametrize("count", [100, 1000])
def test_an_area_too_small_is_refused_with_both_numbers_and_nothing_changes(count: int):
    """100 of them cover 71% of the area, which drawing at random does not reach; 1,000 can't fit at all."""
    one = crowd(5, 6.3)
    before = one.state.digest()
    with pytest.raises(CrowdError, match=rf"no free place for {count:,} agents in an area of 6.3 by 6.3; "):
        one.set_count(count)
    assert one.state.digest() == before
    assert len(one.recording.inputs) == 2
    with pytest.raises(CrowdError, match="no free place"):
        one.set_area((0.5, 10))
    assert one.state.digest() == before


@pytest.mark.parametrize(
    ("count", "said"), [(0, "A crowd of 0 agents"), (1_000_000, "A crowd of 1,000,000 agents needs 280 MB")]
)
def test_a_crowd_of_none_or_of_a_million_is_refused(count: int, said: str):
    with pytest.raises(CrowdError, match=said):
        crowd(count, 1000.0)
