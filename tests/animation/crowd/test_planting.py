"""Legs that hold planted feet: they reach where they are asked to, stretch nothing, and turn nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from skinning_addon.animation.crowd.contacts import FootMotion
from skinning_addon.animation.crowd.feet import Body
from skinning_addon.animation.crowd.planting import legs_of, paths_needed, reach
from skinning_addon.core.skinning.skeleton import Skeleton

NAMES = ("hip", "thigh.L", "shin.L", "foot.L", "toe.L", "thigh.R", "shin.R", "foot.R", "head")
PARENTS = np.array([-1, 0, 1, 2, 3, 0, 5, 6, 0])
HEADS = np.array([
    (0, 0, 0.95), (0.1, 0, 0.9), (0.1, -0.06, 0.5), (0.1, 0.02, 0.1), (0.1, -0.15, 0.0),
    (-0.1, 0, 0.9), (-0.1, -0.06, 0.5), (-0.1, 0.02, 0.1), (0, 0, 1.8),
])  # fmt: skip
SAMPLES = 40


def body() -> Body:
    rest = np.tile(np.eye(4), (len(NAMES), 1, 1))
    rest[:, 3, :3] = HEADS
    return Body.of(Skeleton(NAMES, PARENTS, rest), np.eye(4))


def posed() -> np.ndarray:
    """The rest pose (S, B, 4, 4), each bone with an orientation of its own."""
    random = np.random.default_rng(4)
    to_world = np.tile(np.eye(4), (SAMPLES, len(NAMES), 1, 1))
    to_world[..., :3, :3] = np.linalg.qr(random.normal(size=(len(NAMES), 3, 3)))[0]
    to_world[..., 3, :3] = HEADS
    return to_world


def test_a_leg_is_what_carries_one_foot_alone():
    left, right = legs_of(body())
    assert [NAMES[one] for one in left.joints] == ["thigh.L", "shin.L"]
    assert [NAMES[one] for one in right.joints] == ["thigh.R", "shin.R"]
    assert [NAMES[one] for one in left.carried] == ["foot.L", "toe.L"]


def test_a_foot_is_moved_level_and_as_it_was_turned_and_nothing_is_stretched():
    man, before = body(), posed()
    angle = np.linspace(0, 2 * np.pi, SAMPLES)
    path = 0.05 * np.stack((np.cos(angle), np.sin(angle), np.zeros(SAMPLES)), axis=1)
    after = before.copy()
    left, _ = legs_of(man)
    wanted = before[:, left.carried]
    wanted[:, :, 3, :3] += path[:, None]
    reach(man, after, left, wanted)
    for name in ("foot.L", "toe.L"):
        bone = NAMES.index(name)
        np.testing.assert_allclose(after[:, bone, 3, :3], before[:, bone, 3, :3] + path, atol=1e-4)
        np.testing.assert_array_equal(after[:, bone, :3, :3], before[:, bone, :3, :3])
    for name in ("hip", "thigh.R", "shin.R", "foot.R", "head"):
        bone = NAMES.index(name)
        np.testing.assert_array_equal(after[:, bone], before[:, bone])
    for name, parent in (("shin.L", "thigh.L"), ("foot.L", "shin.L"), ("thigh.L", "hip")):
        lengths = [
            np.linalg.norm(one[:, NAMES.index(name), 3, :3] - one[:, NAMES.index(parent), 3, :3], axis=1)
            for one in (before, after)
        ]
        np.testing.assert_allclose(lengths[1], lengths[0], atol=1e-4)
    turned = after[:, :, :3, :3]
    np.testing.assert_allclose(
        turned @ turned.transpose(0, 1, 3, 2), np.tile(np.eye(3), (SAMPLES, 9, 1, 1)), atol=1e-9
    )


@pytest.mark.parametrize("slide", [0.0, 0.1])
def test_what_a_foot_slides_in_a_contact_is_what_it_is_moved_by(slide: float):
    """In closed form: one that is planted for half a cycle, and falls behind by some metres a second."""
    clearance = np.where(np.arange(SAMPLES) < SAMPLES // 2, 0.0, 0.3)[None]
    velocity = np.zeros((1, SAMPLES, 2))
    velocity[0, : SAMPLES // 2] = (0.0, 1.0 + slide)
    velocity[0, SAMPLES // 2 :] = (0.0, -1.0)
    motion = FootMotion(clearance, velocity, np.zeros(1), 1 / SAMPLES, 1.8)
    way = np.array((0.0, -1.0))
    ((x, y, z),) = paths_needed(motion, way).transpose(0, 2, 1)
    assert not x.any()
    assert not z.any()
    np.testing.assert_allclose(np.diff(y[: SAMPLES // 2]), -slide / SAMPLES, atol=1e-12)
    assert y[0] == pytest.approx(-y[SAMPLES // 2 - 1])
    # While it swings it goes back without a jump.
    assert np.abs(np.diff(np.append(y, y[0]))).max() <= max(2 * slide / SAMPLES, 1e-12)
