"""Clips at any time: closed forms, missing bones, a single key, and many instances at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from skinning_addon.animation.clip import BoneKeys, Clip, dense_clip, sparse_clip
from skinning_addon.animation.local_pose import LocalPose, compose
from skinning_addon.animation.rotations import RotationBlend
from skinning_addon.animation.sampling import ClipSampler
from skinning_addon.core.text.errors import ClipError
from tests.animation.builders import about, angle, arm, turning


def _random_clip(times: int, bones: int, seed: int = 3) -> tuple[Clip, LocalPose]:
    random = np.random.default_rng(seed)
    rotation = random.normal(size=(4, times, bones)).astype(np.float32)
    rotation /= np.linalg.norm(rotation, axis=0)
    pose = LocalPose(
        random.normal(size=(3, times, bones)).astype(np.float32),
        rotation,
        random.uniform(0.5, 2, (3, times, bones)).astype(np.float32),
    )
    ticks = np.cumsum(random.uniform(0.5, 2, times))
    return dense_clip("random", [f"b{i}" for i in range(bones)], ticks, pose), pose


def test_a_turn_at_even_speed_by_slerp():
    clip = sparse_clip(
        "turn",
        {"b1": BoneKeys(rotation=([0, 10], about((1, 0, 0), [0, 90]).T))},
        rotation_blend=RotationBlend.SLERP,
    )
    pose = ClipSampler(clip, arm()).sample([0, 2.5, 5, 10])
    assert angle(pose.rotation[:, :, 1]) == pytest.approx([0, 22.5, 45, 90], abs=1e-4)
    assert (angle(pose.rotation[:, :, 0]) == 0).all()


def test_keys_come_back_as_they_were_given():
    clip, pose = _random_clip(12, 5)
    sampled = ClipSampler(clip, arm(5)).sample(clip.times)
    assert np.abs(compose(sampled) - compose(pose)).max() < 3e-6
    assert np.array_equal(sampled.translation, pose.translation)


def test_vectors_between_keys_lie_on_the_line():
    clip, pose = _random_clip(4, 2)
    middle = (clip.times[1] + clip.times[2]) / 2
    sampled = ClipSampler(clip, arm(2)).sample([middle])
    assert sampled.translation[:, 0] == pytest.approx(
        (pose.translation[:, 1] + pose.translation[:, 2]) / 2, abs=1e-6
    )
    assert sampled.scale[:, 0] == pytest.approx((pose.scale[:, 1] + pose.scale[:, 2]) / 2, abs=1e-6)


def test_many_instances_are_sampled_as_one_by_one():
    clip, _ = _random_clip(30, 6)
    sampler = ClipSampler(clip, arm(6))
    ticks = np.random.default_rng(4).uniform(clip.times[0] - 2, clip.times[-1] + 2, 200)
    together = sampler.sample(ticks)
    for index, tick in enumerate(ticks):
        alone = sampler.sample([tick])
        assert np.array_equal(together.rotation[:, index], alone.rotation[:, 0])
        assert np.array_equal(together.translation[:, index], alone.translation[:, 0])


def test_each_channel_goes_between_its_own_keys():
    clip = sparse_clip(
        "sparse",
        {
            "b0": BoneKeys(translation=([0, 4, 10], [[0, 0, 0], [4, 0, 0], [4, 6, 0]])),
            "b1": BoneKeys(translation=([2, 6], [[0, 0, 0], [0, 0, 8]]), scale=([5], [[2, 2, 2]])),
            "b2": BoneKeys(rotation=([0, 10], about((0, 0, 1), [0, 60]).T)),
        },
        rotation_blend=RotationBlend.SLERP,
    )
    ticks = np.linspace(-1, 11, 49)
    pose = ClipSampler(clip, arm()).sample(ticks)
    held = np.clip(ticks, 0, 10)
    assert pose.translation[0, :, 0] == pytest.approx(np.minimum(held, 4), abs=1e-6)
    assert pose.translation[1, :, 0] == pytest.approx(np.clip(held - 4, 0, None), abs=1e-6)
    assert pose.translation[2, :, 1] == pytest.approx(np.clip(2 * (held - 2), 0, 8), abs=1e-6)
    assert (pose.scale[:, :, 1] == 2).all()
    assert angle(pose.rotation[:, :, 2]) == pytest.approx(6 * held, abs=1e-4)


def test_bones_that_a_clip_lacks_stay_in_rest():
    sampler = ClipSampler(turning(bone="b1"), arm(3, length=2.0))
    assert sampler.still == ("b0", "b2")
    pose = sampler.at([0.3, 0.9])
    assert (pose.translation[1] == [[0, 2, 2]] * 2).all()
    assert (angle(pose.rotation[:, :, [0, 2]]) == 0).all()


def test_bones_that_the_skeleton_lacks_are_named():
    clip = sparse_clip(
        "mixed",
        {
            "b0": BoneKeys(translation=([0], [[1, 2, 3]])),
            "tail": BoneKeys(translation=([0, 1], [[1, 2, 3], [0, 0, 0]])),
        },
    )
    assert ClipSampler(clip, arm()).missing == ("tail",)


@pytest.mark.parametrize(
    ("bones", "told"),
    [(1, r"here: 'tail 0'; choose"), (5, "'tail 3', 'tail 4'; choose"), (7, "'tail 4' and 2 more; choose")],
)
def test_a_clip_for_another_skeleton_is_refused_and_its_bones_are_named(bones: int, told: str):
    keys = BoneKeys(translation=([0], [[1, 2, 3]]))
    clip = sparse_clip("turn", {f"tail {number}": keys for number in range(bones)})
    with pytest.raises(
        ClipError, match="'turn' is for another skeleton with bones that are missing"
    ) as error:
        ClipSampler(clip, arm())
    error.match(told)


@pytest.mark.parametrize("looping", [True, False])
def test_a_single_key_is_a_pose_at_any_time(looping: bool):
    clip = sparse_clip("pose", {"b0": BoneKeys(translation=([7], [[1, 2, 3]]))}, looping=looping)
    assert clip.duration == 0
    pose = ClipSampler(clip, arm()).at([-3.0, 0.0, 1e9])
    assert (pose.translation[:, :, 0].T == [1, 2, 3]).all()


def test_a_loop_starts_over_and_a_clamped_clip_holds():
    degrees = (0, 40, 80)
    loop = ClipSampler(turning(degrees=degrees, looping=True), arm()).at([0.25, 1.25, -0.75, 1.0])
    assert angle(loop.rotation[:, :, 0]) == pytest.approx([20, 20, 20, 0], abs=0.5)
    held = ClipSampler(turning(degrees=degrees, looping=False), arm()).at([0.25, 1.25, -0.75])
    assert angle(held.rotation[:, :, 0]) == pytest.approx([20, 80, 0], abs=0.5)


def test_the_seam_of_a_loop_is_continuous():
    sampler = ClipSampler(turning(degrees=(10, 50, 10), seconds=1.3), arm())
    step = 1e-5
    across = sampler.at(1.3 * np.arange(4)[:, None].repeat(2, axis=1).reshape(-1) + [-step, step] * 4)
    turns = angle(across.rotation[:, :, 0])
    assert turns == pytest.approx(np.full(8, 10.0), abs=0.01)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: sparse_clip("none", {}), "has no keys"),
        (lambda: sparse_clip("none", {"b0": BoneKeys()}), "has no keys"),
        (
            lambda: sparse_clip("back", {"b0": BoneKeys(scale=([1, 0], [[1, 1, 1]] * 2))}),
            "not in order of time",
        ),
        (lambda: sparse_clip("few", {"b0": BoneKeys(scale=([0, 1], [[1, 1, 1]]))}), "has 2 key times"),
        (lambda: sparse_clip("nan", {"b0": BoneKeys(scale=([0], [[1, np.nan, 1]]))}), "not a number"),
        (
            lambda: sparse_clip("inf", {"b0": BoneKeys(scale=([0, np.inf], [[1, 1, 1]] * 2))}),
            "must be ascending numbers",
        ),
        (
            lambda: sparse_clip("slow", {"b0": BoneKeys(scale=([0], [[1, 1, 1]]))}, ticks_per_second=0),
            "0 ticks per second",
        ),
    ],
)
def test_keys_that_can_not_be_played_are_refused(make: Callable[[], object], says: str):
    with pytest.raises(ClipError, match=says):
        make()


def test_a_channel_that_does_not_move_has_one_key():
    random = np.random.default_rng(5)
    rotation = np.zeros((4, 100, 3))
    rotation[0] = 1
    translation = np.zeros((3, 100, 3))
    translation[:, :, 1] = random.normal(size=(3, 100))
    clip = dense_clip(
        "one", ["b0", "b1", "b2"], range(100), LocalPose(translation, rotation, np.ones((3, 100, 3)))
    )
    assert clip.translation.counts.tolist() == [1, 100, 1]
    assert clip.rotation.counts.tolist() == [1, 1, 1]
