"""One mesh followed through a scan: under each profile as a whole, and for each cause alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import bpy
import numpy as np
from numpy.typing import NDArray

from ..core.deviation import split_along
from ..core.deviation_track import DeviationTrack, lengths
from ..core.finding import REMAINDER, Finding
from ..core.profiles.aspects import aspects_of
from ..core.profiles.profile import BLENDER, Profile
from ..core.verdict import GOOD, judge
from ..scene.armature_reader import ArmatureReaders
from ..scene.clip_recording import Segments
from ..scene.identification import identity
from ..scene.mesh_parts import MeshParts
from .attribution import Effects, may_differ
from .body_parts import body_parts
from .profile_findings import findings_of_drawing, findings_of_effects
from .profile_report import MeshProfileReport
from .profile_variant import PosesUnderProfiles, ProfileVariant, VariantDifference
from .rig_findings import findings_of_binding
from .stack_findings import faults_of_stack
from .weight_findings import findings_of_rig


class _Causes:
    """One profile of a mesh: the whole, each cause alone, and what they leave."""

    def __init__(
        self,
        exact: ProfileVariant,
        variant_of: Callable[[Profile], ProfileVariant],
        profile: Profile,
    ) -> None:
        self.profile = profile
        self.variant = variant_of(profile)
        self.whole = VariantDifference(exact, self.variant)
        alone = {
            aspect.rule: VariantDifference(
                exact,
                exact.posed_under(aspect.alone) if aspect.poses_only else variant_of(aspect.alone),
            )
            for aspect in aspects_of(profile)
            if may_differ(aspect.rule, exact.binding)
        }
        self.alone = {rule: one for rule, one in alone.items() if not one.nothing}
        self.effects = Effects()


class MeshUnderProfiles:
    """Follows a mesh. Keeps no Blender object.

    name: of the mesh object. armatures: that move it.
    """

    def __init__(
        self,
        mesh_object: bpy.types.Object,
        depsgraph: bpy.types.Depsgraph,
        parts: MeshParts,
        profiles: Sequence[Profile],
        *,
        height_scale: float,
        armatures: ArmatureReaders,
    ) -> None:
        """Bind the mesh under each profile. height_scale: see `height_scales`. Raises BindingError, see `read_binding`."""
        self.name: str = identity(mesh_object)
        self._uid: int = mesh_object.session_uid

        def variant_of(profile: Profile) -> ProfileVariant:
            return ProfileVariant(mesh_object, depsgraph, parts, profile, armatures)

        self._exact = variant_of(BLENDER)
        self._causes = [_Causes(self._exact, variant_of, one) for one in profiles]
        binding = self._exact.binding
        self.armatures = binding.armatures
        self._unit = depsgraph.scene.unit_settings.scale_length
        self._body = body_parts(binding, height_scale)
        self._tracks = [DeviationTrack(self._body.limits(GOOD)) for _ in profiles]
        self._split = [(0.0, 0.0) for _ in profiles]
        self._static = (
            *findings_of_rig(mesh_object, parts, binding),
            *(fault.finding for fault in faults_of_stack(mesh_object)),
        )

    def bendy_joints(self) -> Iterator[tuple[str, tuple[NDArray[np.int32], NDArray[np.int32]]]]:
        """List what has to be recorded of bendy bones, by armature."""
        yield from self._exact.bendy_joints()
        for causes in self._causes:
            for one in (causes.whole, *causes.alone.values()):
                yield from one.bendy_joints()

    def used_bones(self) -> Iterator[tuple[str, NDArray[np.bool_]]]:
        """Mark the bones (B,) that move the mesh under any profile, by armature."""
        yield from self._exact.used_bones()
        for causes in self._causes:
            for one in (causes.whole, *causes.alone.values()):
                yield from one.used_bones()

    def take(self, poses: PosesUnderProfiles, wanted: Segments) -> None:
        """Skin the recorded frames under every profile, and for every cause."""
        recorded = poses.recorded
        to_metres = recorded.to_world[self.name][:, :3, :3] * self._unit
        for number, (causes, track) in enumerate(zip(self._causes, self._tracks, strict=True)):
            if causes.whole.nothing:
                still = np.zeros((len(self._body.bones), len(recorded.frames), 3), dtype=np.float32)
                track.add(still, recorded.clip, recorded.frames)
                continue
            whole = np.zeros((len(self._body.bones), len(recorded.frames), 3), dtype=np.float32)
            whole[causes.whole.vertices] = _turned(causes.whole.offsets(poses, wanted), to_metres)
            before = track.worst
            track.add(whole, recorded.clip, recorded.frames)
            at = vertex = None
            if track.worst is not None and track.worst is not before:
                at = recorded.frames.index(track.worst.frame)
                vertex = int(np.argmax(lengths(track.worst.offsets)))
                normals = self._exact.normals(poses, wanted, at)
                self._split[number] = split_along(
                    track.worst.offsets, normals, recorded.to_world[self.name][at]
                )
            left = whole
            at_worst: dict[str, float] = {}
            for rule, one in causes.alone.items():
                moved = _turned(one.offsets(poses, wanted), to_metres)
                among = one.vertices, len(whole)
                distances = lengths(moved)
                causes.effects.keep(rule, distances, recorded.clip, recorded.frames, among)
                left[one.vertices] -= moved
                if at is not None:
                    own = np.arange(len(whole))[one.vertices] == vertex
                    at_worst[rule] = float(distances[own, at].max(initial=0.0))
            if at is not None:
                causes.effects.keep_at_worst(at_worst)
            causes.effects.keep(REMAINDER, lengths(left), recorded.clip, recorded.frames)

    def report(self, number: int) -> MeshProfileReport:
        """Describe the mesh under the profile of this number."""
        track, mesh = self._tracks[number], self._exact.binding.mesh
        worst = track.worst
        distances = lengths(worst.offsets) if worst else np.zeros(mesh.vertex_count, dtype=np.float32)
        vertex = int(np.argmax(distances))
        areas = mesh.vertex_areas / max(float(mesh.vertex_areas.sum()), 1e-30)
        judgement = judge(distances, areas, self._body.fine, self._body.height_scale)
        return MeshProfileReport(
            uid=self._uid,
            mesh=self.name,
            judgement=judgement,
            max=float(distances[vertex]),
            rms=float(np.sqrt(np.mean(distances.astype(np.float64) ** 2))),
            worst_vertex=vertex,
            clip=worst.clip if worst else "",
            frame=worst.frame if worst else 0.0,
            bone=str(self._body.bones[vertex]),
            frames=track.frames,
            run=track.run,
            pop=track.pop,
            parts=self._body.deviations(track.largest, GOOD),
            distance=track.largest,
            along_normal=self._split[number][0],
            tangential=self._split[number][1],
        )

    def findings(self, number: int) -> Iterator[Finding]:
        """List what was found under the profile of this number, and about the rig whatever the profile."""
        causes = self._causes[number]
        binding = causes.variant.binding
        yield from findings_of_effects(causes.effects.sorted(), binding, causes.profile, self._body)
        yield from findings_of_drawing(binding, causes.profile)
        yield from findings_of_binding(self._exact.binding)
        yield from self._static


def _turned(offsets: NDArray[np.float32], linear: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return offsets (V, F, 3) in mesh space turned by each frame's (F, 3, 3) matrix."""
    if (linear == linear[0]).all():
        first = linear[0].astype(np.float32)
        if (first == np.eye(3, dtype=np.float32) * first[0, 0]).all():
            return offsets if first[0, 0] == 1 else offsets * first[0, 0]
        return (offsets.reshape(-1, 3) @ first).reshape(offsets.shape)
    return np.einsum("vfc,fcd->vfd", offsets, linear.astype(np.float32))
