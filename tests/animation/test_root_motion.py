"""The way taken out of a clip and put back: nothing is lost, and rounds follow one another."""

from __future__ import annotations

import numpy as np
import pytest

from skinning_addon.animation.clip import BoneKeys, sparse_clip
from skinning_addon.animation.local_pose import compose
from skinning_addon.animation.root_motion import extract_root_motion
from skinning_addon.animation.sampling import ClipSampler
from skinning_addon.core.errors import ClipError
from tests.animation.builders import about, arm


def _walk(seconds: float = 2.0):
    times = np.linspace(0, 24 * seconds, 25)
    along = np.linspace(0, 1, 25)
    place = np.stack((3 * along, np.sin(6 * along), 0.2 * np.cos(12 * along)), axis=1)
    return sparse_clip(
        "walk",
        {
            "b0": BoneKeys(translation=(times, place), rotation=(times, about((0, 0, 1), 80 * along).T)),
            "b1": BoneKeys(rotation=(times, about((1, 0, 0), 30 * np.sin(6 * along)).T)),
        },
    )


@pytest.mark.parametrize("turning", [False, True])
def test_in_place_and_way_together_are_the_clip(turning: bool):
    clip, skeleton = _walk(), arm()
    in_place, motion = extract_root_motion(clip, skeleton, "b0", turning=turning)
    positions = clip.times / 24
    whole = skeleton.to_root(compose(ClipSampler(clip, skeleton).sample(clip.times)))
    parts = skeleton.to_root(compose(ClipSampler(in_place, skeleton).sample(clip.times)))
    way = motion.way(np.minimum(positions, 2 - 1e-12))
    assert np.abs(parts @ way[:, None] - whole).max() < 1e-5
    assert np.abs(parts[:, 0, 3, :2] - parts[0, 0, 3, :2]).max() < 1e-5
    # Up and down is no way.
    assert np.ptp(parts[:, 0, 3, 2]) > 0.2
    heading = np.degrees(np.arctan2(parts[:, 0, 0, 1], parts[:, 0, 0, 0]))
    assert np.ptp(heading) == pytest.approx(0 if turning else 80, abs=0.01)


def test_rounds_of_a_loop_follow_one_another():
    _, motion = extract_root_motion(_walk(), arm(), "b0", turning=True)
    once, again = motion.way(0.7), motion.way(4 + 0.7)
    whole = motion.way(2 - 1e-12)
    assert again == pytest.approx(once @ whole @ whole, abs=1e-6)
    assert motion.way(-2 + 0.7) @ whole == pytest.approx(once, abs=1e-6)
    # No jump where one round ends and the next begins.
    assert motion.way(2 - 1e-9) == pytest.approx(motion.way(2.0), abs=1e-6)


def test_the_way_is_that_of_a_root():
    with pytest.raises(ClipError, match="'b1' is no root bone"):
        extract_root_motion(_walk(), arm(), "b1")
