from __future__ import annotations

import pytest

from skinning_addon.viewport.character.stage_times import FRAMES, StageTimes


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def test_a_stage_is_averaged_over_the_last_frames():
    clock = Clock()
    times = StageTimes(clock)
    assert times.milliseconds("read") is None
    for seconds in [9.0] * FRAMES + [0.001] * (FRAMES // 2) + [0.003] * (FRAMES // 2):
        with times.measured("read"):
            clock.now += seconds
        clock.now += 100
    assert times.milliseconds("read") == pytest.approx(2)
    assert times.milliseconds("draw") is None


def test_a_stage_that_fails_does_not_count():
    clock = Clock()
    times = StageTimes(clock)
    with pytest.raises(ZeroDivisionError), times.measured("upload"):
        raise ZeroDivisionError
    assert times.milliseconds("upload") is None
