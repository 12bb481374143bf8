"""Reading one clip as an exported file holds it, and as the file's engine poses it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from ...animation.fitting import Fit, fit_hierarchy
from ...core.profiles.export_options import GltfOptions
from ...core.profiles.profile import Profile
from ..armatures.profiled_reading import pose_under, reader_under
from ..clips.clips import SceneClip
from ..staging.clip_scene import ClipScene
from ..staging.clip_staging import clip_in_file

JUST_BEFORE = 1e-3
"""Frames before a key that the one before it still holds."""


class FileReading:
    """The frames read so far of the clip that a stage plays: those at which the exporter samples it.

    skeleton: of the armature. frames_read: how many frames were read from Blender.
    """

    def __init__(
        self,
        stage: ClipScene,
        armature: str,
        clip: SceneClip,
        profile: Profile,
        shown: Mapping[str, NDArray[np.float64]],
    ) -> None:
        """profile: of an exporter. shown: the poses (B, 4, 4) that the scene shows, by armature."""
        if profile.export_options is None:
            raise ValueError(f"{profile.id} goes through no file")
        self.skeleton = stage.readers[armature].skeleton
        self.frames_read = 0
        self._stage, self._armature, self._profile = stage, armature, profile
        self._in_file = clip_in_file(clip, profile.export_options, shown)
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
        """Return the frames, (F,) ascending, and the engine's poses there."""
        keys, profile = self._in_file.frames, self._profile
        is_gltf = isinstance(profile.export_options, GltfOptions)
        # Some of a .glb's channels keep each key up to the next.
        frames = np.unique(np.concatenate([keys, keys[1:] - JUST_BEFORE])) if is_gltf else keys
        played = None
        if is_gltf or profile.thinned_by is not None:
            played = self._in_file.local(self._armature, self.skeleton, frames.tolist())
        recorded = np.stack(self._poses)[np.searchsorted(keys, frames, side="right") - 1]
        reader = reader_under(profile, self._stage.readers[self._armature])
        return frames, fit_hierarchy(self.skeleton, pose_under(profile, reader, recorded, played=played))
