"""What of a pose can't be reproduced: known only once the pose is there."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..core.binding import Binding, Reason
from ..core.message import Message
from ..core.palette import Blend
from ..core.volume_palette import collapsed_joints
from .frame_reader import Frame


def reasons_of_pose(binding: Binding, frame: Frame) -> Iterator[Reason]:
    """Name the bones that are posed onto a line where Preserve Volume needs their rotation."""
    for one, posed in zip(frame.chain, frame.passes, strict=True):
        if posed.blend is not Blend.VOLUME:
            continue
        bones = posed.joints.bone[collapsed_joints(posed.joints, posed.pose)]
        for bone in np.unique(bones[bones >= 0]):
            yield Reason(
                "collapsed-bone",
                Message(
                    "'{bone}' of '{armature}' collapses to a line in a pose, so its rotation, and with it what Preserve Volume makes "
                    "of '{mesh}' there, is a matter of rounding; mend its constraints or scale, or switch Preserve Volume off.",
                    bone=binding.skeletons[one.armature].names[bone],
                    armature=one.armature,
                    mesh=binding.mesh_object,
                ),
            )
