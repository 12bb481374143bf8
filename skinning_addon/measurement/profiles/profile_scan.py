"""Scans meshes of the user's scene under profiles, frame by frame, without touching pose, action or frame.

Copies of the armatures play in a scene of their own (`clip_scene`); their poses are read, and everything else
is computed for many frames at once, in another thread while Blender evaluates the next ones. An engine's
result is compared with our exact one, which equals Blender's own to 1e-5. Shape keys, modifiers before the
armature
and animated settings play: a mesh is bound again, or its vertices are moved, at every frame that changes
them.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Mapping, Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.profiles.export_options import ExportOptions
from ...core.profiles.profile import Profile
from ...core.text.errors import BindingError
from ...core.verdicts.finding import Finding, worst_first
from ...scene.armatures.armature_reader import ArmatureReader, ArmatureReaders
from ...scene.armatures.clip_in_file import ClipsInFiles
from ...scene.clips.playback import Playback
from ...scene.clips.range_of_motion import RangeOfMotion
from ...scene.identification import identity, object_of
from ...scene.meshes.mesh_contents import read_mesh_contents
from ...scene.staging.clip_recording import ClipRecorder, RecordedFrames, Segments, wanted_segments
from ...scene.staging.clip_scene import ClipScene, clip_scene
from ...scene.staging.clip_staging import (
    Scanned,
    armatures_played,
    clips_in_files,
    groups_of,
    held_places,
    playback_frames,
    recording,
    show_frame,
    shown_poses,
    stage_playback,
)
from ..findings.playback_losses import PlaybackLosses, few_of, rule_of_mesh
from ..frame.character_height import height_scales
from .background import Background
from .mesh_state import MeshState
from .mesh_under_profiles import MeshUnderProfiles
from .profile_report import ProfileReport
from .recorded_poses import PosesUnderProfiles

FRAMES_AT_ONCE = 32
"""Frames skinned together; each takes about 0.4 MB for 13,000 vertices and one profile."""


@dataclass(frozen=True)
class ScanProgress:
    """done frames of total."""

    done: int
    total: int


@dataclass(frozen=True, eq=False)
class _Batch:
    """Frames to skin together. served: numbers of the profiles that see them. clips: what plays in their files
    if those have fewer keys. spans: how each mesh was bound over which of them.
    """

    served: tuple[int, ...]
    clips: ClipsInFiles
    recorded: RecordedFrames
    wanted: Segments
    spans: list[tuple[MeshUnderProfiles, list[tuple[MeshState, int, int]]]]


class ProfileScan:
    """A scan that can be stopped after any step. Leaves nothing behind once `close` was called, or it has
    finished.

    reports: one for each profile, in order, once all steps are done.
    """

    def __init__(
        self,
        scene: bpy.types.Scene,
        depsgraph: bpy.types.Depsgraph,
        meshes: Sequence[bpy.types.Object],
        profiles: Sequence[Profile],
        playbacks: Sequence[Scanned],
        *,
        only_distances: bool = False,
    ) -> None:
        """Bind the meshes as they are at the current frame.

        only_distances: whether causes are not looked for, which takes most of the time; reports then have no
        findings.
        """
        self.reports: tuple[ProfileReport, ...] = ()
        self._scene, self._profiles, self._playbacks = scene, tuple(profiles), tuple(playbacks)
        self._only_distances = only_distances
        self._subjects: list[MeshUnderProfiles] = []
        self._refused: list[BindingError] = []
        self._losses = PlaybackLosses()
        scales, armatures = height_scales(scene, meshes), ArmatureReaders()
        for one in meshes:
            try:
                subject = MeshUnderProfiles(
                    one,
                    depsgraph,
                    read_mesh_contents(one, depsgraph),
                    self._profiles,
                    height_scale=scales[identity(one)],
                    armatures=armatures,
                    only_distances=only_distances,
                )
                self._subjects.append(subject)
            except BindingError as error:
                self._refused.append(error)
        self._meshes = [identity(one) for one in meshes]
        self._shown: dict[str, NDArray[np.float64]] = {}
        if any(one.thinned_by for one in self._profiles):
            names = dict.fromkeys(name for one in self._subjects for name in one.armatures)
            self._shown = shown_poses(object_of(name) for name in names)

    def steps(self) -> Generator[ScanProgress, None, None]:
        """Scan; yield after every frame. Closing the iterator removes what was made for it."""
        subjects = [one.name for one in self._subjects]
        armatures = dict.fromkeys(name for one in self._subjects for name in one.armatures)
        armatures |= dict.fromkeys(armatures_played(self._playbacks))
        if subjects:
            needed = self._needed_bones()
            with clip_scene(
                self._scene,
                [object_of(name) for name in armatures],
                [object_of(name) for name in subjects],
                needed,
                [one.name for one in self._subjects if one.plays],
            ) as stage:
                yield from self._scanned(stage, needed)
        self.reports = tuple(self._report(number) for number in range(len(self._profiles)))

    def _scanned(
        self, stage: ClipScene, needed: Mapping[str, NDArray[np.bool_]]
    ) -> Generator[ScanProgress, None, None]:
        wanted = self._wanted()
        recorder = ClipRecorder(stage, wanted)
        held = held_places(stage, {one.name: one.armatures for one in self._subjects}, self._profiles)
        plays = [
            (playback, options, self._served_by(served))
            for playback in self._playbacks
            for options, served in groups_of(
                stage, playback, dict.fromkeys(one.export_options for one in self._profiles)
            )
        ]
        in_files = [
            clips_in_files(one, [self._profiles[number] for number in served], self._shown)
            for one, _, served in plays
        ]
        done, total = 0, sum(len(playback_frames(one)) for one, _, _ in plays)
        total += sum(len(clip.frames) for clips in in_files for clip in clips.values())

        def take(batch: _Batch) -> None:
            shared = PosesUnderProfiles(batch.recorded, needed, batch.clips, held)
            for subject, spans in batch.spans:
                for state, start, stop in spans:
                    frames = batch.recorded.between(start, stop)
                    poses = (
                        shared
                        if frames is batch.recorded
                        else PosesUnderProfiles(frames, needed, batch.clips, held)
                    )
                    subject.take(state, poses, batch.wanted, batch.served)

        def hand_over(name: str, served: tuple[int, ...], clips: ClipsInFiles) -> None:
            if recorder.count:
                spans = [(one, one.taken_spans()) for one in self._subjects]
                background.hand_over(_Batch(served, clips, recorder.taken(name), wanted, spans))

        # Blender lets other threads run while it evaluates a frame, and the thread that takes the frames
        # touches no Blender data.
        with Background(take) as background:
            for (playback, options, served), clips in zip(plays, in_files, strict=True):
                for thinned_by, clip in clips.items():
                    for _ in recording(stage, playback, thinned_by, clip):
                        done += 1
                        yield ScanProgress(done, total)
                stage_playback(stage, playback, options)
                for frame in playback_frames(playback):
                    show_frame(stage, playback, frame)
                    readers = self._followed(stage)
                    if readers:
                        # The frames so far were recorded for the previous bindings.
                        hand_over(playback.name, served, clips)
                        wanted = self._wanted()
                        recorder.expect(wanted, readers)
                    recorder.record(frame)
                    for one in self._subjects:
                        one.note_frame()
                    done += 1
                    if recorder.count == FRAMES_AT_ONCE:
                        hand_over(playback.name, served, clips)
                    yield ScanProgress(done, total)
                hand_over(playback.name, served, clips)
        if not self._only_distances:
            self._compare_losses(stage, plays, needed)

    def _compare_losses(
        self,
        stage: ClipScene,
        plays: Sequence[tuple[Scanned, ExportOptions | None, tuple[int, ...]]],
        needed: Mapping[str, NDArray[np.bool_]],
    ) -> None:
        """Compare a few frames of each clip, as Blender plays it and as the file has it."""
        pairs = dict.fromkeys(
            (playback, self._profiles[number].export_options)
            for playback, _, served in plays
            for number in served
        )
        for playback, options in pairs:
            if options is None or isinstance(playback, RangeOfMotion):
                continue
            losses = stage.losses(playback, options)
            self._losses.note_clip(playback, options, losses)
            rules = {
                one: rule
                for one in self._subjects
                if (rule := rule_of_mesh(losses, one.armatures)) is not None
            }
            if not rules:
                continue
            frames = few_of(playback_frames(playback))
            before = self._poses(stage, playback, None, frames, needed)
            after = self._poses(stage, playback, options, frames, needed)
            for subject, rule in rules.items():
                seen = subject.seen_twice(rule, before, after, self._wanted())
                self._losses.keep(subject.binding, options, seen)

    def _poses(
        self,
        stage: ClipScene,
        playback: Playback,
        options: ExportOptions | None,
        frames: Sequence[float],
        needed: Mapping[str, NDArray[np.bool_]],
    ) -> PosesUnderProfiles:
        recorder = ClipRecorder(stage, self._wanted())
        shown = stage.frames_in_file(playback, options, frames)
        stage.play(playback, options, rest_unwritten=True)
        for frame, at in zip(frames, shown, strict=True):
            show_frame(stage, playback, at)
            recorder.record(frame)
        return PosesUnderProfiles(recorder.taken(playback.name), needed)

    def _served_by(self, options: Collection[ExportOptions | None]) -> tuple[int, ...]:
        return tuple(number for number, one in enumerate(self._profiles) if one.export_options in options)

    def _wanted(self) -> Segments:
        return wanted_segments(pair for one in self._subjects for pair in one.bendy_joints())

    def _followed(self, stage: ClipScene) -> dict[str, ArmatureReader]:
        """Bring the meshes up to date with a frame; return the armatures of the meshes bound again, by
        identity.

        Meshes that can't be skinned there are refused, and left out from then on.
        """
        readers: dict[str, ArmatureReader] = {}
        for one in [subject for subject in self._subjects if subject.plays]:
            try:
                read = one.follow(stage)
            except BindingError as error:
                self._subjects.remove(one)
                self._refused.append(error)
                continue
            if read is not None:
                readers |= {name: read.of(stage.copies[name]) for name in one.armatures}
        return readers

    def _needed_bones(self) -> dict[str, NDArray[np.bool_]]:
        needed: dict[str, NDArray[np.bool_]] = {}
        for armature, used in (pair for one in self._subjects for pair in one.used_bones()):
            needed[armature] = needed[armature] | used if armature in needed else used
        return needed

    def _report(self, number: int) -> ProfileReport:
        findings: list[Finding] = []
        if not self._only_distances:
            findings += (finding for one in self._subjects for finding in one.findings(number, self._losses))
            findings += self._losses.of_clips([self._profiles[number]])
        return ProfileReport(
            self._profiles[number],
            tuple(one.report(number) for one in self._subjects),
            worst_first(findings),
            tuple(str(error) for error in self._refused),
        )
