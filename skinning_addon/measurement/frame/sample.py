"""One mesh at one instant of a scan: the input of everything that judges a mesh."""

from __future__ import annotations

from dataclasses import dataclass

from ...core.profiles.profile import BLENDER, Profile
from ...scene.staging.clip_staging import Scanned
from .mesh_measurement import Measurement


@dataclass(frozen=True, eq=False)
class Sample:
    """One mesh at one frame of one clip, under one profile."""

    mesh: str
    playback: Scanned
    frame: float
    measurement: Measurement
    profile: Profile = BLENDER
