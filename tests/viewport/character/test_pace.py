from __future__ import annotations

import pytest

from skinning_addon.viewport.character.pace import Pace


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def test_work_may_begin_at_once_and_then_rests_for_the_given_time():
    clock = Clock()
    pace = Pace(0.25, clock=clock)
    assert pace.allows()
    with pace:
        clock.now += 0.01
    assert not pace.allows()
    clock.now = pace.due
    assert pace.allows()
    assert pace.due == 100.25


def test_costly_work_rests_longer_so_that_it_takes_no_more_than_its_share():
    clock = Clock()
    pace = Pace(0.25, share=0.1, clock=clock)
    with pace:
        clock.now += 1.0
    assert pace.due == 110.0


def test_work_that_fails_rests_too():
    clock = Clock()
    pace = Pace(0.25, clock=clock)
    with pytest.raises(ValueError, match="no number"), pace:
        int("no number")
    assert not pace.allows()
