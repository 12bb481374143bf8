"""A whole check: every skinned mesh of a scene over what it plays, down to the worst frame and what was found."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import bpy

from ..core.finding import Finding
from ..core.length import EXACT, Tolerance
from ..scene.deformed_meshes import deformed_meshes
from ..scene.playback import Playback, what_plays
from .frame_choice import spread_over_clip
from .mesh_measurement import MeshMeasurement
from .report import FileReport, MeshReport, WorstFrame
from .rig_findings import (
    cut_after_armature,
    finding_of_refusal,
    findings_of_binding,
    findings_of_unbound_meshes,
    nothing_to_check,
)
from .scan import FramesOf, Sample, SceneScan

BLENDER_PROFILE = "blender"
"""The profile that reproduces Blender itself, stage by stage."""

Progress = Callable[[int, int], None]
"""Is told how many frames are done, and of how many."""


@dataclass(frozen=True)
class CheckSettings:
    """What is looked at, and with what.

    device: 'gpu' or 'cpu', as `resolve_device` returns it. clips: names, 'all', or None for what the scene plays.
    """

    device: str
    clips: tuple[str, ...] | None = None
    frames_of: FramesOf = spread_over_clip
    tolerance: Tolerance = EXACT
    profile: str = BLENDER_PROFILE


def check_scene(
    scene: bpy.types.Scene, file: str, settings: CheckSettings, progress: Progress | None = None
) -> FileReport:
    """Check the meshes of the scene that is open, and of the file that it came from.

    Changes the scene: it plays clips, shows hidden meshes, and switches off modifiers after the armature.

    Raises:
        UsageError: there is no such clip, or no such frames.
    """
    meshes = deformed_meshes(scene)
    findings = [finding for one in meshes for finding in cut_after_armature(one)]
    worst = _Worst()
    with SceneScan(scene, meshes, settings.device) as scan:
        for sample in _samples(scan, playbacks(scene, settings.clips), settings.frames_of, progress):
            worst.add(sample)
        reports = [
            _mesh_report(one, worst.frame(name), settings)
            for name, one in scan.measured.items()
            if name in worst.samples
        ]
        findings += [
            finding for one in scan.measured.values() for finding in findings_of_binding(one.binding)
        ]
        findings += [finding_of_refusal(name, error) for name, error in scan.refused.items()]
    findings += findings_of_unbound_meshes(scene)
    if not meshes:
        findings.append(nothing_to_check())
    return FileReport(file, tuple(reports), _sorted(findings))


def playbacks(scene: bpy.types.Scene, clips: Sequence[str] | None) -> list[Playback]:
    """Choose what the scene is to play. All its armatures count: one may drive the next.

    Raises:
        UsageError: there is no such clip.
    """
    return what_plays(scene, [one for one in scene.objects if one.type == "ARMATURE"], clips)


def _samples(
    scan: SceneScan, chosen: Sequence[Playback], frames_of: FramesOf, progress: Progress | None
) -> Iterator[Sample]:
    total = sum(len(frames_of(playback)) for playback in chosen)
    seen: set[tuple[str, float]] = set()
    for sample in scan.samples(chosen, frames_of):
        seen.add((sample.playback.name, sample.frame))
        if progress is not None:
            progress(len(seen), total)
        yield sample


class _Worst:
    """Keeps, for each mesh, the sample in which a vertex lies furthest from where Blender puts it."""

    def __init__(self) -> None:
        self.samples: dict[str, Sample] = {}
        self._relative: dict[str, float] = {}
        self._counts: dict[str, int] = {}

    def add(self, sample: Sample) -> None:
        name = sample.mesh
        self._counts[name] = self._counts.get(name, 0) + 1
        relative = _nan_is_most(sample.measurement.deviation.relative)
        self._relative[name] = max(self._relative.get(name, 0.0), relative)
        if name not in self.samples or _largest(sample) > _largest(self.samples[name]):
            self.samples[name] = sample

    def frame(self, name: str) -> WorstFrame:
        sample = self.samples[name]
        deviation = sample.measurement.deviation
        return WorstFrame(
            max=deviation.metres(deviation.max),
            rms=deviation.metres(deviation.rms),
            p99=deviation.metres(deviation.percentile(99)),
            relative=self._relative[name],
            worst_vertex=deviation.worst_vertex,
            clip=sample.playback.name,
            frame=sample.frame,
            frames=self._counts[name],
        )


def _largest(sample: Sample) -> float:
    return _nan_is_most(sample.measurement.deviation.max)


def _nan_is_most(measured: float) -> float:
    return math.inf if math.isnan(measured) else measured


def _mesh_report(measured: MeshMeasurement, worst: WorstFrame, settings: CheckSettings) -> MeshReport:
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
        profile=settings.profile,
        worst=worst,
        tolerance=settings.tolerance,
    )


def _sorted(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    severities = ("error", "warning", "info")
    return tuple(sorted(findings, key=lambda one: (severities.index(one.severity.value), one.object)))
