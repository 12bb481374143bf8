"""Blends that keep volume: motions whose dual quaternions are known in closed form."""

from __future__ import annotations

import numpy as np
import pytest

from skinning_addon.core.refit.volume_blend import joint_motions

HALF_SHARES = np.array([[0.0, 0.5, 0.5]])


def turned(angle: float, at: tuple[float, float, float], scale: tuple[float, float, float] = (1, 1, 1)):
    """A row-vector matrix that scales along the axes, then turns about Z, both about a point."""
    cos, sin = np.cos(angle), np.sin(angle)
    result = np.eye(4)
    result[:3, :3] = np.diag(scale) @ np.array([[cos, sin, 0], [-sin, cos, 0], [0, 0, 1]])
    result[3, :3] = np.array(at) - np.array(at) @ result[:3, :3]
    return result


def frame_at(*head: float) -> np.ndarray:
    result = np.eye(4)
    result[3, :3] = head
    return result


def blend(one: np.ndarray, other: np.ndarray, heads: list[tuple[float, float, float]]) -> np.ndarray:
    """The half of two joints' motions, joint 0 still."""
    rest = np.stack([np.eye(4), *(frame_at(*head) for head in heads)])
    finals = np.stack([np.eye(4), one, other])[None]
    return joint_motions(finals, rest).blended(HALF_SHARES)[0, 0]


def test_halfway_of_a_turn_is_half_the_angle_and_nothing_shrinks():
    """The mean of the matrices would shrink by half at 120 degrees."""
    found = blend(np.eye(4), turned(np.radians(120), (1, 2, 0)), [(0, 0, 0), (1, 2, 0)])
    assert found == pytest.approx(turned(np.radians(60), (1, 2, 0)), abs=1e-12)


def test_the_short_way_is_taken():
    found = blend(turned(np.radians(170), (0, 0, 0)), turned(np.radians(190), (0, 0, 0)), [(0, 0, 0)] * 2)
    assert found == pytest.approx(turned(np.radians(180), (0, 0, 0)), abs=1e-12)


def test_a_stretched_bone_stretches_what_follows_it_about_its_own_head():
    """Not about the origin, which is far away."""
    stretched = turned(0.4, (0, 0, 50), (1.0, 1.0, 1.8))
    found = blend(stretched, turned(0.4, (0, 0, 50)), [(0, 0, 50)] * 2)
    assert found == pytest.approx(turned(0.4, (0, 0, 50), (1.0, 1.0, 1.4)), abs=1e-12)


def test_alike_motions_are_their_own_blend():
    random = np.random.default_rng(4)
    one = turned(0.7, (1, 2, 3), (1.2, 0.8, 1.1))
    heads = [tuple(random.normal(size=3)) for _ in range(2)]
    assert blend(one, one, heads) == pytest.approx(one, abs=1e-12)


def test_no_blends():
    finals = np.eye(4)[None, None].repeat(3, axis=0)
    assert joint_motions(finals, np.eye(4)[None]).blended(np.empty((0, 1))).shape == (3, 0, 4, 4)
