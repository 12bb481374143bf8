"""From a crowd's state to poses: every agent's gaits, blended and put in its place."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...core.skinning.joints import Joints
from ...core.skinning.skeleton import Skeleton
from ..controller import Controller
from ..palettes import part_palettes
from ..ramps import Transition
from ..sampled_clips import Heard, SampledClips, heard_of
from ..tracks import Rows
from .fixed_point import CYCLE, FULL, MICROMETRES, UNIT, Indices, Mask
from .gaits import fading, weights
from .settings import IDLE, ROLES, WALK, CrowdSettings
from .state import CrowdState
from .strides import Stride

FEWEST_AT_ONCE, MOST_AT_ONCE = 128, 1024
"""Agents that a `FewPoser` poses at once: an eighth of the crowd. A tenth is usually between two gaits."""


class CrowdPoser:
    """Poses all agents of a crowd, a track for each role.

    clips: what roles play, each once. controller: set to the state that was posed last.
    """

    def __init__(
        self,
        skeleton: Skeleton,
        strides: Sequence[Stride],
        root_to_world: NDArray[np.float64],
        metres_per_unit: float,
        count: int,
    ) -> None:
        """strides: by role. root_to_world: (4, 4), where the strides were read. metres_per_unit: of the world,
        whose unit is that of the crowd's space too.
        """
        self.clips = tuple({one.clip.name: one.clip for one in strides}.values())
        self.controller = Controller(skeleton, self.clips, tracks=len(ROLES), instances=count)
        self._clip_of_role = [self.clips.index(one.clip) for one in strides]
        for role, stride in zip(ROLES, strides, strict=True):
            self.controller.set_track(role, stride.clip.name, speed=0.0)
        self._durations = [one.clip.duration for one in strides]
        self._skeleton, self._strides = skeleton, tuple(strides)
        self._forward = strides[WALK].forward
        self._root_to_world = root_to_world
        self._metres_per_unit = metres_per_unit

    def pose(self, state: CrowdState, settings: CrowdSettings) -> None:
        """Set the controller's tracks to the gaits' phases and weights."""
        states, everybody = self.controller.states, np.arange(state.count)
        for role, weight in zip(ROLES, weights(state, settings) / float(FULL), strict=True):
            states.position[:, role] = self._position(state, role)
            rows = Rows.of(everybody, role).index
            states.weight.set(rows, self.controller.now, weight, 0.0, Transition.LINEAR)

    def _position(self, state: CrowdState, role: int) -> NDArray[np.float64]:
        """Return (N,) every agent's time in a role's clip, in seconds."""
        phase = state.idle_phase if role == IDLE else state.stride_phase
        return phase.astype(np.float64) * (self._durations[role] / CYCLE)

    def heard(self, state: CrowdState, settings: CrowdSettings, sampled: SampledClips) -> Heard:
        """Return what all agents hear, for the GPU to pose them. sampled: of `clips`, in their order."""
        tracks = [(self._clip_of_role[role], self._position(state, role)) for role in ROLES]
        return heard_of(sampled, tracks, weights(state, settings).T, self.places(state))

    def beyond(self, state: CrowdState, settings: CrowdSettings, clips: Mask) -> Mask:
        """Return (N,) whether each agent is between two gaits, or plays one of some clips.

        clips: (C,) which of `clips`.
        """
        weight = weights(state, settings)
        return fading(weight) | ((weight > 0) & clips[self._clip_of_role][:, None]).any(axis=0)

    def places(self, state: CrowdState) -> NDArray[np.float64]:
        """Return (N, 4, 4) from root space to the crowd's space: turned to the heading and moved."""
        ahead, left = self._forward, np.array((-self._forward[1], self._forward[0]))
        heading = state.heading.T / float(UNIT)
        cosine, sine = heading @ ahead, heading @ left
        turn = np.zeros((state.count, 4, 4))
        turn[:, 0, 0] = turn[:, 1, 1] = cosine
        turn[:, 0, 1], turn[:, 1, 0] = sine, -sine
        turn[:, 2, 2] = turn[:, 3, 3] = 1
        turn[:, 3, :2] = state.position.T / (MICROMETRES * self._metres_per_unit)
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
        self.pose(state, settings)
        return part_palettes(self.controller, parts, np.eye(4), outs, places=self.places(state))

    def of_count(self, count: int) -> CrowdPoser:
        """Return a poser of the same character for another number of agents."""
        return CrowdPoser(self._skeleton, self._strides, self._root_to_world, self._metres_per_unit, count)


class FewPoser:
    """Poses some of a crowd's agents, however many there are: those whose clips fade, say."""

    def __init__(self, poser: CrowdPoser) -> None:
        """poser: of the whole crowd."""
        self._at_once = min(max(poser.controller.instances // 8, FEWEST_AT_ONCE), MOST_AT_ONCE)
        self._poser = poser.of_count(self._at_once)

    def palettes(
        self, state: CrowdState, settings: CrowdSettings, parts: Sequence[Joints], who: Indices
    ) -> list[NDArray[np.float32]]:
        """Return the palettes (n, J, 4, 4) of some agents for each mesh; see `CrowdPoser.palettes`."""
        found = [[np.zeros((0, len(joints), 4, 4), dtype=np.float32)] for joints in parts]
        for start in range(0, len(who), self._at_once):
            here = who[start : start + self._at_once]
            # A controller has a fixed number of instances.
            filled = state.of(np.resize(here, self._at_once))
            for every, one in zip(found, self._poser.palettes(filled, settings, parts), strict=True):
                every.append(one[: len(here)])
        return [np.concatenate(every) for every in found]
