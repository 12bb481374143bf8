"""A mesh at one instant of a scan, or at several: the input of everything that judges a mesh."""

from __future__ import annotations

from dataclasses import dataclass

from ...core.profiles.profile import BLENDER, Profile
from ...scene.staging.clip_staging import Scanned
from .measured_run import MeasuredRun, Measurement


@dataclass(frozen=True, eq=False)
class Sample:
    """One mesh at one frame of one clip, under one profile."""

    mesh: str
    playback: Scanned
    frame: float
    measurement: Measurement
    profile: Profile = BLENDER


@dataclass(frozen=True, eq=False)
class SampleRun:
    """One mesh at some frames of one clip, in order, under one profile, bound alike at all of them.

    moments: the frames' numbers in the scan, which are the same for whatever else was read of the mesh there.
    """

    mesh: str
    playback: Scanned
    frames: tuple[float, ...]
    moments: tuple[int, ...]
    measured: MeasuredRun
    profile: Profile = BLENDER

    def at(self, index: int) -> Sample:
        """Return the sample of one of the frames."""
        return Sample(self.mesh, self.playback, self.frames[index], self.measured.at(index), self.profile)
