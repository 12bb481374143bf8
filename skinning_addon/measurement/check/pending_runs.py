"""Instants of a scan's meshes that wait until there are enough of them to be skinned at once."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise

import bpy

from ...core.text.errors import BindingError
from ...scene.binding.armature_poses import PoseUnder
from ...scene.binding.frame import Frame
from ...scene.identification import object_of
from ...scene.meshes.blender_result import BlenderResult
from ...scene.meshes.mesh_contents import MeshContents
from ...scene.meshes.stack_input import has_changing_input
from ...scene.staging.clip_staging import Scanned
from ..frame.posed_mesh import PosedMesh, runs_of
from ..frame.sample import SampleRun
from .causes import Attributions
from .scan import SceneScan
from .worst_frames import Subject

VERTICES_AT_ONCE = 65_536
"""Of all the frames of a mesh that are skinned together: above this, calls cost little beside the sums."""

MOST_FRAMES = 128


@dataclass
class _Stretch:
    """Instants of a mesh in a row between which only its armatures' poses differ.

    standing: what has to stay as it is. posed, first: under each profile, at the first instant, and Blender's
    results there. later: Blender's results at the others, the same for all profiles.
    """

    standing: Hashable
    posed: dict[str, PosedMesh] = field(default_factory=dict)
    first: dict[str, BlenderResult] = field(default_factory=dict)
    later: list[BlenderResult] = field(default_factory=list)
    frames: list[float] = field(default_factory=list)
    moments: list[int] = field(default_factory=list)
    needs: _Needs | None = None

    def results(self, profile_id: str) -> tuple[BlenderResult, ...]:
        """Return Blender's results at all instants."""
        return self.first[profile_id], *self.later


@dataclass(frozen=True)
class _Needs:
    """What another instant of a stretch needs. contents: those of the mesh that may have changed, and must not
    have. poses: to read, one for each armature; None if poses do not suffice.
    """

    contents: tuple[MeshContents, ...]
    poses: tuple[PoseUnder, ...] | None


class PendingRuns:
    """What was read of meshes at the instants of one clip. Keeps no Blender object.

    Where a mesh stands as it did, only its armatures' poses are read, once for all meshes, profiles and causes.
    """

    def __init__(self, scan: SceneScan, attributions: Attributions) -> None:
        """attributions: what reads the meshes besides, under the same profiles."""
        self._scan, self._attributions = scan, attributions
        self._playback: Scanned | None = None
        self._of: dict[str, list[_Stretch]] = {}

    def is_of(self, playback: Scanned) -> bool:
        """Whether a clip's frames can join those that wait."""
        return self._playback is None or self._playback is playback

    @property
    def meshes(self) -> tuple[str, ...]:
        """Those that wait, by identity."""
        return tuple(self._of)

    @property
    def earliest(self) -> int | None:
        """The number of the first instant that waits."""
        return min((stretches[0].moments[0] for stretches in self._of.values()), default=None)

    def follow(
        self, instant: tuple[Scanned, float, int]
    ) -> Iterator[tuple[str, tuple[str, ...], Frame, BlenderResult]]:
        """Let those meshes wait at the scan's instant that differ from the one before in poses alone; yield the
        identity, the profiles' ids, a frame of the mesh where it stands, and Blender's result. A mesh without a
        result joins `refused`.

        instant: the clip, the frame, and the number of the instant in the scan.
        """
        self._playback, frame, moment = instant
        served = {one.id for one in self._scan.profiles if self._scan.serves(one)}
        for name, stretches in self._of.items():
            stretch = stretches[-1]
            if name in self._scan.refused or stretch.posed.keys() != served:
                continue
            mesh_object = object_of(name)
            if not self._is_as_before(name, mesh_object, stretch):
                continue
            first = next(iter(stretch.posed))
            try:
                blender = self._scan.subject(name, first).result(mesh_object, self._scan.instant)
            except BindingError as error:
                self._scan.refused[name] = error
                continue
            stretch.later.append(blender)
            stretch.frames.append(frame)
            stretch.moments.append(moment)
            yield name, tuple(stretch.posed), stretch.posed[first].frame, blender

    def add(
        self,
        subject: Subject,
        mesh_object: bpy.types.Object,
        instant: tuple[Scanned, float, int],
        posed: PosedMesh,
        blender: BlenderResult,
    ) -> None:
        """Let a mesh wait that was read at the scan's instant. subject: its identity, and the profile's id.
        instant: as in `follow`.
        """
        mesh, profile_id = subject
        self._playback, frame, moment = instant
        stretches = self._of.setdefault(mesh, [])
        if not stretches or stretches[-1].moments[-1] != moment:
            standing = self._scan.instant.standing(mesh_object)
            stretches.append(_Stretch(standing, frames=[frame], moments=[moment]))
        stretches[-1].posed[profile_id], stretches[-1].first[profile_id] = posed, blender

    def is_full(self, mesh: str) -> bool:
        """Whether enough of a mesh waits."""
        stretches = self._of[mesh]
        posed = next(iter(stretches[-1].posed.values()))
        vertices = max(1, posed.binding.mesh.vertex_count)
        waiting = sum(len(one.moments) for one in stretches)
        return waiting >= min(MOST_FRAMES, max(1, VERTICES_AT_ONCE // vertices))

    def taken(self, mesh: str) -> Iterator[SampleRun]:
        """Skin what waits of a mesh, profile by profile, and forget it."""
        playback = self._playback
        stretches = self._of.pop(mesh)
        if not self._of:
            self._playback = None
        for profile_id in dict.fromkeys(one for stretch in stretches for one in stretch.posed):
            of_profile = [one for one in stretches if profile_id in one.posed]
            if playback is not None:
                yield from self._runs(mesh, profile_id, playback, of_profile)

    def _runs(
        self, mesh: str, profile_id: str, playback: Scanned, stretches: Sequence[_Stretch]
    ) -> Iterator[SampleRun]:
        scan = self._scan
        unit = scan.scene.unit_settings.scale_length
        subject = scan.subject(mesh, profile_id)
        runs = list(
            runs_of([one.posed[profile_id].over(scan.poses, tuple(one.moments)) for one in stretches])
        )
        for run, (start, end) in zip(runs, pairwise(accumulate(map(len, runs), initial=0)), strict=True):
            part = stretches[start:end]
            blender = [result for one in part for result in one.results(profile_id)]
            yield SampleRun(
                mesh,
                playback,
                tuple(frame for one in part for frame in one.frames),
                tuple(moment for one in part for moment in one.moments),
                subject.measured(run, blender, unit, object_of(mesh)),
                subject.profile,
            )

    def _is_as_before(self, name: str, mesh_object: bpy.types.Object, stretch: _Stretch) -> bool:
        """Whether only poses differ from the stretch's instants; these are then read."""
        instant = self._scan.instant
        if stretch.needs is None:
            stretch.needs = self._needs(name, mesh_object, stretch)
        if stretch.needs.poses is None:
            return False
        try:
            if instant.standing(mesh_object) is not stretch.standing:
                return False
            if any(instant.moved_contents(mesh_object, one) is not one for one in stretch.needs.contents):
                return False
            placed = instant.placed(mesh_object)
            for one in stretch.needs.poses:
                instant.to_root(placed.armatures[placed.names.index(one.name)], one.reader)
        except BindingError:
            # Raised again where the mesh is read in full.
            return False
        return True

    def _needs(self, name: str, mesh_object: bpy.types.Object, stretch: _Stretch) -> _Needs:
        measurements = [self._scan.subject(name, one) for one in stretch.posed]
        causes = {
            id(one): one for each in stretch.posed for one in self._attributions.causes_of((name, each))
        }
        posed = [*stretch.posed.values()]
        for one in causes.values():
            measurements.append(one.measurement)
            posed.append(one.posed_at(stretch.moments[0]))
        # Whether they can change at all is up to the modifiers, which stay as they are in a stretch.
        changing = has_changing_input(mesh_object, self._scan.instant.depsgraph)
        contents = {id(one.contents): one.contents for one in measurements if changing}
        found = [one.poses for one in posed]
        if any(one is None for one in found) or len(set(map(id, stretch.first.values()))) > 1:
            return _Needs((), None)
        by_armature = {pose.read_from: pose for poses in found for pose in poses or ()}
        return _Needs(tuple(contents.values()), tuple(by_armature.values()))
