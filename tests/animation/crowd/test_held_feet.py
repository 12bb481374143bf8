"""Planted feet stay where they are: places are computed here, from the tracks in closed form and the state."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from skinning_addon.animation.crowd.crowd import Crowd
from skinning_addon.animation.crowd.feet import Body
from skinning_addon.animation.crowd.fixed_point import FULL, SCALE, UNIT
from skinning_addon.animation.crowd.gaits import weights
from skinning_addon.animation.crowd.held_feet import RADIAN, STEP_LASTS
from skinning_addon.animation.crowd.kinds import IDLE, ROOM_FOR_FEET, STANDS, SWINGS, TOUCHES, FootTrack
from skinning_addon.animation.crowd.settings import CrowdSettings
from skinning_addon.animation.crowd.shown_feet import RAISED, ShownFeet
from skinning_addon.animation.crowd.standing_legs import StandingLegs
from skinning_addon.animation.crowd.state import CrowdState, Mode
from skinning_addon.animation.crowd.terrain import ground_of
from skinning_addon.animation.local_pose import compose, decompose
from tests.animation.crowd.crowds import APART, TALL, walking_kind
from tests.animation.crowd.test_ground import HALF, NOTHING, rectangle, walker
from tests.animation.crowd.test_planting import NAMES, body

MILLIMETRE = 1000
FEET = 2


def walkers(count: int, seed: int = 2, **others: object) -> Crowd:
    return Crowd.populated(CrowdSettings(seed, (walking_kind(),), **others), count, (20.0, 20.0))


def standing_places(state: CrowdState) -> NDArray[np.float64]:
    """Where the feet of standing agents are, (2, F, N) in micrometres: beside the middle, and what they are off."""
    cosine, sine = state.heading / float(UNIT)
    sides = np.array((APART, -APART))[:, None]
    beside = np.stack((-sine * sides, cosine * sides))
    offset = state.foot_offset.reshape(2, ROOM_FOR_FEET, -1)[:, :FEET]
    return state.position[:, None] + beside + offset


def _angles(before: NDArray[np.int64], after: NDArray[np.int64]) -> NDArray[np.float64]:
    """The angles between headings (2, N), in radians."""
    (a, b), (c, d) = before / float(UNIT), after / float(UNIT)
    return np.abs(np.arctan2(a * d - b * c, a * c + b * d))


def test_who_turns_on_the_spot_steps_and_drags_no_foot():
    one = walkers(40)
    settings, steps, turned = one.settings, 0, 0.0
    stood = np.zeros(40, dtype=np.int64)
    before = one.state.copy()
    for _ in range(1500):
        one.advance(1 / 120)
        state = one.state
        stands = (weights(state, settings)[IDLE] == FULL) & (weights(before, settings)[IDLE] == FULL)
        down = (state.foot_step == 0) & (before.foot_step == 0)
        went = np.hypot(*(standing_places(state) - standing_places(before)))
        assert went[down[:FEET] & stands].max(initial=0.0) < 0.2 * MILLIMETRE
        lifted = (state.foot_step[:FEET] > 0).sum(axis=0)
        stood = np.where(stands & (state.role == IDLE), stood + 1, 0)
        # Whoever has just stopped, or begins to go, may have both in the air for a moment.
        assert (lifted[stood > STEP_LASTS + 1] < FEET).all()
        turns = stands & (state.mode == Mode.TURNING)
        turned += float(_angles(before.heading, state.heading)[turns].sum())
        steps += int(((state.foot_step[:FEET] == 2) & turns).sum())
        before = state.copy()
    assert turned > np.pi
    assert steps > 10


def test_feet_come_home_once_an_agent_stands():
    one = walkers(40, idle=10_000)
    one.advance(4)
    one.state.foot_offset[0] = np.linspace(-60, 60, 40).astype(np.int64) * MILLIMETRE
    one.state.foot_offset[2:ROOM_FOR_FEET] = 0
    one.state.foot_yaw[0] = RADIAN // 4
    one.advance(3)
    stood = (one.state.mode == Mode.IDLING) & (one.state.timer >= 360)
    assert stood.sum() > 20
    assert np.abs(one.state.foot_offset[:, stood]).max() <= TALL / 600 + 1
    assert np.abs(one.state.foot_yaw[:, stood]).max() <= RADIAN // 50
    assert not one.state.foot_step[:, stood].any()


def test_who_goes_straight_ahead_has_feet_as_the_clip_has_them():
    """Most of the time: those who were pushed or have just turned put their feet right with the next step."""
    one = walkers(12)
    held = going = 0
    for _ in range(240):
        one.advance(1 / 12)
        state = one.state
        moving = (state.mode == Mode.MOVING) & (weights(state, one.settings)[IDLE] == 0)
        going += int(moving.sum())
        held += int((moving & ShownFeet.of(state, one.settings).held).sum())
    assert going > 300
    assert held < 0.25 * going


def test_alone_and_straight_ahead_feet_are_soon_as_the_clip_has_them_however_large_an_agent_is():
    """Its feet come down as fast as it goes: if one were still held by a hair, it would be held anew there."""
    kind = walking_kind()
    idle, walk, run = kind.gaits
    feet: list[FootTrack] = []
    for one in walk.feet:
        stands = np.array(one.contact) == STANDS
        contact = np.where(stands, STANDS, np.where(np.roll(stands, -4), TOUCHES, SWINGS))
        feet.append(replace(one, contact=tuple(contact.tolist())))
    gaits = idle, replace(walk, feet=tuple(feet)), run
    large = replace(kind, gaits=gaits, smallest=10 * SCALE, largest=10 * SCALE)
    one = Crowd.populated(CrowdSettings(4, (large,), run_share=0), 1, (400.0, 400.0))
    straight = 0
    for _ in range(600):
        one.advance(1 / 12)
        if one.state.mode[0] == Mode.MOVING and one.state.timer[0] > 300:
            straight += 1
            assert not one.state.foot_offset.any()
    assert straight > 100


def test_a_kind_without_a_height_holds_nothing():
    kind = walking_kind()
    one = Crowd.populated(CrowdSettings(2, (type(kind)(kind.gaits, kind.radius),)), 20, (20.0, 20.0))
    one.advance(8)
    assert not one.state.foot_offset.any()
    assert not ShownFeet.of(one.state, one.settings).held.any()


@pytest.mark.parametrize(("step", "raised"), [(0, 0.0), (STEP_LASTS // 2, RAISED)])
def test_legs_put_feet_where_they_are_held_and_stretch_nothing(step: int, raised: float):
    man = body()
    legs = StandingLegs(man, np.array((0.0, -1.0)), 1.0)
    one = Crowd.populated(CrowdSettings(1, (stands_as(man),)), 5, (20.0, 20.0))
    state = one.state
    state.heading[:] = np.array([[UNIT], [0]])
    # All look along X. The left foot is held ahead and to the right, and turned.
    state.foot_offset[0], state.foot_offset[ROOM_FOR_FEET] = 50 * MILLIMETRE, -20 * MILLIMETRE
    state.foot_yaw[0], state.foot_step[0] = RADIAN // 5, step
    rest = man.skeleton.rest_to_root
    to_parent, _ = man.skeleton.to_parent(np.tile(rest, (5, 1, 1, 1)))
    pose = decompose(to_parent).pose
    legs.stand(pose, np.arange(5), ShownFeet.of(state, one.settings))
    to_root = man.skeleton.to_root(compose(pose))
    before, after = rest[:, 3, :3], to_root[:, :, 3, :3]
    foot, toe = (NAMES.index(name) for name in ("foot.L", "toe.L"))
    # Looking along -Y, ahead is -Y and left is +X. The toe alone touches the ground.
    np.testing.assert_allclose(
        after[:, toe] - before[toe], [(-0.02, -0.05, raised * man.height)] * 5, atol=1e-3
    )
    along = (after[:, toe] - after[:, foot])[:, :2]
    angle = np.arctan2(along[:, 1], along[:, 0]) - np.arctan2(*(before[toe] - before[foot])[1::-1])
    np.testing.assert_allclose(angle, 0.2, atol=1e-3)
    for name in ("hip", "thigh.R", "shin.R", "foot.R", "head"):
        bone = NAMES.index(name)
        np.testing.assert_allclose(after[:, bone], np.tile(before[bone], (5, 1)), atol=1e-3)


@pytest.mark.parametrize("heading", [(1, 0), (-1, 0), (0, 1)])
def test_on_a_slope_feet_are_as_high_as_the_ground_and_the_body_goes_down_with_the_lowest(heading):
    man, slope = body(), math.tan(math.radians(20))
    ground = ground_of(rectangle((-10, -10), (10, 10), 0.0, 20 * slope), NOTHING, HALF, walker())
    one = Crowd.populated(CrowdSettings(1, (stands_as(man),)), 5, (18.0, 18.0), ground)
    one.state.heading[:] = np.array(heading)[:, None] * UNIT
    rest = man.skeleton.rest_to_root
    to_parent, _ = man.skeleton.to_parent(np.tile(rest, (5, 1, 1, 1)))
    legs = StandingLegs(man, np.array((0.0, -1.0)), 1.0)
    pose = decompose(to_parent).pose
    legs.stand(pose, np.arange(5), ShownFeet.of(one.state, one.settings))
    heads = man.skeleton.to_root(compose(pose))[:, :, 3, :3]
    assert ShownFeet.of(one.state, one.settings).held.all()
    ahead, left = np.array(heading), np.array((-heading[1], heading[0]))
    # The toe touches the ground, and the foot of the other leg, which has none.
    rises = []
    for name in ("toe.L", "foot.R"):
        place, was = heads[:, NAMES.index(name)], rest[NAMES.index(name), 3, :3]
        seen = -place[:, 1:2] * ahead + place[:, :1] * left
        rises.append(seen[:, 0] * slope)
        np.testing.assert_allclose(place[:, 2] - was[2], rises[-1], atol=2e-3)
        np.testing.assert_allclose(place[:, :2], np.tile(was[:2], (5, 1)), atol=2e-3)
    lowest = np.minimum(np.min(rises, axis=0), 0)
    for name in ("hip", "head"):
        bone = NAMES.index(name)
        np.testing.assert_allclose(heads[:, bone], rest[bone, 3, :3] + lowest[:, None] * (0, 0, 1), atol=2e-3)


def stands_as(man: Body):
    """A kind whose soles are where the body's are at rest, looking along -Y."""
    kind = walking_kind()
    (track, *_) = kind.gaits[IDLE].feet
    middles = [points[0, :, :2].mean(axis=0) for points in man.posed_feet(man.skeleton.rest_to_root[None])]
    feet = tuple(
        FootTrack((round(-1e6 * y),) * 64, (round(1e6 * x),) * 64, track.contact) for x, y in middles
    )
    gaits = tuple(type(one)(one.clip, one.duration, one.stride, one.contacts, feet) for one in kind.gaits)
    return type(kind)(gaits, kind.radius, height=TALL)
