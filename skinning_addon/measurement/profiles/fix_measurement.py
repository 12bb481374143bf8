"""The effect of a fix on a mesh in an engine: how far it lies from the authored shape, before and after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.profiles.export_options import ExportOptions
from ...core.profiles.least_squares_limit import limited_by_least_squares
from ...core.profiles.profile import BLENDER, Profile
from ...core.skinning.skin import Skin
from ...core.text.errors import UsageError
from ...core.text.length import format_length
from ...core.text.message import Message
from ...core.verdicts.deviation_track import lengths
from ...core.verdicts.verdict import USUAL, Level, levels_of_frames
from ...scene.armatures.clip_in_file import ClipsInFiles
from ...scene.clips.range_of_motion import RangeOfMotion
from ...scene.identification import identity, object_of
from ...scene.meshes.mesh_contents import read_mesh_contents
from ...scene.staging.clip_recording import ClipRecorder, RecordedFrames, wanted_segments
from ...scene.staging.clip_scene import ClipScene, clip_scene
from ...scene.staging.clip_staging import (
    Scanned,
    armatures_played,
    clips_in_files,
    held_places,
    playback_frames,
    recording,
    show_frame,
    shown_poses,
    stage_playback,
)
from ..frame.body_parts import body_parts
from ..frame.character_height import height_scales
from .profile_variant import ProfileVariant
from .recorded_poses import PosesUnderProfiles

FRAMES_AT_MOST = 24
"""Poses, spread over the playback, that a fix is fitted to and measured with."""


class FixMeasurement:
    """A mesh through some poses, before a fix and after it.

    before, after: metres, the furthest the engine puts a vertex from Blender's position before the fix.
    moved: metres, the furthest that the fix has moved a vertex in Blender itself; moved_level: how bad that
    is, as a check judges it.
    """

    def __init__(
        self,
        scene: bpy.types.Scene,
        mesh_object: bpy.types.Object,
        profile: Profile,
        playbacks: Sequence[Scanned],
        *,
        in_blender: bool = False,
    ) -> None:
        """Record the shape as it is. in_blender: whether the authored shape is what Blender plays, for fixes of
        what a file lacks of it; otherwise it is posed as in the file, which other fixes can't change.

        Raises:
            BindingError: the mesh can't be skinned.
        """
        self._scene, self._profile, self._playbacks = scene, profile, playbacks
        self._uid, self._name = mesh_object.session_uid, identity(mesh_object)
        self._in_blender = in_blender
        self.exact = self._variant(mesh_object, BLENDER)
        self._record(mesh_object, self.exact)
        self._authored = self._in_world(self.exact, self._shown)
        self.before = self._distance(mesh_object)
        self.after = self.before
        self.moved, self.moved_level = 0.0, Level.SAME

    def finish(self, mesh_object: bpy.types.Object, *, moved: bool = False) -> Message:
        """Measure the mesh as it is now, and return both figures. moved: whether bones or objects have moved
        since.
        """
        if moved:
            self._record(mesh_object, self._variant(mesh_object, BLENDER))
        self.after = self._distance(mesh_object)
        self._judge_shape(mesh_object)
        return Message(
            "deviation from the authored shape in {profile}: {before} before, {after} after",
            profile=self._profile.label,
            before=format_length(self.before),
            after=format_length(self.after),
        )

    def _judge_shape(self, mesh_object: bpy.types.Object) -> None:
        """Measure how far the fix has moved the mesh in Blender."""
        exact = self._variant(mesh_object, BLENDER)
        placed = self._in_world(exact, self._shown)
        distances = lengths(placed - self._authored) * self._scene.unit_settings.scale_length
        self.moved = float(distances.max(initial=0.0))
        body = body_parts(exact.binding, height_scales(self._scene, [mesh_object])[self._name])
        limits = body.limits(USUAL.good)
        levels = levels_of_frames(distances, exact.binding.mesh.surface_shares, limits)
        self.moved_level = Level(int(levels.max(initial=Level.SAME)))

    @property
    def can_be_fitted(self) -> bool:
        """Whether `fitted` applies: one armature blends the mesh linearly, without bendy bones."""
        return self.exact.plain is not None and not len(self.exact.plain.joints.bendy)

    def fitted(self, influences: int) -> tuple[Skin, NDArray[np.int32]]:
        """Limit the influences by least squares over the poses; return a skin over joints, and the bone of each
        joint.

        Raises:
            UsageError: the mesh is not blended linearly by one armature, or has bendy bones.
        """
        one = self.exact.plain
        if one is None or len(one.joints.bendy):
            raise UsageError(
                "Least Squares needs a single Armature modifier without Preserve Volume, vertex group or "
                "bendy bones; keep the largest weights of '{mesh}' instead.",
                mesh=self._name,
            )
        finals = np.concatenate([self.exact.finals(poses, self._wanted, one) for poses in self._poses])
        skin = limited_by_least_squares(one.skin, self.exact.binding.mesh.positions, finals, influences)
        return skin, one.joints.bone

    def _variant(self, mesh_object: bpy.types.Object, profile: Profile) -> ProfileVariant:
        depsgraph = bpy.context.evaluated_depsgraph_get()
        return ProfileVariant(mesh_object, depsgraph, read_mesh_contents(mesh_object), profile)

    def _record(self, mesh_object: bpy.types.Object, exact: ProfileVariant) -> None:
        """Record each playback as the profile's file holds it, with where that holds the mesh, and as Blender
        plays it if that is asked for.
        """
        engine = self._variant(mesh_object, self._profile)
        self._wanted = wanted_segments((*exact.bendy_joints(), *engine.bendy_joints()))
        names = dict.fromkeys((*exact.binding.armatures, *armatures_played(self._playbacks)))
        armatures = [object_of(name) for name in names]
        shown = shown_poses(armatures) if self._profile.thinned_by else {}
        with clip_scene(self._scene, armatures, [mesh_object]) as stage:
            held = held_places(stage, {self._name: exact.binding.armatures}, [self._profile])
            self._poses = [
                PosesUnderProfiles(
                    self._played(stage, playback, self._profile.export_options),
                    clips=self._in_file(stage, playback, shown),
                    held=held,
                )
                for playback in self._playbacks
            ]
            if self._in_blender:
                played = [self._played(stage, playback, None) for playback in self._playbacks]
                self._shown = [PosesUnderProfiles(one) for one in played]
            else:
                self._shown = self._poses

    def _in_file(
        self, stage: ClipScene, playback: Scanned, shown: Mapping[str, NDArray[np.float64]]
    ) -> ClipsInFiles:
        clips = clips_in_files(playback, [self._profile], shown)
        for thinned_by, clip in clips.items():
            for _ in recording(stage, playback, thinned_by, clip):
                pass
        return clips

    def _played(self, stage: ClipScene, playback: Scanned, options: ExportOptions | None) -> RecordedFrames:
        """Record some frames as a file exported with these options holds them; None for Blender's own."""
        frames = _spread(playback_frames(playback), FRAMES_AT_MOST // len(self._playbacks))
        in_file: Sequence[float] = frames
        if not isinstance(playback, RangeOfMotion):
            in_file = stage.frames_in_file(playback, options, frames)
        recorder = ClipRecorder(stage, self._wanted)
        stage_playback(stage, playback, options)
        for frame, shown in zip(frames, in_file, strict=True):
            show_frame(stage, playback, shown)
            recorder.record(frame)
        return recorder.taken(playback.name)

    def _distance(self, mesh_object: bpy.types.Object) -> float:
        engine = self._variant(mesh_object, self._profile)
        placed = self._in_world(engine, self._poses)
        return (
            float(lengths(placed - self._authored).max(initial=0.0)) * self._scene.unit_settings.scale_length
        )

    def _in_world(
        self, variant: ProfileVariant, recorded: Sequence[PosesUnderProfiles]
    ) -> NDArray[np.float32]:
        """Skin the mesh at all recorded frames: (V, F, 3) float32, world space."""
        return np.concatenate([self._placed(variant, poses) for poses in recorded], axis=1)

    def _placed(self, variant: ProfileVariant, poses: PosesUnderProfiles) -> NDArray[np.float32]:
        to_world = poses.recorded.to_world[self._name].astype(np.float32)
        positions = variant.positions(poses, self._wanted)
        return np.einsum("vfc,fcd->vfd", positions, to_world[:, :3, :3]) + to_world[:, 3, :3]


def _spread(frames: Sequence[float], count: int) -> list[float]:
    """Choose this many of the frames, evenly; at least two."""
    indices = np.linspace(0, len(frames) - 1, min(max(count, 2), len(frames))).round().astype(int)
    return [frames[index] for index in indices.tolist()]
