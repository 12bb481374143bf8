from __future__ import annotations

from skinning_addon.core.verdicts.marked_frames import MarkedFrames, marked_frames
from skinning_addon.core.verdicts.verdict import Level


def test_frames_in_a_row_that_deviate_alike_are_one_mark():
    same, look, fail = Level.SAME, Level.LOOK, Level.FAIL
    levels = dict(
        zip(range(1, 10), [same, look, look, fail, fail, Level.GOOD, look, same, fail], strict=True)
    )
    assert list(marked_frames(levels)) == [
        MarkedFrames(2, 3, look),
        MarkedFrames(4, 5, fail),
        MarkedFrames(7, 7, look),
        MarkedFrames(9, 9, fail),
    ]


def test_nothing_is_marked_if_nothing_deviates():
    assert list(marked_frames({1.0: Level.GOOD, 2.5: Level.SAME})) == []
