"""Root motion extracted from a clip and put back: nothing is lost, and loops are continuous."""

from __future__ import annotations

import numpy as np
import pytest

from skinning_addon.animation.blending import additive_clip
from skinning_addon.animation.bone_boxes import BoneBoxes
from skinning_addon.animation.clip import BoneKeys, sparse_clip
from skinning_addon.animation.local_pose import compose
from skinning_addon.animation.root_motion import RootMotionSettings, extract_root_motion
from skinning_addon.animation.sampling import ClipSampler
from skinning_addon.core.skinning.skeleton import Skeleton
from skinning_addon.core.text.errors import ClipError
from tests.animation.builders import about, arm


def _walk(seconds: float = 2.0):
    times = np.linspace(0, 24 * seconds, 25)
    along = np.linspace(0, 1, 25)
    positions = np.stack((3 * along, np.sin(6 * along), 0.2 * np.cos(12 * along)), axis=1)
    return sparse_clip(
        "walk",
        {
            "b0": BoneKeys(translation=(times, positions), rotation=(times, about((0, 0, 1), 80 * along).T)),
            "b1": BoneKeys(rotation=(times, about((1, 0, 0), 30 * np.sin(6 * along)).T)),
        },
    )


def _boxes(*used: bool) -> BoneBoxes:
    """Boxes of which only those of some bones contain anything."""
    bones = len(used)
    return BoneBoxes(np.ones((bones, 8, 4)), np.array(used), 1.0, np.ones(bones))


ALL = _boxes(True, True, True)


@pytest.mark.parametrize("turning", [False, True])
def test_motion_in_place_and_root_motion_together_are_the_clip(turning: bool):
    clip, skeleton = _walk(), arm()
    in_place, motion = extract_root_motion(clip, skeleton, RootMotionSettings(turning=turning), ALL)
    assert motion.bone == "b0"
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


@pytest.mark.parametrize("up", [0, 1, 2])
@pytest.mark.parametrize("turning", [False, True])
def test_the_way_is_level_whichever_axis_is_vertical(up: int, turning: bool):
    """The same walk in root spaces that lie otherwise: what goes up, and about which axis it turns, goes with
    them.
    """
    level = [(up + 1) % 3, (up + 2) % 3]
    times = np.linspace(0, 48, 25)
    along = np.linspace(0, 1, 25)
    positions = np.zeros((25, 3))
    positions[:, level[0]], positions[:, level[1]], positions[:, up] = (
        3 * along,
        np.sin(6 * along),
        0.2 * np.cos(12 * along),
    )
    rotation = about(np.eye(3)[up], 80 * along).T
    clip = sparse_clip("walk", {"b0": BoneKeys(translation=(times, positions), rotation=(times, rotation))})
    in_place, motion = extract_root_motion(clip, arm(), RootMotionSettings(turning=turning), ALL, up)
    parts = arm().to_root(compose(ClipSampler(in_place, arm()).sample(times)))
    whole = arm().to_root(compose(ClipSampler(clip, arm()).sample(times)))
    assert np.abs(parts @ motion.way(np.minimum(times / 24, 2 - 1e-12))[:, None] - whole).max() < 1e-5
    assert np.abs(parts[:, 0, 3, level] - parts[0, 0, 3, level]).max() < 1e-5
    assert np.ptp(parts[:, 0, 3, up]) > 0.2
    turned = np.abs(parts[:, 0, :3, :3] - parts[0, 0, :3, :3]).max()
    assert turned == pytest.approx(0 if turning else 1, abs=0.2 if not turning else 1e-5)


def test_the_way_may_be_that_of_any_bone():
    """As of hips below a root that stands still: all of the character is carried back, the root too."""
    times = np.linspace(0, 24, 13)
    positions = np.stack((np.linspace(0, 2, 13), np.ones(13), np.zeros(13)), axis=1)
    clip = sparse_clip("walk", {"b1": BoneKeys(translation=(times, positions))})
    boxes = _boxes(False, True, True)
    in_place, motion = extract_root_motion(clip, arm(), RootMotionSettings(), boxes)
    assert motion.bone == "b1"
    assert motion.offset[-1] == pytest.approx([2, 0, 0])
    parts = arm().to_root(compose(ClipSampler(in_place, arm()).sample(times)))
    assert np.abs(parts[:, 1:, 3] - parts[0, 1:, 3]).max() < 1e-6
    # Named, the root goes no way, and nothing changes.
    _, motion = extract_root_motion(clip, arm(), RootMotionSettings("b0"), boxes)
    assert np.abs(motion.offset).max() == 0


def test_rounds_of_a_loop_follow_one_another():
    _, motion = extract_root_motion(_walk(), arm(), RootMotionSettings(turning=True), ALL)
    once, again = motion.way(0.7), motion.way(4 + 0.7)
    whole = motion.way(2 - 1e-12)
    assert again == pytest.approx(once @ whole @ whole, abs=1e-6)
    assert motion.way(-2 + 0.7) @ whole == pytest.approx(once, abs=1e-6)
    # No jump from one loop to the next.
    assert motion.way(2 - 1e-9) == pytest.approx(motion.way(2.0), abs=1e-6)


def test_what_goes_no_way_is_refused():
    with pytest.raises(ClipError, match="no bone 'tail' to extract"):
        extract_root_motion(_walk(), arm(), RootMotionSettings("tail"), ALL)
    with pytest.raises(ClipError, match="'walk' is additive"):
        extract_root_motion(additive_clip(_walk(), arm()), arm(), RootMotionSettings(), ALL)
    apart = Skeleton(("left", "right"), np.array([-1, -1]), np.tile(np.eye(4), (2, 1, 1)))
    clip = sparse_clip("walk", {"left": BoneKeys(translation=([0], [(0, 0, 0)]))})
    with pytest.raises(ClipError, match="no bone above all"):
        extract_root_motion(clip, apart, RootMotionSettings(), _boxes(True, True))
