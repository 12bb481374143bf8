"""Feet lie on slopes, and long bodies lean with them: where every point comes to be is computed here, in the
crowd's space, and compared with the plane's own height there.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from skinning_addon.animation.crowd.crowd import Crowd
from skinning_addon.animation.crowd.feet import Body, BodyPoints
from skinning_addon.animation.crowd.fixed_point import UNIT
from skinning_addon.animation.crowd.held_feet import RADIAN
from skinning_addon.animation.crowd.settings import CrowdSettings
from skinning_addon.animation.crowd.shown_feet import STEEPEST, ShownFeet
from skinning_addon.animation.crowd.standing_legs import StandingLegs
from skinning_addon.animation.crowd.terrain import ground_of
from skinning_addon.animation.local_pose import compose, decompose
from skinning_addon.core.skinning.skeleton import Skeleton
from tests.animation.crowd.test_ground import HALF, NOTHING, rectangle, walker
from tests.animation.crowd.test_held_feet import stands_as
from tests.animation.crowd.test_planting import HEADS, NAMES, PARENTS

AGENTS = 5
HEADINGS = ((1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.6, -0.8))
SOLE = np.array([(x, y) for x in (-0.04, 0.0, 0.04) for y in (-0.15, -0.05, 0.06)])
"""A flat one, around the ankle."""


def shod(names: tuple[str, ...], parents: NDArray[np.int64], heads: NDArray[np.float64]) -> Body:
    """A body whose feet have flat soles at height 0, and whose other points are its bones' heads."""
    rest = np.tile(np.eye(4), (len(names), 1, 1))
    rest[:, 3, :3] = heads
    positions, bones = [heads], [np.arange(len(names))]
    for bone, name in enumerate(names):
        if name.startswith("foot"):
            sole = np.concatenate((SOLE + heads[bone, :2], np.zeros((len(SOLE), 1))), axis=1)
            positions.append(sole)
            bones.append(np.full(len(SOLE), bone))
    points = BodyPoints(np.concatenate(positions), np.concatenate(bones))
    return Body.of(Skeleton(names, parents, rest), np.eye(4), points)


def man() -> Body:
    return shod(NAMES, PARENTS, HEADS)


def dog() -> Body:
    """On four legs of two parts each, as long as it is tall."""
    names, parents, heads = (
        ["trunk", "chest", "head"],
        [-1, 0, 1],
        [(0, 0.5, 0.7), (0, -0.5, 0.7), (0, -0.6, 1.0)],
    )
    for top, y in ((0, 0.5), (1, -0.5)):
        for side, x in (("L", 0.15), ("R", -0.15)):
            names += [f"thigh.{side}{top}", f"shin.{side}{top}", f"foot.{side}{top}"]
            parents += [top, len(names) - 3, len(names) - 2]
            heads += [(x, y, 0.65), (x, y + 0.12, 0.36), (x, y, 0.08)]
    return shod(tuple(names), np.array(parents), np.array(heads, dtype=np.float64))


def on_a_plane(degrees: float, heading: tuple[float, float], body: Body) -> Crowd:
    """A few who stand on a plane that rises along X."""
    rises = 20 * math.tan(math.radians(degrees))
    ground = ground_of(rectangle((-10, -10), (10, 10), 0.0, rises), NOTHING, HALF, walker(degrees + 5))
    crowd = Crowd.populated(CrowdSettings(1, (stands_as(body),)), AGENTS, (18.0, 18.0), ground)
    crowd.state.heading[:] = np.rint(np.array(heading) * UNIT).astype(np.int64)[:, None]
    return crowd


def stood(crowd: Crowd, body: Body) -> NDArray[np.float64]:
    """Return the bones' matrices (AGENTS, B, 4, 4) in root space."""
    to_parent, _ = body.skeleton.to_parent(np.tile(body.skeleton.rest_to_root, (AGENTS, 1, 1, 1)))
    pose = decompose(to_parent).pose
    feet = ShownFeet.of(crowd.state, crowd.settings)
    assert feet.held.all()
    StandingLegs(body, np.array((0.0, -1.0)), 1.0).stand(pose, np.arange(AGENTS), feet)
    return body.skeleton.to_root(compose(pose))


def placed(crowd: Crowd, points: NDArray[np.float64], degrees: float) -> NDArray[np.float64]:
    """Return root space's points (AGENTS, P, 3) in the crowd's space, in metres: agents look along -Y."""
    heading = crowd.state.heading.T[:, None] / float(UNIT)
    left = np.stack((-heading[..., 1], heading[..., 0]), axis=-1)
    at = crowd.state.position.T[:, None] / 1e6
    ground = (at[..., 0] + 10) * math.tan(math.radians(degrees))
    return np.concatenate(
        (at - points[..., 1:2] * heading + points[..., :1] * left, points[..., 2:] + ground[..., None]),
        axis=-1,
    )


def above(points: NDArray[np.float64], degrees: float) -> NDArray[np.float64]:
    """Return how high points (..., 3) are above the plane."""
    return points[..., 2] - (points[..., 0] + 10) * math.tan(math.radians(degrees))


@pytest.mark.parametrize("heading", HEADINGS)
@pytest.mark.parametrize("build", [man, dog])
def test_every_point_of_a_flat_sole_lies_on_the_slope_however_it_is_held(build, heading):
    body = build()
    crowd = on_a_plane(20, heading, body)
    # A foot held elsewhere, and turned.
    crowd.state.foot_offset[0], crowd.state.foot_yaw[0] = np.linspace(-40_000, 40_000, AGENTS), RADIAN // 4
    before = body.posed_feet(body.skeleton.rest_to_root[None])
    for was, foot in zip(before, body.posed_feet(stood(crowd, body)), strict=True):
        sole, flat = foot[:, -len(SOLE) :], was[0, -len(SOLE) :]
        assert np.abs(above(placed(crowd, sole, 20), 20)).max() < 1e-3
        # Its own size, and all four corners of it.
        sides = np.linalg.norm(sole - sole[:, :1], axis=2)
        np.testing.assert_allclose(
            sides, np.tile(np.linalg.norm(flat - flat[0], axis=1), (AGENTS, 1)), atol=1e-4
        )


def test_feet_tilt_to_35_degrees_and_no_further():
    body = man()
    crowd = on_a_plane(50, (1.0, 0.0), body)
    for foot in body.posed_feet(stood(crowd, body)):
        along, across = (foot[:, -len(SOLE) + one] - foot[:, -len(SOLE)] for one in (2, 6))
        normal = np.cross(along, across)
        angle = np.arccos(np.abs(normal[:, 2]) / np.linalg.norm(normal, axis=1))
        np.testing.assert_allclose(angle, math.atan(STEEPEST), atol=1e-3)


@pytest.mark.parametrize(("heading", "uphill"), [((1, 0), 20), ((-1, 0), -20), ((0, 1), 0)])
def test_a_body_on_four_legs_leans_as_the_slope_does_and_one_on_two_does_not(heading, uphill):
    for body, ends, leans in ((dog(), ("trunk", "chest"), uphill), (man(), ("hip", "head"), 90)):
        crowd = on_a_plane(20, heading, body)
        heads = stood(crowd, body)[:, :, 3, :3]
        behind, ahead = (heads[:, body.skeleton.index(one)] for one in ends)
        x, y, z = (ahead - behind).T
        np.testing.assert_allclose(np.degrees(np.arctan2(z, -y)), leans, atol=0.1)
        np.testing.assert_allclose(x, 0, atol=1e-4)


@pytest.mark.parametrize("heading", HEADINGS)
@pytest.mark.parametrize("build", [man, dog])
def test_no_point_of_a_body_is_farther_off_than_told(build, heading):
    body = build()
    crowd = on_a_plane(20, heading, body)
    heads = stood(crowd, body)[:, :, 3, :3]
    farthest = np.linalg.norm(heads - body.skeleton.rest_to_root[:, 3, :3], axis=2).max(axis=1)
    feet = ShownFeet.of(crowd.state, crowd.settings)
    told = (feet.body_off + feet.farthest_off) / 1e6
    assert (farthest <= told).all()
    assert (feet.body_off > 0).all()
