from __future__ import annotations

import numpy as np
import pytest

from skinning_addon.core.text.body_part import is_fine_part
from skinning_addon.core.verdicts.verdict import Level, Thresholds, judge, levels_of_frames


def judged(millimetres, share_off=0.5, *, fine=False, height_scale=1.0):
    """Return the level of a mesh of which a share is off by this much, and the rest not at all."""
    areas = np.array([share_off, 1 - share_off])
    return judge(np.array([millimetres / 1000, 0.0]), areas, np.array([fine, False]), height_scale).level


@pytest.mark.parametrize(
    ("millimetres", "level"),
    [(0.09, Level.SAME), (0.9, Level.GOOD), (4.9, Level.LOOK), (5.1, Level.FAIL)],
)
def test_levels_of_a_grown_up(millimetres, level):
    assert judged(millimetres) is level
    assert judged(millimetres / 5, fine=True) is level
    assert judged(millimetres / 2, height_scale=0.5) is level


def test_a_thousandth_of_the_surface_may_be_off_unless_it_is_far_off():
    assert judged(6, 0.0009) is Level.LOOK
    assert judged(6, 0.0011) is Level.FAIL
    assert judged(26, 0.0001) is Level.FAIL


@pytest.mark.parametrize(
    "name", ["hand.L", "DEF-f_index.01.R", "mixamorig:LeftHandThumb1", "jaw", "lid.T.L.001"]
)
def test_hands_and_face_are_fine(name):
    assert is_fine_part(name)


@pytest.mark.parametrize("name", ["upper_arm.L", "spine.003", "Bone", "foot.R"])
def test_other_parts_are_not(name):
    assert not is_fine_part(name)


@pytest.mark.parametrize("unordered", [(0.0, 0.1, 0.2), (0.2, 0.1, 0.3), (0.1, 0.1, 0.3), (0.1, 0.3, 0.2)])
def test_thresholds_that_do_not_ascend_are_refused(unordered: tuple[float, float, float]):
    with pytest.raises(ValueError, match="ascend"):
        Thresholds(*unordered)


def test_frames_are_judged_as_single_moments_are():
    millimetres = np.array([0.09, 0.9, 4.9, 5.1, 0.0])
    distances = np.zeros((2, 5), dtype=np.float32)
    distances[0] = millimetres / 1000
    levels = levels_of_frames(distances, np.array([0.5, 0.5]), np.array([0.001, 0.001]))
    assert levels.tolist() == [Level.SAME, Level.GOOD, Level.LOOK, Level.FAIL, Level.SAME]
    hand = levels_of_frames(distances / 5, np.array([0.5, 0.5]), np.array([0.0002, 0.0002]))
    assert hand.tolist() == levels.tolist()
    # Of a thousandth of the surface, unless it is far off; hands count five times.
    distances[0] += 0.001
    few = levels_of_frames(distances, np.array([0.0009, 0.9991]), np.array([0.001, 0.001]))
    assert few.tolist() == [Level.LOOK, Level.LOOK, Level.LOOK, Level.LOOK, Level.GOOD]
