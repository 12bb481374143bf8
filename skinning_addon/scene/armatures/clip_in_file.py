"""A clip as an FBX file plays it: with fewer keys than frames.

Which keys the exporter leaves out depends on the whole clip, so all of it is recorded before its first frame is
measured.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ...core.profiles.export_options import FbxOptions
from ...core.profiles.fbx_curves import FbxClip, sampled_frames
from ...core.skinning.skeleton import Skeleton


class ClipInFile:
    """Armatures' poses at every frame that the exporter samples. Keeps no Blender object.

    frames: (F,), in the clip's time, to be recorded in this order.
    """

    def __init__(
        self,
        start: float,
        end: float,
        options: FbxOptions,
        shown: Mapping[str, NDArray[np.float64]] | None = None,
    ) -> None:
        """shown: the poses (B, 4, 4) that the scene shows during the export, by armature."""
        self.frames = sampled_frames(start, end, options.step)
        self._simplify = options.simplify_factor
        self._rows: defaultdict[str, list[NDArray[np.float32]]] = defaultdict(list)
        self._clips: dict[str, FbxClip] = {}
        self._shown = shown or {}

    def record(self, armature: str, to_root: NDArray[np.float64]) -> None:
        """Add an armature's pose (B, 4, 4) at the next frame."""
        # What Blender stores; half the memory.
        self._rows[armature].append(to_root.astype(np.float32))

    def local(
        self, armature: str, skeleton: Skeleton, frames: float | Sequence[float]
    ) -> NDArray[np.float64] | None:
        """Return the local matrices (..., B, 4, 4) that play at some frames; None for an armature that was not
        recorded.
        """
        if armature not in self._rows:
            return None
        if armature not in self._clips:
            poses = np.array(self._rows[armature], dtype=np.float64)
            self._clips[armature] = FbxClip.of(
                skeleton, poses, self.frames, self._simplify, shown=self._shown.get(armature)
            )
        return self._clips[armature].local(frames)


ClipsInFiles = Mapping[FbxOptions | None, ClipInFile]
"""A clip by the options that leave out keys of it."""
