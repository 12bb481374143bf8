"""Characters with more than four feet: a spider made here holds all eight. Where its feet come to be is computed
from the poses that are shown, without the code that holds them.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from skinning_addon.animation.clip import Clip, dense_clip
from skinning_addon.animation.crowd.crowd import Crowd
from skinning_addon.animation.crowd.feet import Body
from skinning_addon.animation.crowd.fixed_point import CYCLE, FULL, MICROMETRES, UNIT
from skinning_addon.animation.crowd.foot_tracks import foot_tracks
from skinning_addon.animation.crowd.gaits import weights
from skinning_addon.animation.crowd.held_feet import STEP_LASTS
from skinning_addon.animation.crowd.kinds import IDLE, WALK, Kind
from skinning_addon.animation.crowd.posing import CrowdPoser
from skinning_addon.animation.crowd.recording_file import read_recording, recording_arrays
from skinning_addon.animation.crowd.settings import CrowdSettings
from skinning_addon.animation.crowd.state import Mode
from skinning_addon.animation.crowd.strides import Stride, read_stride
from skinning_addon.animation.local_pose import LocalPose, compose
from skinning_addon.core.skinning.skeleton import Skeleton
from tests.animation.crowd import walkers

FEET = 8
FORWARD = np.array((0.0, -1.0))
STRIDE, LIFT = 0.4, 0.05
FRAMES = 121
AGENTS = 8

LEGS = [(side, 0.3 - 0.2 * row, (row + (side > 0)) % 2 / 2) for row in range(4) for side in (1, -1)]
"""Of each its side, its place along Y, and when its foot comes down: those beside each other and those behind
one another in turn.
"""
NAMES = ("thorax", *(f"{part}.{leg}" for leg in range(FEET) for part in ("femur", "tibia", "foot")))
PARENTS = np.array([-1, *(one for leg in range(FEET) for one in (0, 3 * leg + 1, 3 * leg + 2))])
HEADS = np.array([
    (0, 0, 0.4),
    *((side * out, y, z) for side, y, _ in LEGS for out, z in ((0.1, 0.4), (0.35, 0.5), (0.6, 0.0))),
])  # fmt: skip
FOOT_BONES = [bone for bone, name in enumerate(NAMES) if name.startswith("foot")]


def spider() -> Body:
    rest = np.tile(np.eye(4), (len(NAMES), 1, 1))
    rest[:, 3, :3] = HEADS
    return Body.of(Skeleton(NAMES, PARENTS, rest), np.eye(4))


def clip(name: str, seconds: float, stride: float) -> Clip:
    """In place; each foot goes back evenly while it is planted, as `walkers` has it."""
    share = np.linspace(0, 1, FRAMES)
    local = HEADS - np.where(PARENTS[:, None] >= 0, HEADS[PARENTS], 0)
    translation = np.repeat(local.T[:, None], FRAMES, axis=1)
    for bone, (_, _, down) in zip(FOOT_BONES, LEGS, strict=True):
        if stride:
            along, height = walkers.foot_way(share - down)
            translation[1, :, bone] -= along * stride / walkers.STRIDE
            translation[2, :, bone] += height * LIFT / 0.25
    rotation = np.zeros((4, FRAMES, len(NAMES)))
    rotation[0] = 1
    pose = LocalPose(translation, rotation, np.ones_like(translation))
    return dense_clip(name, NAMES, share * seconds * 24, pose)


@pytest.fixture(scope="module")
def strides() -> tuple[Stride, Stride, Stride]:
    clips = clip("stand", 1.0, 0.0), clip("walk", 0.8, STRIDE), clip("run", 0.5, 1.5 * STRIDE)
    idle, walk, run = (read_stride(one, spider()) for one in clips)
    return idle, walk, run


def spiders(strides: tuple[Stride, Stride, Stride]) -> Crowd:
    body = spider()
    idle, walk, run = (one.gait(1.0, foot_tracks(one, body, FORWARD, 1.0)) for one in strides)
    kind = Kind((idle, walk, run), 700_000, height=round(body.height * MICROMETRES))
    # Turning faster, its outermost feet would be out of their legs' reach before it is their turn to step.
    return Crowd.populated(CrowdSettings(3, (kind,), turn_rate=90.0, idle=60), AGENTS, (14.0, 14.0))


def feet_of(crowd: Crowd, poser: CrowdPoser) -> NDArray[np.float64]:
    """Return where feet are on the ground in the crowd's space (AGENTS, FEET, 2), in metres."""
    to_root = spider().skeleton.to_root(compose(poser.poses(crowd.state, crowd.settings).pose(0, AGENTS)))
    x, y = to_root[:, FOOT_BONES, 3, :2].transpose(2, 0, 1)[..., None]
    heading = crowd.state.heading.T[:, None] / float(UNIT)
    left = np.stack((-heading[..., 1], heading[..., 0]), axis=-1)
    return crowd.state.position.T[:, None] / 1e6 - y * heading + x * left


def test_all_feet_are_followed_and_kept(strides: tuple[Stride, Stride, Stride]):
    crowd = spiders(strides)
    assert [len(one.feet) for one in crowd.settings.kinds[0].gaits] == [FEET] * 3
    assert crowd.state.foot_offset.shape == (2 * FEET, AGENTS)
    assert len(crowd.state.foot_yaw) == len(crowd.state.foot_step) == FEET


def test_none_of_eight_planted_feet_slides(strides: tuple[Stride, Stride, Stride]):
    """In every step: those of standing and turning spiders that are in no step of their own, and those of going
    ones whose gait has them on the ground.
    """
    crowd, poser = spiders(strides), CrowdPoser(spider(), strides, 1.0)
    stood, most = np.zeros(AGENTS, dtype=np.int64), 0
    stepped, walked, before, last = (
        np.zeros(FEET, dtype=np.int64),
        0,
        feet_of(crowd, poser),
        crowd.state.copy(),
    )
    downs = np.array([down for _, _, down in LEGS])
    first = crowd.settings.kinds[0].gaits[WALK].contacts[0]
    begins = downs[[NAMES[bone] for bone in FOOT_BONES].index(first.name)]
    for _ in range(1200):
        crowd.advance(1 / 120)
        state, after = crowd.state, feet_of(crowd, poser)
        heard = weights(state, crowd.settings), weights(last, crowd.settings)
        still = np.min([one[IDLE] for one in heard], axis=0) == FULL
        # Whoever goes straight ahead, with feet as the clip has them.
        goes = np.min([one[WALK] for one in heard], axis=0) == FULL
        goes &= (np.abs(state.heading - last.heading).max(axis=0) < 1e-6 * UNIT) & (state.mode == Mode.MOVING)
        goes &= ~state.foot_offset.any(axis=0) & ~state.foot_step.any(axis=0) & ~last.foot_offset.any(axis=0)
        since = (last.stride_phase / CYCLE + begins - downs[:, None]) % 1
        planted = still & (state.foot_step == 0) & (last.foot_step == 0)
        planted |= goes & (since > 0.04) & (since < walkers.DUTY - 0.06)
        slid = np.linalg.norm(after - before, axis=2).T
        assert slid[planted].max(initial=0.0) < 5e-4
        lifted = (state.foot_step > 0).sum(axis=0)
        stood = np.where(still & (state.role == IDLE), stood + 1, 0)
        most = max(most, int(lifted[stood > STEP_LASTS + 1].max(initial=0)))
        stepped += ((state.foot_step == 2) & still).sum(axis=1)
        walked += int(goes.sum())
        before, last = after, state.copy()
    # On the spot they step with every foot, and stand on half of them at least.
    assert (stepped > 0).all()
    assert 0 < most <= FEET // 2
    assert walked > 200


def test_a_recording_brings_eight_feet_back(strides: tuple[Stride, Stride, Stride], tmp_path):
    crowd = spiders(strides)
    crowd.advance(6)
    assert crowd.state.foot_offset[FEET // 2 : FEET].any()
    np.savez(tmp_path / "crowd.npz", **recording_arrays(crowd))
    again = read_recording(tmp_path / "crowd.npz")
    assert again.state.digest() == crowd.state.digest()
