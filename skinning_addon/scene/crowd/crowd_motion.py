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
from .character import Character


@dataclass(frozen=True, eq=False)
class CrowdMotion:
    """F frames of N agents. rate: frames a second.

    seconds: (F,). places: (F, N, 4, 4), root space to the crowd's, in units of the scene.
    gaits: (F, N, 3), how much of each role's clip is heard, adding up to 1. phases: (F, N, 2), of standing and
    of strides, from 0 to 1.
    poses: (D, F, N, B), translation, rotation and scale of each bone relative to its parent; None if not kept.
    """

    rate: float
    seconds: NDArray[np.float64]
    places: NDArray[np.float64]
    gaits: NDArray[np.float64]
    phases: NDArray[np.float64]
    poses: LocalPose | None


class MotionRecorder:
    """Notes a crowd's frames. with_poses: every bone of every agent, too."""

    def __init__(self, character: Character, rate: float, *, with_poses: bool) -> None:
        self.poser = character.poser
        self._rate, self._with_poses = rate, with_poses
        self._seconds: list[float] = []
        self._places: list[NDArray[np.float64]] = []
        self._gaits: list[NDArray[np.float64]] = []
        self._phases: list[NDArray[np.float64]] = []
        self._poses: list[LocalPose] = []

    def note(self, crowd: Crowd) -> None:
        """Note the crowd as it is now."""
        state, settings = crowd.state, crowd.settings
        self._seconds.append(state.step / STEPS_PER_SECOND)
        self._places.append(self.poser.places(state))
        self._gaits.append(weights(state, settings).T / float(FULL))
        self._phases.append(np.stack((state.idle_phase, state.stride_phase), axis=1) / CYCLE)
        if self._with_poses:
            self._poses.append(self.poser.poses(state, settings).pose(0, state.count))

    def motion(self) -> CrowdMotion:
        """Return all that was noted."""
        poses = None
        if self._poses:
            kinds = ("translation", "rotation", "scale")
            poses = LocalPose(
                *(np.stack([one.component(kind) for one in self._poses], axis=1) for kind in kinds)
            )
        return CrowdMotion(
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
