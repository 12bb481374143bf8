"""What frames take while Blender plays, apart for frames that it evaluates and frames from memory."""

from __future__ import annotations

import pytest

from skinning_addon.ui.playback.cached_panel import costs_of
from skinning_addon.viewport.cached.frame_costs import FrameCosts
from tests.viewport.cached.recorded import Mode


def played(*frames: tuple[float, bool]) -> FrameCosts:
    """Play frames that take some milliseconds, from memory or not."""
    now = [0.0]
    costs = FrameCosts(lambda: now[0])
    for milliseconds, from_memory in frames:
        costs.begin()
        now[0] += milliseconds / 1000
        costs.end(from_memory=from_memory, counts=True)
        # Between frames Blender draws.
        now[0] += 1.0
    return costs


def test_both_ways_are_told_apart():
    # One frame of each that something else has delayed.
    costs = played((80, False), (82, False), (400, False), (0.1, True), (0.1, True), (7, True))
    assert costs.blenders == pytest.approx(0.082)
    assert costs.remembered == pytest.approx(0.0001)


def test_only_frames_that_were_played_count():
    costs = FrameCosts()
    costs.begin()
    costs.end(from_memory=False, counts=False)
    # One that began before the extension was enabled.
    costs.end(from_memory=False, counts=True)
    assert costs.blenders is None


def test_the_panel_says_what_is_known(mode: Mode):
    assert costs_of(mode.cached) is None
    mode.cached.costs = played((80, False))
    assert str(costs_of(mode.cached)) == "Blender takes 80.0 ms a frame"
    mode.cached.costs = played((80, False), (0.25, True))
    assert str(costs_of(mode.cached)) == "Blender takes 80.0 ms a frame; from memory 0.25 ms"
    mode.cached.stop()
    assert costs_of(mode.cached) is None
