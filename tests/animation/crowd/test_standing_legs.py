"""Legs bend in closed form: where feet come to stand is computed here, from the pose's matrices alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from skinning_addon.animation.crowd.feet import Body
from skinning_addon.animation.crowd.fixed_point import MICROMETRES
from skinning_addon.animation.crowd.kinds import ROOM_FOR_FEET
from skinning_addon.animation.crowd.shown_feet import ShownFeet
from skinning_addon.animation.crowd.standing_legs import StandingLegs
from skinning_addon.animation.local_pose import LocalPose, compose, decompose
from skinning_addon.core.skinning.skeleton import Skeleton
from tests.animation.crowd.test_planting import HEADS, NAMES, PARENTS

AGENTS = 6
FORWARD = np.array((0.0, -1.0))
LEFT_LEG = [NAMES.index(name) for name in ("thigh.L", "shin.L", "foot.L")]

WORLDS = {
    "as it is": np.eye(4),
    "lying, in centimetres": np.array(((0.01, 0, 0, 0), (0, 0, 0.01, 0), (0, -0.01, 0, 0), (0, 0, 0, 1.0))),
    "a mirror image": np.diag((-1.0, 1, 1, 1)),
}


def man(root_to_world: NDArray[np.float64], heads: NDArray[np.float64] = HEADS) -> Body:
    """Of two legs whose bones have orientations of their own; its heads in the world."""
    rest = np.tile(np.eye(4), (len(NAMES), 1, 1))
    rest[:, :3, :3] = np.linalg.qr(np.random.default_rng(4).normal(size=(len(NAMES), 3, 3)))[0]
    # No bone is mirrored itself.
    rest[:, 0, :3] *= np.linalg.det(rest[:, :3, :3])[:, None]
    homogeneous = np.concatenate((heads, np.ones((len(heads), 1))), axis=1)
    rest[:, 3] = homogeneous @ np.linalg.inv(root_to_world)
    return Body.of(Skeleton(NAMES, PARENTS, rest), root_to_world)


def shown(body: Body, **others: NDArray[np.float64]) -> ShownFeet:
    """All agents' feet, as others say, turned about the foot's head."""
    zeros = np.zeros((ROOM_FOR_FEET, AGENTS))
    mixed = np.zeros((2, ROOM_FOR_FEET, AGENTS))
    mixed[0, 0], mixed[1, 0] = -HEADS[LEFT_LEG[2], 1] * MICROMETRES, HEADS[LEFT_LEG[2], 0] * MICROMETRES
    given = {"offset": np.zeros_like(mixed), "yaw": zeros, "lifted": zeros, "rise": zeros, **others}
    given = {"slope": np.zeros_like(mixed), **given}
    return ShownFeet(
        held=np.ones(AGENTS, dtype=np.bool_),
        fades=np.zeros(AGENTS, dtype=np.bool_),
        mixed=mixed,
        height=np.full(AGENTS, body.height * MICROMETRES),
        **given,
    )


def stood(body: Body, feet: ShownFeet) -> NDArray[np.float64]:
    """Return the bones' matrices (AGENTS, B, 4, 4) in the world."""
    to_parent, _ = body.skeleton.to_parent(np.tile(body.skeleton.rest_to_root, (AGENTS, 1, 1, 1)))
    pose = decompose(to_parent).pose
    pose = LocalPose(*(one.astype(np.float32) for one in (pose.translation, pose.rotation, pose.scale)))
    StandingLegs(body, FORWARD, 1.0).stand(pose, np.arange(AGENTS), feet)
    return body.skeleton.to_root(compose(pose)) @ body.root_to_world


def lengths(line: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return those of the parts (..., 2) of a leg (..., 3, 3)."""
    return np.linalg.norm(np.diff(line, axis=-2), axis=-1)


@pytest.mark.parametrize("world", WORLDS)
def test_a_foot_is_moved_raised_and_turned_whatever_the_bones_orientations(world: str):
    body = man(WORLDS[world])
    offset, yaw, rise = (
        np.zeros((2, ROOM_FOR_FEET, AGENTS)),
        np.zeros((ROOM_FOR_FEET, AGENTS)),
        np.zeros((4, AGENTS)),
    )
    angle = np.arange(AGENTS)
    offset[0, 0], offset[1, 0] = 0.06 * np.cos(angle), 0.06 * np.sin(angle)
    yaw[0], rise[0] = np.linspace(-0.5, 0.5, AGENTS), np.linspace(0, 0.1, AGENTS)
    feet = shown(body, offset=offset * MICROMETRES, yaw=yaw, rise=rise * MICROMETRES)
    before, after = body.skeleton.rest_to_root @ body.root_to_world, stood(body, feet)
    top, _, foot = LEFT_LEG
    # Looking along -Y, ahead is -Y and left is +X.
    way = np.stack((offset[1, 0], -offset[0, 0], rise[0]), axis=1)
    np.testing.assert_allclose(after[:, foot, 3, :3], before[foot, 3, :3] + way, atol=1e-5)
    np.testing.assert_allclose(after[:, top, 3, :3], np.tile(before[top, 3, :3], (AGENTS, 1)), atol=1e-6)
    cosine, sine, zero = np.cos(yaw[0]), np.sin(yaw[0]), np.zeros(AGENTS)
    turn = np.stack((cosine, sine, zero, -sine, cosine, zero, zero, zero, zero + 1), axis=1).reshape(-1, 3, 3)
    scale = np.cbrt(abs(np.linalg.det(body.root_to_world[:3, :3])))
    np.testing.assert_allclose(after[:, foot, :3, :3] / scale, before[foot, :3, :3] @ turn / scale, atol=1e-5)
    np.testing.assert_allclose(
        lengths(after[:, LEFT_LEG, 3, :3]), np.tile(lengths(before[LEFT_LEG, 3, :3]), (AGENTS, 1)), atol=1e-6
    )
    other = [NAMES.index(name) for name in ("thigh.R", "shin.R", "foot.R", "head")]
    np.testing.assert_allclose(
        after[:, other, 3, :3], np.tile(before[other, 3, :3], (AGENTS, 1, 1)), atol=1e-5
    )


@pytest.mark.parametrize("world", WORLDS)
def test_a_straight_knee_bends_forwards(world: str):
    straight = HEADS.copy()
    straight[[LEFT_LEG[1], NAMES.index("shin.R")], 1] = 0.01
    body = man(WORLDS[world], straight)
    rise = np.zeros((ROOM_FOR_FEET, AGENTS))
    rise[0] = np.linspace(0.02, 0.2, AGENTS)
    after = stood(body, shown(body, rise=rise * MICROMETRES))
    top, knee, foot = (after[:, bone, 3, :3] for bone in LEFT_LEG)
    np.testing.assert_allclose(foot[:, 2], straight[LEFT_LEG[2], 2] + rise[0], atol=1e-5)
    # In the middle between the leg's ends, the knee would be as far ahead as both.
    assert (knee[:, 1] < (top[:, 1] + foot[:, 1]) / 2 - 0.05).all()
    np.testing.assert_allclose(knee[:, 0], top[:, 0], atol=1e-4)


def test_a_leg_that_is_too_short_is_stretched_out_towards_the_place():
    body = man(np.eye(4))
    offset = np.zeros((2, ROOM_FOR_FEET, AGENTS))
    offset[0, 0] = np.linspace(0.5, 2, AGENTS)
    after = stood(body, shown(body, offset=offset * MICROMETRES))
    line = after[:, LEFT_LEG, 3, :3]
    wanted = HEADS[LEFT_LEG[2]] + np.stack((0 * offset[0, 0], -offset[0, 0], 0 * offset[0, 0]), axis=1)
    way = wanted - line[:, 0]
    reach = lengths(HEADS[LEFT_LEG]).sum()
    nearest = line[:, 0] + way / np.linalg.norm(way, axis=1)[:, None] * reach
    np.testing.assert_allclose(line[:, 2], nearest, atol=1e-4)
    np.testing.assert_allclose(lengths(line), np.tile(lengths(HEADS[LEFT_LEG]), (AGENTS, 1)), atol=1e-5)


def test_no_point_of_a_foot_is_farther_off_than_told():
    body, random = man(np.eye(4)), np.random.default_rng(2)
    offset, yaw, rise, lifted = (np.zeros((2, 4, AGENTS)), *np.zeros((3, 4, AGENTS)))
    offset[:, 0] = random.normal(size=(2, AGENTS)) * 0.05
    yaw[0], rise[0] = random.uniform(-0.5, 0.5, (2, AGENTS)) * ((1,), (0.1,))
    lifted[0] = random.uniform(0, 1, AGENTS)
    feet = shown(body, offset=offset * MICROMETRES, yaw=yaw, rise=rise * MICROMETRES, lifted=lifted)
    # Nobody is lowered, so that feet alone move.
    feet = replace(feet, rise=np.abs(feet.rise))
    moved = stood(body, feet)[:, :, 3, :3] - body.skeleton.rest_to_root[:, 3, :3]
    farthest = np.linalg.norm(moved[:, [NAMES.index("foot.L"), NAMES.index("toe.L")]], axis=2).max(axis=1)
    told = feet.farthest_off / MICROMETRES
    assert (farthest <= told).all()
    assert (told < 2 * farthest + 0.1).all()
