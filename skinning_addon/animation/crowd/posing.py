"""From a crowd's state to poses: every agent's gaits, blended and put in its place."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ...core.skinning.joints import Joints
from ..bone_boxes import BoneBoxes
from ..local_pose import rest_pose
from ..mixing import Contribution, Mixer
from ..palettes import part_palettes
from ..rotations import RotationBlend
from ..sampled_clips import Heard, SampledClips, fade_deviation, heard_of
from ..sampling import ClipSampler
from .feet import Body
from .fixed_point import CYCLE, FULL, MICROMETRES, SCALE, UNIT, Floats, Integers
from .gaits import fading, weights
from .kinds import IDLE, ROLES, WALK
from .settings import CrowdSettings
from .shown_feet import ShownFeet
from .standing import StandingPoses
from .standing_legs import StandingLegs
from .state import CrowdState
from .strides import Stride

FADES_BETWEEN = 1.1
"""Fades are looked at at some times and weights; elsewhere vertices may be off by so many times as much."""


def heights(state: CrowdState) -> Floats:
    """Return (N,) how high everybody stands, in micrometres."""
    return np.zeros(state.count) if state.ground is None else state.ground.heights_at(state.position)


class CrowdPoser:
    """Poses all agents of a crowd, a track for each role.

    clips: what roles play, each once.
    """

    def __init__(
        self,
        body: Body,
        strides: Sequence[Stride],
        metres_per_unit: float,
    ) -> None:
        """strides: by role, read off the body. metres_per_unit: of its world, whose unit is that of the crowd's
        space too.
        """
        skeleton = body.skeleton
        self.clips = tuple({one.clip.name: one.clip for one in strides}.values())
        self._skeleton, self._rest = skeleton, rest_pose(skeleton)
        self._samplers = tuple(ClipSampler(clip, skeleton) for clip in self.clips)
        self._clip_of_role = [self.clips.index(one.clip) for one in strides]
        self._durations = [one.clip.duration for one in strides]
        self._forward = strides[WALK].forward
        self._root_to_world = body.root_to_world
        self._metres_per_unit = metres_per_unit
        # Of the world, in a unit of root space, at least.
        self._least = float(np.linalg.svd(body.root_to_world[:3, :3], compute_uv=False).min())
        self._legs = StandingLegs(body, self._forward, metres_per_unit, self.clips)

    def mixer(self, state: CrowdState, settings: CrowdSettings) -> Mixer:
        """Mix what an animation controller with a track for each role would play; its keyed cross-fades are
        the state's (`gaits`).
        """
        heard = [
            self._contribution(state, role, weight)
            for role, weight in zip(ROLES, weights(state, settings), strict=True)
        ]
        return Mixer(heard, np.ones(state.count), self._samplers, self._rest, RotationBlend.NLERP)

    def poses(self, state: CrowdState, settings: CrowdSettings) -> StandingPoses:
        """Return what is shown: what the controller would play, with feet where agents hold them."""
        return StandingPoses(self.mixer(state, settings), self._legs, ShownFeet.of(state, settings))

    def _contribution(self, state: CrowdState, role: int, weight: Integers) -> Contribution:
        (who,) = np.nonzero(weight > 0)
        return Contribution(
            who,
            np.full(len(who), self._clip_of_role[role], dtype=np.int32),
            self._position(state, role)[who],
            (weight[who, None] / float(FULL)).astype(np.float32),
            np.zeros(len(who), dtype=np.bool_),
            additive=False,
        )

    def _position(self, state: CrowdState, role: int) -> NDArray[np.float64]:
        """Return (N,) every agent's time in a role's clip, in seconds."""
        phase = state.idle_phase if role == IDLE else state.stride_phase
        return phase.astype(np.float64) * (self._durations[role] / CYCLE)

    def heard(self, state: CrowdState, settings: CrowdSettings, sampled: SampledClips) -> Heard:
        """Return what all agents hear, for the GPU to pose them. sampled: of `clips`, in their order."""
        tracks = [(self._clip_of_role[role], self._position(state, role)) for role in ROLES]
        return heard_of(sampled, tracks, weights(state, settings).T, self.places(state))

    def fade_deviations(self, boxes: BoneBoxes) -> Floats:
        """Return how far (3, 3) any vertex is off while two roles' clips fade and the GPU blends matrices, in
        units of root space.
        """
        result = np.zeros((len(ROLES), len(ROLES)))
        for one, other in combinations(ROLES, 2):
            first, second = (self.clips[self._clip_of_role[role]] for role in (one, other))
            # Walking and running, agents are at the same share of both.
            matched = one != IDLE
            if not (matched and first is second):
                off = fade_deviation(self._skeleton, first, second, boxes, matched=matched)
                result[one, other] = result[other, one] = FADES_BETWEEN * off
        return result

    def deviation(self, state: CrowdState, settings: CrowdSettings, clips: Floats, fades: Floats) -> Floats:
        """Return how far (N,) off each agent is at most if it is sampled: as far as its clips and their fade
        are. A foot that it holds is off by all of that.

        clips: (C,) of `clips`; fades: (3, 3) by role, `fade_deviations`; in units of root space, as the result.
        """
        weight = weights(state, settings)
        heard = weight > 0
        worst = np.where(heard, clips[self._clip_of_role][:, None], 0.0).max(axis=0)
        for one, other in combinations(ROLES, 2):
            worst += np.where(heard[one] & heard[other], fades[one, other], 0.0)
        shown = ShownFeet.of(state, settings)
        moved = (shown.farthest_off + shown.body_off) / (MICROMETRES * self._metres_per_unit * self._least)
        return np.where(fading(weight), worst + moved, np.maximum(worst, moved))

    def middles(self, state: CrowdState, middle: Floats) -> Floats:
        """Return where (N, 3) a point of root space is in the crowd's space, `places` without the matrices."""
        cosine, sine = self._turned(state)
        x, y, z = (np.append(middle, 1.0) @ self._root_to_world)[:3]
        to_units = MICROMETRES * self._metres_per_unit
        result = np.empty((state.count, 3))
        result[:, 0] = x * cosine - y * sine + state.position[0] / to_units
        result[:, 1] = x * sine + y * cosine + state.position[1] / to_units
        result[:, 2] = z * state.cast.scale / SCALE + heights(state) / to_units
        return result

    def _turned(self, state: CrowdState) -> tuple[Floats, Floats]:
        """Return the cosine and the sine (N,) of how far agents are turned about Z, times their sizes."""
        ahead, left = self._forward, np.array((-self._forward[1], self._forward[0]))
        heading = state.heading.T / float(UNIT)
        scale = state.cast.scale / float(SCALE)
        return heading @ ahead * scale, heading @ left * scale

    def places(self, state: CrowdState) -> NDArray[np.float64]:
        """Return (N, 4, 4) from root space to the crowd's space: scaled, turned to the heading and moved."""
        cosine, sine = self._turned(state)
        turn = np.zeros((state.count, 4, 4))
        turn[:, 0, 0] = turn[:, 1, 1] = cosine
        turn[:, 0, 1], turn[:, 1, 0] = sine, -sine
        turn[:, 2, 2], turn[:, 3, 3] = state.cast.scale / float(SCALE), 1
        turn[:, 3, :2] = state.position.T / (MICROMETRES * self._metres_per_unit)
        turn[:, 3, 2] = heights(state) / (MICROMETRES * self._metres_per_unit)
        return self._root_to_world @ turn

    def palettes(
        self,
        state: CrowdState,
        settings: CrowdSettings,
        parts: Sequence[Joints],
        outs: Sequence[NDArray[np.float32]] | None = None,
    ) -> list[NDArray[np.float32]]:
        """Return the palettes (N, J, 4, 4) of all agents for each mesh, mesh space to the crowd's space.

        parts: the meshes' joints. outs: the result of an earlier call, to be overwritten.
        """
        poses, places = self.poses(state, settings), self.places(state)
        return part_palettes(poses, self._skeleton, parts, np.eye(4), outs, places=places)
