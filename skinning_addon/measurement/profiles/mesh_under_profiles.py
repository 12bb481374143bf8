"""One mesh followed through a scan: under each profile as a whole, and for each cause alone."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.profiles.binding import Binding
from ...core.profiles.profile import Profile
from ...core.skinning.deviation import Deviation, split_along
from ...core.text.errors import BindingError
from ...core.verdicts.deviation_track import DeviationTrack, WorstMoment, lengths
from ...core.verdicts.finding import Finding
from ...core.verdicts.verdict import USUAL
from ...scene.armatures.armature_reader import ArmatureReaders
from ...scene.binding.binding_signature import BindingSignature, binding_signature
from ...scene.identification import identity
from ...scene.meshes.mesh_contents import MeshContents, moved_contents, read_mesh_contents
from ...scene.objects.animated_settings import (
    armatures_at_some_frame,
    deformation_is_animated,
    input_may_play,
)
from ...scene.staging.clip_recording import Segments
from ...scene.staging.clip_scene import ClipScene
from ..findings.export_findings import findings_of_modifiers, missing_surface
from ..findings.import_findings import findings_of_import
from ..findings.playback_losses import PlaybackLosses, SeenTwice
from ..findings.profile_findings import findings_of_drawing, findings_of_effects
from ..findings.rig_findings import findings_of_binding
from ..findings.stack_findings import faults_of_stack
from ..findings.weight_findings import findings_of_rig
from ..frame.attribution import Effects
from ..frame.body_parts import body_parts
from ..frame.worst_frame import judged, worst_frame
from .mesh_state import MeshState, turned
from .profile_report import MeshProfileReport
from .profile_variant import ProfileVariant
from .recorded_poses import PosesUnderProfiles


class MeshUnderProfiles:
    """Follows a mesh. Keeps no Blender object.

    name: of the mesh object. armatures: those that move it. plays: whether the first armature's input, or how
    armatures deform it, may differ from frame to frame.
    """

    def __init__(
        self,
        mesh_object: bpy.types.Object,
        depsgraph: bpy.types.Depsgraph,
        contents: MeshContents,
        profiles: Sequence[Profile],
        *,
        height_scale: float,
        armatures: ArmatureReaders,
        only_distances: bool = False,
    ) -> None:
        """Bind the mesh under each profile. height_scale: see `height_scales`. only_distances: see
        `ProfileScan`. Raises BindingError, see `read_binding`.
        """
        self.name: str = identity(mesh_object)
        self._uid: int = mesh_object.session_uid

        def variant_of(profile: Profile) -> ProfileVariant:
            return ProfileVariant(mesh_object, depsgraph, contents, profile, armatures)

        self._profiles, self._contents = tuple(profiles), contents
        self._only_distances = only_distances
        self._state = MeshState(
            variant_of, self._profiles, [Effects() for _ in profiles], only_whole=only_distances
        )
        self._signature: BindingSignature | None = None
        self._spans: list[MeshState] = []
        self._deforms_otherwise = deformation_is_animated(mesh_object)
        self.plays = self._deforms_otherwise or input_may_play(mesh_object)
        binding = self._state.exact.binding
        self.armatures: tuple[str, ...] = tuple(
            dict.fromkeys((*binding.armatures, *map(identity, armatures_at_some_frame(mesh_object))))
        )
        self._unit = depsgraph.scene.unit_settings.scale_length
        self._body = body_parts(binding, height_scale)
        areas = binding.mesh.surface_shares
        self._tracks = [DeviationTrack(self._body.limits(USUAL.good), areas) for _ in profiles]
        self._split = [(0.0, 0.0) for _ in profiles]
        self._missing = missing_surface(mesh_object, binding, self._unit)
        self._static = (
            *findings_of_rig(mesh_object, contents, binding),
            *(fault.finding for fault in faults_of_stack(mesh_object)),
        )
        scene = depsgraph.scene or bpy.context.scene
        self._of_import = [
            tuple(findings_of_import(mesh_object, scene, binding, profile)) for profile in profiles
        ]

    def bendy_joints(self) -> Iterator[tuple[str, tuple[NDArray[np.int32], NDArray[np.int32]]]]:
        """List the joints of bendy bones to record, by armature."""
        yield from self._state.exact.bendy_joints()
        for one in self._state.differences():
            yield from one.bendy_joints()

    def used_bones(self) -> Iterator[tuple[str, NDArray[np.bool_]]]:
        """Mark the bones (B,) that move the mesh under any profile, by armature."""
        yield from self._state.exact.used_bones()
        for one in self._state.differences():
            yield from one.used_bones()

    def follow(self, stage: ClipScene) -> ArmatureReaders | None:
        """Bring the binding up to date with the frame that a clip scene shows; return the data read if it was
        bound again.

        Makes data-blocks.

        Raises:
            BindingError: it can't be skinned there, or its vertices differ from the first frame's.
        """
        mesh_object, depsgraph = stage.placed[self.name], stage.depsgraph
        moved = moved_contents(mesh_object, self._contents, depsgraph)
        signature = binding_signature(mesh_object, depsgraph) if self._deforms_otherwise else None
        if moved is self._contents and signature == self._signature:
            return None
        contents = moved or read_mesh_contents(mesh_object, depsgraph)
        if contents.source.vertex_count != self._contents.source.vertex_count:
            raise BindingError(
                "'{mesh}' has {found} vertices instead of {expected} at frame {frame:g}, which the sidebar "
                "does not support; check the file on the command line.",
                rule="vertices-differ",
                mesh=self.name,
                found=contents.source.vertex_count,
                frame=depsgraph.scene.frame_current_final,
                expected=self._contents.source.vertex_count,
            )
        alike = signature == self._signature and contents.memberships is self._contents.memberships
        self._contents, self._signature = contents, signature
        if alike and not self._state.depends_on_positions:
            self._state = self._state.moved_to(contents.source)
            return None
        armatures = ArmatureReaders()
        self._state = MeshState(
            lambda profile: ProfileVariant(
                mesh_object, depsgraph, contents, profile, armatures, originals=stage.originals
            ),
            self._profiles,
            [one.effects for one in self._state.causes],
            only_whole=self._only_distances,
        )
        return armatures

    def note_frame(self) -> None:
        """Record how the mesh is bound at the current frame."""
        self._spans.append(self._state)

    def taken_spans(self) -> list[tuple[MeshState, int, int]]:
        """Return how it was bound over which spans of the noted frames, and reset."""
        spans: list[tuple[MeshState, int, int]] = []
        for index, state in enumerate(self._spans):
            if spans and spans[-1][0] is state:
                spans[-1] = state, spans[-1][1], index + 1
            else:
                spans.append((state, index, index + 1))
        self._spans = []
        return spans

    def take(
        self, state: MeshState, poses: PosesUnderProfiles, wanted: Segments, served: Sequence[int]
    ) -> None:
        """Skin recorded frames that share this binding, for every cause. served: numbers of the profiles."""
        recorded = poses.recorded
        to_metres = recorded.to_world[self.name][:, :3, :3] * self._unit
        for number in served:
            causes, track = state.causes[number], self._tracks[number]
            whole = np.zeros((len(self._body.bones), len(recorded.frames), 3), dtype=np.float32)
            if causes.whole.nothing:
                track.add(whole, recorded.clip, recorded.frames)
                continue
            whole[causes.whole.vertices] = turned(causes.whole.offsets(poses, wanted), to_metres)
            before = track.worst
            track.add(whole, recorded.clip, recorded.frames)
            worst = None if track.worst is before else track.worst
            if worst is not None:
                at = recorded.frames.index(worst.frame)
                normals = state.exact.normals(poses, wanted, at)
                to_world = recorded.to_world[self.name][at]
                self._split[number] = split_along(worst.offsets, normals, to_world)
            causes.take(whole, poses, wanted, to_metres, worst=worst)

    def seen_twice(
        self, rule: str, before: PosesUnderProfiles, after: PosesUnderProfiles, wanted: Segments
    ) -> SeenTwice:
        """Return the exact mesh in two recordings of the same frames. rule: about the difference."""
        placed: list[NDArray[np.float64]] = []
        for poses in (before, after):
            to_world = poses.recorded.to_world[self.name]
            positions = self._state.exact.positions(poses, wanted)
            in_world = np.einsum("vfc,fcd->fvd", positions, to_world[:, :3, :3]) + to_world[:, None, 3, :3]
            placed.append(in_world * self._unit)
        return SeenTwice(rule, before.recorded.clip, before.recorded.frames, *placed)

    @property
    def binding(self) -> Binding:
        """The mesh as Blender deforms it."""
        return self._state.exact.binding

    def report(self, number: int) -> MeshProfileReport:
        """Describe the mesh under the profile with this index."""
        track, mesh = self._tracks[number], self._state.exact.binding.mesh
        moment = track.worst or WorstMoment("", 0.0, np.zeros((mesh.vertex_count, 3), dtype=np.float32))
        deviation = Deviation(
            distance=lengths(moment.offsets).astype(np.float64),
            area=mesh.surface_shares,
            relative=math.nan,
        )
        worst = judged(
            worst_frame(deviation, moment.clip, moment.frame, frames=track.frames),
            deviation,
            self._body,
            split=self._split[number],
            run=track.run,
            pop=track.pop,
            parts=self._body.deviations(track.largest, USUAL.good),
        )
        return MeshProfileReport(self._uid, self.name, worst, track.largest, tuple(track.judged))

    def findings(self, number: int, losses: PlaybackLosses) -> Iterator[Finding]:
        """List the findings under the profile with this index, and those about the rig under any profile."""
        causes = self._state.causes[number]
        binding = causes.variant.binding
        yield from findings_of_effects(causes.effects.sorted(), binding, causes.profile, self._body)
        yield from findings_of_drawing(binding, causes.profile)
        yield from self._of_import[number]
        yield from losses.of_mesh(binding, causes.profile, self._body)
        yield from findings_of_modifiers(self._missing, self.binding, causes.profile, self._body)
        yield from findings_of_binding(self._state.exact.binding)
        yield from self._static
