"""Reading one clip as an exported file holds it, and as the file's engine samples it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...animation.fitting import Fit, fit_hierarchy
from ...core.profiles.export_options import GltfOptions
from ...core.profiles.gltf_keys import GltfMoment
from ...core.profiles.profile import Profile
from ..armatures.profiled_reading import pose_under, reader_under, skeleton_under
from ..clips.clips import SceneClip
from ..staging.clip_scene import ClipScene
from ..staging.clip_staging import clip_in_file


class FileReading:
    """The frames read so far of the clip that a stage plays: those at which the exporter samples it.

    skeleton: of the armature, as in the file. frames_read: how many frames were read from Blender.
    """

    def __init__(
        self,
        stage: ClipScene,
        armature: str,
        clip: SceneClip,
        profile: Profile,
        shown: Mapping[str, NDArray[np.float64]],
    ) -> None:
        """profile: of a file, see `what_plays`. shown: poses (B, 4, 4) that the scene shows, by armature."""
        if profile.export_options is None:
            raise ValueError(f"{profile.id} goes through no file")
        self.skeleton = skeleton_under(profile, stage.readers[armature])
        self.frames_read = 0
        self._stage, self._armature, self._profile = stage, armature, profile
        self._in_file = clip_in_file(clip, profile.thinned_by or profile.export_options, shown)
        self._poses: list[NDArray[np.float64]] = []

    def read(self) -> Iterator[None]:
        """Read all frames, yielding after each."""
        for frame in self._in_file.frames.tolist():
            pose = self._stage.to_root(self._armature, frame)
            self._poses.append(pose)
            self._in_file.record(self._armature, pose)
            self.frames_read += 1
            yield

    def fitted(self) -> tuple[NDArray[np.float64], Fit]:
        """Return frames, (F,) ascending, and the poses there; between two, bones are interpolated."""
        profile, reader = self._profile, self._stage.readers[self._armature]
        frames = self._in_file.times(self._armature, reader.skeleton)
        played = None
        if isinstance(profile.export_options, GltfOptions) or profile.thinned_by is not None:
            played = self._in_file.local(self._armature, reader.skeleton, frames.tolist())
        if isinstance(played, GltfMoment):
            # Clips are interpolated relative to bones' parents.
            played = replace(played, joined=False)
        recorded = np.stack(self._poses)[np.searchsorted(self._in_file.frames, frames, side="right") - 1]
        posed = pose_under(profile, reader_under(profile, reader), recorded, played=played)
        return frames, fit_hierarchy(self.skeleton, posed)
