"""Finishing a clip after reading: extracting root motion, and dropping keys that make no visible difference."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np

from ...animation.bone_boxes import BoneBoxes
from ...animation.clip import Clip
from ...animation.reduction import Reduction, reduce_clip
from ...animation.root_motion import RootMotion, RootMotionSettings, extract_root_motion
from ...core.skinning.skeleton import Skeleton
from ...core.text.errors import ClipError
from ...core.verdicts.tolerance import Tolerance
from ..matrices import row_vectors


@dataclass(frozen=True, eq=False)
class FinishedClip:
    """A clip, its extracted root motion, and the effect of dropping keys; None for what wasn't requested."""

    clip: Clip
    root_motion: RootMotion | None
    reduction: Reduction | None


@dataclass(frozen=True, eq=False)
class ClipFinishing:
    """Settings for finishing clips.

    up: root space's vertical axis. metres_per_unit: of root space, along the most scaled axis.
    """

    skeleton: Skeleton
    boxes: BoneBoxes
    up: int
    metres_per_unit: float

    @classmethod
    def of(
        cls, scene: bpy.types.Scene, armature: bpy.types.Object, skeleton: Skeleton, boxes: BoneBoxes
    ) -> ClipFinishing:
        """Derive the settings from an armature's transform in its scene."""
        root_to_world = row_vectors(armature.matrix_world)
        # The tolerance must hold in whichever direction a vertex moves.
        scale = np.linalg.norm(root_to_world[:3, :3], ord=2)
        up = int(np.abs(root_to_world[:3, 2]).argmax())
        return cls(skeleton, boxes, up, float(scale) * scene.unit_settings.scale_length)

    def finish(
        self, clip: Clip, reduction: Tolerance | None, root_motion: RootMotionSettings | None
    ) -> FinishedClip:
        """Finish a clip.

        reduction: how far any vertex may move, as a length or a share of the character's size.

        Raises:
            ClipError: there is no bone to extract root motion from, or the armature is scaled to zero, so that
            lengths can't be converted.
        """
        way = reduced = None
        if root_motion is not None:
            clip, way = extract_root_motion(clip, self.skeleton, root_motion, self.boxes, self.up)
        if reduction is not None:
            reduced = reduce_clip(clip, self.skeleton, self.boxes, self._in_root_space(reduction))
            clip = reduced.clip
        return FinishedClip(clip, way, reduced)

    def _in_root_space(self, tolerance: Tolerance) -> float:
        if tolerance.relative:
            return tolerance.value * self.boxes.size
        if self.metres_per_unit == 0:
            raise ClipError(
                "The armature is scaled to zero, so a length can't be converted to its units; give a share "
                "such as 0.1%."
            )
        return tolerance.value / self.metres_per_unit
