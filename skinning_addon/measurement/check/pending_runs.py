"""Instants of a scan's meshes that wait until there are enough of them to be skinned at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ...scene.identification import object_of
from ...scene.meshes.blender_result import BlenderResult
from ...scene.staging.clip_staging import Scanned
from ..frame.posed_mesh import PosedMesh, runs_of
from ..frame.sample import SampleRun
from .scan import SceneScan

VERTICES_AT_ONCE = 16_384
"""Of all the frames of a mesh that are skinned together: above this, calls cost little beside the sums."""

MOST_FRAMES = 128


@dataclass
class _Waiting:
    """Of one mesh under one profile, frame by frame."""

    posed: list[PosedMesh] = field(default_factory=list)
    blender: list[BlenderResult] = field(default_factory=list)
    frames: list[float] = field(default_factory=list)
    moments: list[int] = field(default_factory=list)


class PendingRuns:
    """What was read of meshes at the instants of one clip. Keeps no Blender object."""

    def __init__(self, scan: SceneScan) -> None:
        self._scan = scan
        self._playback: Scanned | None = None
        self._of: dict[str, dict[str, _Waiting]] = {}
        self._moments: dict[str, set[int]] = {}

    def is_of(self, playback: Scanned) -> bool:
        """Whether a clip's frames can join those that wait."""
        return self._playback is None or self._playback is playback

    @property
    def meshes(self) -> tuple[str, ...]:
        """Those that wait, by identity."""
        return tuple(self._of)

    def add(
        self,
        subject: tuple[str, str],
        instant: tuple[Scanned, float, int],
        posed: PosedMesh,
        blender: BlenderResult,
    ) -> None:
        """Let a mesh wait. subject: its identity, and the profile's id. instant: the clip, the frame, and the
        number of the instant in the scan.
        """
        mesh, profile_id = subject
        self._playback, frame, moment = instant
        waiting = self._of.setdefault(mesh, {}).setdefault(profile_id, _Waiting())
        waiting.posed.append(posed)
        waiting.blender.append(blender)
        waiting.frames.append(frame)
        waiting.moments.append(moment)
        self._moments.setdefault(mesh, set()).add(moment)

    def is_full(self, mesh: str) -> bool:
        """Whether enough of a mesh waits."""
        waiting = next(iter(self._of.get(mesh, {}).values()), None)
        if waiting is None:
            return False
        vertices = max(1, waiting.posed[-1].binding.mesh.vertex_count)
        return len(self._moments[mesh]) >= min(MOST_FRAMES, max(1, VERTICES_AT_ONCE // vertices))

    def taken(self, mesh: str) -> Iterator[SampleRun]:
        """Skin what waits of a mesh, profile by profile, and forget it."""
        playback = self._playback
        by_profile = self._of.pop(mesh, {})
        self._moments.pop(mesh, None)
        if not self._of:
            self._playback = None
        unit = self._scan.scene.unit_settings.scale_length
        for profile_id, one in by_profile.items():
            subject = self._scan.subject(mesh, profile_id)
            for part in runs_of(one.posed):
                measured = subject.measured(one.posed[part], one.blender[part], unit, object_of(mesh))
                if playback is not None:
                    yield SampleRun(
                        mesh,
                        playback,
                        tuple(one.frames[part]),
                        tuple(one.moments[part]),
                        measured,
                        subject.profile,
                    )
