"""Agents of several kinds in one crowd: dealt by shares, each as large and as fast as its scale says."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from skinning_addon.animation.crowd.cast import Cast
from skinning_addon.animation.crowd.crowd import Crowd
from skinning_addon.animation.crowd.fixed_point import SCALE
from skinning_addon.animation.crowd.kinds import Gait, Kind
from skinning_addon.animation.crowd.recording_file import read_recording, recording_arrays
from skinning_addon.animation.crowd.settings import CrowdSettings
from skinning_addon.core.text.errors import CrowdError
from tests.animation.crowd.crowds import FEET, RUN, STAND, WALK, crowd

MAN = Kind((STAND, WALK, RUN), 300_000, 3, SCALE // 2, SCALE)
FOX = Kind(
    (Gait("sit", 1_500_000, 0), Gait("trot", 800_000, 900_000, FEET), Gait("race", 500_000, 2_500_000, FEET)),
    500_000,
    2,
    SCALE,
    2 * SCALE,
)
AFTER_10000 = "38231dbf16fd7ad1a2196bffdd0f6b6b8fe810559abdd8d55f8285bd15a71c02"
"""Of `_mixed` after 10,000 steps, on every Blender, numpy and machine."""

LONG = 10_000
"""Steps."""


def _mixed(count: int = 120, seed: int = 5) -> Crowd:
    return Crowd.populated(CrowdSettings(seed, (MAN, FOX), run_share=50), count, (30.0, 30.0))


def test_over_10000_steps_nobody_is_too_near_or_outside_and_it_is_the_same_everywhere():
    """Measured after every step, all pairs, one of them steered through the others."""
    one = _mixed(40)
    sizes = np.array([0.3, 0.5])[one.state.cast.kind] * one.state.cast.scale / SCALE
    first, second = np.triu_indices(40, 1)
    nearest = farthest = -np.inf
    for step in range(LONG):
        if step % 500 == 0:
            one.steer(7, ((1, 0), (0, 1), (-1, 0), (0, -1))[step // 500 % 4], "run")
        one.advance(Fraction(1, 120))
        x, y = one.state.position / 1e6
        apart = np.hypot(x[first] - x[second], y[first] - y[second]) - sizes[first] - sizes[second]
        nearest = max(nearest, float(-apart.min()))
        farthest = max(farthest, float((np.abs(np.stack((x, y))) + sizes).max()))
    assert 0 < nearest <= 0.001
    # Up to a millionth of a metre: radii are whole numbers of them.
    assert 14.9 < farthest <= 15 + 1e-6
    assert one.state.digest() == AFTER_10000


def test_shares_are_kept_exactly_and_in_no_order():
    kind = Cast.of(CrowdSettings(1, (MAN, FOX)), 500).kind
    assert np.bincount(kind).tolist() == [300, 200]
    assert (np.add.reduceat(kind, np.arange(0, 500, 5)) == 2).all()
    assert len({tuple(one) for one in kind.reshape(-1, 5).tolist()}) > 5
    # 10 and 4 are the same as 5 and 2; whoever has no share is nobody.
    shares = tuple(replace(MAN, share=share) for share in (10, 0, 4))
    assert np.bincount(Cast.of(CrowdSettings(1, shares), 7).kind).tolist() == [5, 0, 2]


def test_who_is_there_stays_who_they_are_when_others_come():
    settings = CrowdSettings(3, (MAN, FOX))
    few, many = Cast.of(settings, 33), Cast.of(settings, 400)
    np.testing.assert_array_equal(few.kind, many.kind[:33])
    np.testing.assert_array_equal(few.scale, many.scale[:33])
    other = Cast.of(replace(settings, seed=4), 400)
    assert (other.kind != many.kind).any()
    assert (other.scale != many.scale).mean() > 0.9


def test_scales_are_between_their_limits_and_spread():
    cast = Cast.of(CrowdSettings(1, (MAN, FOX)), 2000)
    for kind, (low, high) in enumerate(((0.5, 1.0), (1.0, 2.0))):
        scale = cast.scale[cast.kind == kind] / SCALE
        assert low <= scale.min() < low + 0.01 * high
        assert high - 0.01 * high < scale.max() <= high
        assert scale.mean() == pytest.approx((low + high) / 2, rel=0.03)


def test_large_and_small_never_come_nearer_than_both_their_radii():
    one = _mixed(90)
    nearest = np.inf
    sizes = np.array([0.3, 0.5])[one.state.cast.kind] * one.state.cast.scale / SCALE
    first, second = np.triu_indices(90, 1)
    for _ in range(600):
        one.advance(Fraction(1, 120))
        x, y = one.state.position / 1e6
        apart = np.hypot(x[first] - x[second], y[first] - y[second]) - sizes[first] - sizes[second]
        nearest = min(nearest, float(apart.min()))
        assert (np.abs(np.stack((x, y))) <= 15 - sizes + 1e-6).all()
    # They do meet, so that this has been tried.
    assert -0.001 <= nearest < 0.01


def test_a_cycle_takes_an_agent_as_far_as_its_clip_and_its_scale():
    """So planted feet stay: the mesh is as much larger as the way is longer."""
    one = Crowd.populated(CrowdSettings(2, (MAN, FOX)), 6, (800.0, 800.0))
    for agent in range(6):
        one.steer(agent, (1, 0), "walk")
    one.advance(2)
    cast = one.state.cast
    lengths, durations = np.array([[1.4, 0.9], [1.0, 0.8]])[:, cast.kind]
    before = one.state.position[0].copy()
    one.advance(4)
    assert set(cast.kind.tolist()) == {0, 1}
    went = (one.state.position[0] - before) / 1e6
    np.testing.assert_allclose(went, lengths * cast.scale / SCALE / durations * 4, atol=5e-3)


def test_footsteps_are_those_of_each_kinds_own_clips():
    one = _mixed(40)
    told = one.advance(14)
    kind = one.state.cast.kind
    assert {(step.clip, int(kind[step.agent])) for step in told} <= {
        ("walk", 0), ("run", 0), ("trot", 1), ("race", 1),
    }  # fmt: skip
    assert len({step.clip for step in told}) == 4


def test_a_recording_keeps_who_is_who(tmp_path: Path):
    one = _mixed(30)
    one.advance(5)
    np.savez(tmp_path / "crowd.npz", **recording_arrays(one))
    again = read_recording(tmp_path / "crowd.npz")
    assert again.settings == one.settings
    np.testing.assert_array_equal(again.state.cast.scale, one.state.cast.scale)
    for crowds in (one, again):
        crowds.seek(200)
        crowds.set_count(45)
        crowds.advance(3)
    assert one.state.digest() == again.state.digest()


def test_a_recording_of_version_1_is_read_as_it_was(tmp_path: Path):
    """It had one kind of agents, whose gaits and radius were the settings' own."""
    one = crowd(30)
    one.advance(5)
    arrays = recording_arrays(one)
    document = json.loads(arrays["document"].tobytes())
    (kind,) = document["settings"].pop("kinds")
    document["settings"] |= {"gaits": kind["gaits"], "radius": kind["radius"]}
    document["version"] = 1
    arrays = {name: one for name, one in arrays.items() if "/foot_" not in name}
    arrays["document"] = np.frombuffer(json.dumps(document).encode(), dtype=np.uint8)
    np.savez(tmp_path / "crowd.npz", **arrays)
    again = read_recording(tmp_path / "crowd.npz")
    assert again.settings == one.settings
    one.advance(5)
    again.advance(5)
    assert again.state.digest() == one.state.digest()


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"share": -1}, "A share can't be -1; give 0 to 1,000"),
        ({"share": 1001}, "A share can't be 1,001"),
        ({"smallest": 0}, r"can't be scaled from 0 to 1; give two factors from 0\.1"),
        ({"smallest": SCALE, "largest": SCALE - 1}, "the smaller one first"),
        ({"largest": 11 * SCALE}, "can't be scaled from 0.5 to 11"),
        ({"radius": 0}, "An agent needs a radius above 0"),
    ],
)
def test_a_kind_that_makes_no_sense_is_a_sentence(changes: dict[str, int], told: str):
    with pytest.raises(CrowdError, match=told):
        replace(MAN, **changes)


@pytest.mark.parametrize(
    ("kinds", "told"),
    [
        ((), "can't have 0 characters and variants; give 1 to 64"),
        ((MAN,) * 65, "can't have 65 characters and variants"),
        ((replace(MAN, share=0),) * 2, "Nobody is of any variant: all shares are 0"),
    ],
)
def test_kinds_that_make_no_crowd_are_a_sentence(kinds: tuple[Kind, ...], told: str):
    with pytest.raises(CrowdError, match=told):
        CrowdSettings(1, kinds)


def test_an_area_that_is_too_small_for_the_largest_is_a_sentence():
    with pytest.raises(CrowdError, match=r"There is no free place for 2 agents in an area of 1\.9 by 1\.9"):
        Crowd.populated(CrowdSettings(1, (MAN, FOX)), 2, (1.9, 1.9))


def test_a_smaller_count_keeps_the_first_ones():
    one = _mixed(50)
    scales = one.state.cast.scale
    one.set_count(20)
    np.testing.assert_array_equal(one.state.cast.scale, scales[:20])
    assert one.state.cast.strides.shape == (3, 20)
