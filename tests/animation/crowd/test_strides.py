"""Strides read off clips: closed forms of a walker whose stride, speed and footsteps are known."""

from __future__ import annotations

import numpy as np
import pytest

from skinning_addon.animation.clip import dense_clip
from skinning_addon.animation.crowd.feet import Body, BodyPoints, words
from skinning_addon.animation.crowd.fixed_point import CYCLE as WHOLE
from skinning_addon.animation.crowd.strides import Stride, read_stride
from skinning_addon.animation.local_pose import compose, rest_pose
from skinning_addon.animation.sampling import ClipSampler
from skinning_addon.core.text.errors import CrowdError
from tests.animation.crowd.walkers import (
    CYCLE,
    HEIGHT,
    LEFT_DOWN,
    RIGHT_DOWN,
    STRIDE,
    body,
    fly,
    skeleton,
    stand,
    walk,
)

MILLIMETRE = 1e-3


def _feet(stride: Stride, of: Body, seconds: np.ndarray) -> np.ndarray:
    """Where both feet are in the world, (S, 2, 3), if the body goes at the stride's velocity."""
    to_root = of.skeleton.to_root(compose(ClipSampler(stride.clip, of.skeleton).at(seconds)))
    feet = (to_root @ of.root_to_world)[:, 1:3, 3, :3]
    feet[..., :2] += (seconds[:, None] * stride.velocity)[:, None]
    return feet


@pytest.mark.parametrize("travels", [False, True])
def test_stride_speed_and_direction_are_those_of_the_walker(travels: bool):
    """Within 0.5%: a foot that is about to come down counts as planted a little early."""
    stride = read_stride(walk(travels=travels), body())
    assert stride.travels is travels
    assert stride.length == pytest.approx(STRIDE, rel=5e-3)
    assert stride.speed == pytest.approx(STRIDE / CYCLE, rel=5e-3)
    assert stride.forward == pytest.approx([0, -1], abs=1e-6)
    assert stride.drift_in_millimetres < 5


@pytest.mark.parametrize("turned", [30, 90, 200])
def test_the_way_is_in_world_space_whichever_way_the_armature_is_turned_and_however_large(turned: float):
    stride = read_stride(walk(), body(turned, scale=50))
    angle = np.radians(turned)
    assert stride.forward == pytest.approx([np.sin(angle), -np.cos(angle)], abs=1e-6)
    assert stride.length == pytest.approx(50 * STRIDE, rel=5e-3)
    assert stride.gait(0.01).stride == pytest.approx(0.5 * STRIDE * 1e6, rel=5e-3)


def test_footsteps_are_where_feet_come_down_and_the_cycle_begins_with_the_first():
    stride = read_stride(walk(), body())
    (first, left), (second, right) = stride.contacts
    assert (left, right) == ("foot.L", "foot.R")
    # A foot counts as down within 27 mm of the ground, which the swing reaches 2% of the cycle earlier.
    assert first == pytest.approx(0, abs=0.025)
    assert second == pytest.approx(RIGHT_DOWN - LEFT_DOWN, abs=0.025)
    assert [one.name for one in stride.gait(1).contacts] == ["foot.L", "foot.R"]
    assert stride.gait(1).contacts[1].phase == round(second * WHOLE)
    assert stride.gait(1).duration == pytest.approx(CYCLE * 1e6, abs=1)


@pytest.mark.parametrize("travels", [False, True])
def test_a_body_that_wavers_is_moved_so_that_planted_feet_stay(travels: bool):
    of = body()
    clip = walk(travels=travels, wavering=0.03)
    stride = read_stride(clip, of)
    assert stride.drift_before * HEIGHT > 30 * MILLIMETRE
    assert stride.drift_in_millimetres < 5
    assert stride.length == pytest.approx(STRIDE, rel=0.02)
    # Measured with nothing of the code under test but the pose: while it is planted, a foot stays.
    seconds = np.linspace(0.1, 0.5, 100) * CYCLE
    left = _feet(stride, of, seconds)[:, 0]
    assert np.ptp(left, axis=0).max() < 5 * MILLIMETRE


def test_feet_stand_on_the_ground_around_the_origin():
    of = body()
    for clip in (walk(), stand()):
        stride = read_stride(clip, of)
        seconds = np.linspace(0, CYCLE, 200)
        to_root = of.skeleton.to_root(compose(ClipSampler(stride.clip, of.skeleton).at(seconds)))
        feet = (to_root @ of.root_to_world)[:, 1:3, 3, :3]
        assert feet[..., 2].min() == pytest.approx(0, abs=1e-5)
        assert feet[..., :2].mean(axis=(0, 1)) == pytest.approx([0, 0], abs=5e-3)


def test_the_frame_that_a_loop_lacks_is_added():
    whole, lacking = walk(), walk(missing=4)
    stride = read_stride(lacking, body())
    assert whole.duration - lacking.duration == pytest.approx(4 / 240 * CYCLE)
    assert stride.added == pytest.approx(4 / 240 * CYCLE, rel=0.1)
    assert stride.clip.duration == pytest.approx(CYCLE, rel=5e-3)
    assert stride.length == pytest.approx(STRIDE, rel=1e-2)


def test_who_stands_goes_nowhere():
    stride = read_stride(stand(), body())
    assert stride.speed == stride.length == 0
    assert stride.contacts == ()
    assert stride.gait(1).stride == 0


def test_a_clip_in_the_air_is_refused_by_its_name():
    with pytest.raises(CrowdError, match=r"No foot is ever planted in 'Fly'.*choose a clip that walks"):
        read_stride(fly(), body())


def test_a_clip_without_a_length_is_refused_by_its_name():
    pose = rest_pose(skeleton())
    clip = dense_clip(
        "Pose",
        skeleton().names,
        [1.0],
        type(pose)(*(one[:, None] for one in (pose.translation, pose.rotation, pose.scale))),
    )
    with pytest.raises(CrowdError, match="'Pose' has no length"):
        read_stride(clip, body())


def test_without_names_the_limbs_that_end_on_the_ground_are_feet():
    found = Body.of(skeleton(("left tip", "right tip")), np.eye(4))
    assert [foot.name for foot in found.feet] == ["left tip", "right tip"]
    assert not found.named
    assert body().named


def test_a_hand_on_the_ground_is_a_foot_beside_named_ones():
    """As a fox's hands are."""
    rest = skeleton().rest_to_root
    points = BodyPoints(np.concatenate((rest[:, 3, :3], [(0, 0.5, 0.01)])), np.array([0, 1, 2, 3, 3]))
    assert [foot.name for foot in Body.of(skeleton(), np.eye(4), points).feet] == ["foot.L", "foot.R", "head"]


def test_a_character_without_feet_is_refused_by_its_name():
    lone = skeleton()
    single = type(lone)(("ball",), np.array([-1]), lone.rest_to_root[:1])
    points = BodyPoints(np.array([(0.0, 0, 0), (0, 0, 1)]), np.array([0, 0]))
    with pytest.raises(CrowdError, match=r"No bone of 'Ball' is a foot.*rename its feet"):
        Body.of(single, np.eye(4), points, "Ball")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("b_LeftFoot01_017", ["b", "left", "foot"]),
        ("mixamorig:RightToeBase", ["mixamorig", "right", "toe", "base"]),
        ("IKFoot.L", ["ik", "foot", "l"]),
        ("footer", ["footer"]),
    ],
)
def test_names_are_split_into_whole_words(name: str, expected: list[str]):
    assert words(name) == expected
