"""A whole check: every skinned mesh of a scene over everything it plays, down to the worst frames and the
findings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import bpy
import numpy as np

from ...core.profiles.binding import Binding
from ...core.profiles.profile import BLENDER, Profile
from ...core.verdicts.finding import Finding, worst_first
from ...core.verdicts.tolerance import EXACT, Tolerance
from ...core.verdicts.verdict import USUAL, Thresholds
from ...scene.binding.binding_reader import read_binding
from ...scene.binding.instant import Instant
from ...scene.identification import identity, object_of
from ...scene.objects.deformed_meshes import deformed_meshes
from ...scene.objects.instanced_meshes import bring_in_instanced
from ...scene.objects.render_visibility import rendered_objects, show_as_rendered
from ...scene.staging.clip_staging import Scanned
from ..findings.file_findings import (
    finding_of_rest,
    finding_of_stillness,
    findings_of_clips,
    findings_of_drivers,
    findings_of_libraries,
)
from ..findings.import_findings import findings_of_import
from ..findings.profile_findings import findings_of_drawing, findings_of_effects
from ..findings.rig_findings import (
    finding_of_hidden,
    finding_of_refusal,
    findings_of_binding,
    findings_of_unbound_meshes,
    findings_of_visibility,
    nothing_to_check,
)
from ..findings.stack_findings import StackEffects, StackFault, cut_after_armature, faults_of_stack
from ..findings.weight_findings import findings_of_rig
from ..frame.attribution import Attribution, CauseMeasurements
from ..frame.character_height import height_scales
from ..frame.mesh_measurement import MeshMeasurement
from ..frame.sample import Sample
from .frame_choice import spread_over_clip
from .report import FileReport, MeshReport
from .scan import FramesOf, SceneScan
from .scene_playing import is_still, playbacks, with_ranges_where_still
from .worst_frames import Subject, WorstFrames

POSED = 1e-5
"""Relative to a mesh's size; movements of vertices below this are rounding."""

Progress = Callable[[int, int], None]
"""Called with the number of frames done, and the total."""


@dataclass(frozen=True)
class CheckSettings:
    """What to check, and how.

    device: 'gpu' or 'cpu', as `resolve_device` returns it. clips: names, 'all', or None for what the scene
    plays.
    tolerance: None for each profile's default, see `default_tolerance`.
    as_rendered: whether to use the render visibility of modifiers and objects instead of the viewport's.
    thresholds: what is invisible, good, and fails, in metres for a figure of the usual height.
    """

    device: str
    clips: tuple[str, ...] | None = None
    frames_of: FramesOf = spread_over_clip
    tolerance: Tolerance | None = None
    profiles: tuple[Profile, ...] = (BLENDER,)
    as_rendered: bool = False
    thresholds: Thresholds = USUAL


def default_tolerance(profile: Profile, good: float) -> Tolerance:
    """Return the default distance a mesh may lie from Blender's, in metres: rounding under Blender's own
    profile, and the limit for good under an engine's.
    """
    # More digits than these are of no use.
    return EXACT if profile.is_blender else Tolerance(float(f"{good:.3g}"), relative=False)


def check_scene(
    scene: bpy.types.Scene, file: str, settings: CheckSettings, progress: Progress | None = None
) -> FileReport:
    """Check the meshes of the open scene, and of its file.

    Changes the scene: it plays clips, shows hidden meshes, and switches off modifiers after the armature.

    Raises:
        UsageError: the clip or the frames don't exist.
    """
    bring_in_instanced(scene)
    findings = [finding for one in scene.objects for finding in findings_of_visibility(one)]
    if settings.as_rendered:
        show_as_rendered(scene)
    meshes = deformed_meshes(scene)
    if settings.as_rendered:
        rendered = rendered_objects(scene)
        findings += [finding_of_hidden(one) for one in meshes if one not in rendered]
        meshes = [one for one in meshes if one in rendered]
    faults: dict[str, tuple[StackFault, ...]] = {identity(one): faults_of_stack(one) for one in meshes}
    for one in meshes:
        cut_after_armature(one)
    order = {one.id: number for number, one in enumerate(settings.profiles)}
    worst = WorstFrames(height_scales(scene, meshes), settings.thresholds)
    with (
        SceneScan(
            scene,
            meshes,
            settings.device,
            settings.profiles,
            as_rendered=settings.as_rendered,
            follow_simulations=True,
        ) as scan,
        _Attributions(scene, scan, settings.thresholds) as attributions,
        _Stacks(scene, scan, faults) as stacks,
    ):
        findings += _of_rigs([one for one in meshes if identity(one) in scan.measured], scan.instant)
        chosen = playbacks(scene, settings.clips)
        if settings.clips is None:
            findings += findings_of_clips(scene, chosen)
            chosen = with_ranges_where_still(scene, chosen)
            if scan.measured and is_still(chosen[:1]):
                findings.append(finding_of_stillness(chosen))
        resting = {name for name, one in scan.measured.items() if one.binding.joint_count}
        for sample in _samples(scan, chosen, settings.frames_of, progress):
            if sample.mesh in resting and _is_posed(sample, scan.of(sample).binding):
                resting.remove(sample.mesh)
            worst.add(sample, scan.of(sample).binding)
            attributions.add(sample)
            stacks.add(sample)
        reports = [
            _mesh_report(scan.subject(*subject), worst, subject, settings)
            # Profiles of different exporters see the clips in turn.
            for subject in sorted(worst.subjects(), key=lambda one: order[one[1]])
        ]
        findings += [
            finding for one in scan.measured.values() for finding in findings_of_binding(one.binding)
        ]
        findings += attributions.findings(worst)
        findings += stacks.findings(worst, settings)
        findings += [finding_of_rest(name) for name in sorted(resting - scan.refused.keys())]
        findings += [finding_of_refusal(name, error) for name, error in scan.refused.items()]
    findings += findings_of_unbound_meshes(scene)
    findings += [*findings_of_libraries(), *findings_of_drivers(scene)]
    if not meshes:
        findings.append(nothing_to_check())
    return FileReport(file, tuple(reports), worst_first(findings))


def _is_posed(sample: Sample, binding: Binding) -> bool:
    """Whether bones have moved any part of a mesh."""
    moved = np.abs(sample.measurement.blender.positions - binding.mesh.positions).max(initial=0.0)
    return bool(moved > POSED * binding.mesh.diagonal)


def _of_rigs(meshes: Sequence[bpy.types.Object], instant: Instant) -> Iterator[Finding]:
    for one in meshes:
        parts = instant.parts(one)
        binding = read_binding(one, instant.depsgraph, parts, armatures=instant.armatures)
        yield from findings_of_rig(one, parts, binding)


def _samples(
    scan: SceneScan, chosen: Sequence[Scanned], frames_of: FramesOf, progress: Progress | None
) -> Iterator[Sample]:
    total = sum(len(frames_of(playback)) for playback in chosen)
    seen: set[tuple[str, float]] = set()
    for sample in scan.samples(chosen, frames_of):
        seen.add((sample.playback.name, sample.frame))
        if progress is not None:
            progress(len(seen), total)
        yield sample


class _Attributions:
    """The causes of every mesh's deviation under every profile but Blender's own."""

    def __init__(self, scene: bpy.types.Scene, scan: SceneScan, thresholds: Thresholds) -> None:
        self._scene = scene
        self._thresholds = thresholds
        self._scan = scan
        self._of: dict[Subject, Attribution] = {}
        self._measurements: dict[str, CauseMeasurements] = {}

    def __enter__(self) -> _Attributions:
        for measured in self._scan.by_profile:
            for name, one in measured.items():
                if one.profile.is_blender:
                    continue
                mesh_object = object_of(name)
                if name not in self._measurements:
                    self._measurements[name] = CauseMeasurements(mesh_object)
                self._of[name, one.profile.id] = Attribution(
                    mesh_object, self._scan.instant, one.profile, self._measurements[name]
                )
        return self

    def __exit__(self, *_: object) -> None:
        for one in self._measurements.values():
            one.free()

    def add(self, sample: Sample) -> None:
        attribution = self._of.get((sample.mesh, sample.profile.id))
        if attribution is not None:
            attribution.add(sample, object_of(sample.mesh), self._scan.instant)

    def findings(self, worst: WorstFrames) -> Iterator[Finding]:
        for (mesh, profile_id), attribution in self._of.items():
            if (mesh, profile_id) not in worst.subjects():
                continue
            measured = self._scan.subject(mesh, profile_id)
            yield from findings_of_effects(
                attribution.effects(),
                measured.binding,
                measured.profile,
                worst.body((mesh, profile_id)),
                self._thresholds,
            )
            yield from findings_of_drawing(measured.binding, measured.profile)
            yield from findings_of_import(
                object_of(mesh), self._scan.scene, measured.binding, measured.profile
            )


class _Stacks:
    """Parts of modifier stacks that a file can't hold: found for every mesh, measured for the meshes that are
    measured.
    """

    def __init__(
        self, scene: bpy.types.Scene, scan: SceneScan, faults: Mapping[str, tuple[StackFault, ...]]
    ) -> None:
        self._scene, self._scan, self._faults = scene, scan, faults
        self._of: dict[str, StackEffects] = {}

    def __enter__(self) -> _Stacks:
        for name, faults in self._faults.items():
            if faults and name in self._scan.measured:
                self._of[name] = StackEffects(self._scene, object_of(name), faults)
        return self

    def __exit__(self, *_: object) -> None:
        for one in self._of.values():
            one.free()

    def add(self, sample: Sample) -> None:
        first = self._scan.measured.get(sample.mesh)
        if sample.mesh in self._of and first is not None and sample.profile is first.profile:
            self._of[sample.mesh].add(sample, self._scan.instant.depsgraph)

    def findings(self, worst: WorstFrames, settings: CheckSettings) -> Iterator[Finding]:
        subjects = dict(worst.subjects())
        for name, faults in self._faults.items():
            if name in self._of and name in subjects:
                body = worst.body((name, subjects[name]))
                yield from self._of[name].findings(body, settings.thresholds)
            else:
                yield from (one.finding for one in faults)


def _mesh_report(
    measured: MeshMeasurement, worst: WorstFrames, subject: Subject, settings: CheckSettings
) -> MeshReport:
    binding = measured.binding
    return MeshReport(
        object=binding.mesh_object,
        armatures=binding.armatures,
        vertices=binding.mesh.vertex_count,
        joints=binding.joint_count,
        exact=binding.exact,
        reasons=tuple(reason.message for reason in binding.reasons),
        device=settings.device,
        technique=measured.technique,
        profile=measured.profile.id,
        worst=worst.frame(subject),
        tolerance=settings.tolerance or default_tolerance(measured.profile, worst.good(subject[0])),
    )
