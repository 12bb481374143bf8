"""Poses of a crowd's agents with feet where they are held, and on the ground as high as it is there."""

from __future__ import annotations

import numpy as np

from ..local_pose import LocalPose
from ..mixing import Mixer
from .shown_feet import ShownFeet
from .standing_legs import StandingLegs


class StandingPoses:
    """Poses of a character's agents, with feet where agents hold them."""

    def __init__(self, mixer: Mixer, legs: StandingLegs, feet: ShownFeet) -> None:
        """mixer, feet: of the same agents."""
        self._mixer, self._legs, self._feet = mixer, legs, feet
        (self._who,) = np.nonzero(feet.held)

    @property
    def instances(self) -> int:
        """How many agents there are."""
        return self._mixer.instances

    def pose(self, first: int, end: int) -> LocalPose:
        """Return the pose of the agents from `first` up to `end`, as (D, N, B)."""
        pose = self._mixer.pose(first, end)
        (which,) = np.nonzero((self._who >= first) & (self._who < end))
        if which.size:
            self._legs.stand(pose, self._who[which] - first, self._feet.only(which))
        return pose
