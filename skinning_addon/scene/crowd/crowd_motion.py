"""What a crowd did, frame by frame, for writing it into scenes and files."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...animation.crowd.crowd import Crowd
from ...animation.crowd.fixed_point import CYCLE, FULL, STEPS_PER_SECOND
from ...animation.crowd.gaits import weights
from ...animation.crowd.kinds import IDLE
from ...animation.local_pose import LocalPose
from .variants import Troupe


@dataclass(frozen=True, eq=False)
class CrowdMotion:
    """F frames of the N agents of one character. rate: frames a second.

    agents: (N,), their numbers in the crowd. kinds: (N,), of the crowd's kinds. seconds: (F,).
    places: (F, N, 4, 4), root space to the crowd's, in units of the scene.
    gaits: (F, N, 3), how much of each role's clip is heard, adding up to 1. phases: (F, N, 2), of standing and
    of strides, from 0 to 1.
    poses: (D, F, N, B), translation, rotation and scale of each bone relative to its parent; None if not kept.
    """

    troupe: Troupe
    agents: NDArray[np.intp]
    kinds: NDArray[np.int64]
    rate: float
    seconds: NDArray[np.float64]
    places: NDArray[np.float64]
    gaits: NDArray[np.float64]
    phases: NDArray[np.float64]
    poses: LocalPose | None


class MotionRecorder:
    """Notes the frames of a crowd's agents who are one character. with_poses: every bone of each, too."""

    def __init__(self, troupe: Troupe, rate: float, *, with_poses: bool) -> None:
        self._troupe = troupe
        self._rate, self._with_poses = rate, with_poses
        self._agents = np.empty(0, dtype=np.intp)
        self._kinds = np.empty(0, dtype=np.int64)
        self._seconds: list[float] = []
        self._places: list[NDArray[np.float64]] = []
        self._gaits: list[NDArray[np.float64]] = []
        self._phases: list[NDArray[np.float64]] = []
        self._poses: list[LocalPose] = []

    def note(self, crowd: Crowd) -> None:
        """Note the crowd as it is now; its agents have to be those of the first time."""
        self._agents = self._troupe.members(crowd.state)
        state, settings = crowd.state.of(self._agents), crowd.settings
        self._kinds = state.cast.kind
        poser = self._troupe.character.poser
        self._seconds.append(state.step / STEPS_PER_SECOND)
        self._places.append(poser.places(state))
        self._gaits.append(weights(state, settings).T / float(FULL))
        self._phases.append(np.stack((state.idle_phase, state.stride_phase), axis=1) / CYCLE)
        if self._with_poses:
            self._poses.append(poser.poses(state, settings).pose(0, state.count))

    def motion(self) -> CrowdMotion:
        """Return all that was noted."""
        poses = None
        if self._poses:
            kinds = ("translation", "rotation", "scale")
            poses = LocalPose(
                *(np.stack([one.component(kind) for one in self._poses], axis=1) for kind in kinds)
            )
        return CrowdMotion(
            self._troupe,
            self._agents,
            self._kinds,
            self._rate,
            np.array(self._seconds),
            np.array(self._places),
            np.array(self._gaits),
            np.array(self._phases),
            poses,
        )


def role_heard(motion: CrowdMotion) -> NDArray[np.intp]:
    """Return the role (F, N) that is heard most."""
    return motion.gaits.argmax(axis=2)


def phase_heard(motion: CrowdMotion) -> NDArray[np.float64]:
    """Return the phase (F, N) of the role that is heard most."""
    return np.where(role_heard(motion) == IDLE, motion.phases[..., 0], motion.phases[..., 1])
