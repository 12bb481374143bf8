"""What follows the samples of a check to name causes: of the deviation under each profile, and of modifier
stacks that no file holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import bpy

from ...core.verdicts.finding import Finding
from ...core.verdicts.verdict import Thresholds
from ...scene.binding.frame import Frame
from ...scene.identification import object_of
from ...scene.meshes.blender_result import BlenderResult
from ...scene.staging.clip_staging import Scanned
from ..findings.import_findings import findings_of_import
from ..findings.profile_findings import findings_of_drawing, findings_of_effects
from ..findings.stack_findings import StackEffects, StackFault
from ..frame.attribution import Attributed, Attribution, Effects
from ..frame.cause_measurement import CauseMeasurement, CauseMeasurements
from ..frame.sample import SampleRun
from .scan import SceneScan
from .worst_frames import Subject, WorstFrames


class Attributions:
    """The causes of every mesh's deviation under every profile but Blender's own."""

    def __init__(self, scan: SceneScan, thresholds: Thresholds) -> None:
        self._scan, self._thresholds = scan, thresholds
        self._of: dict[Subject, Attribution] = {}
        self._measurements: dict[str, CauseMeasurements] = {}

    def __enter__(self) -> Attributions:
        for measured in self._scan.by_profile:
            for name, one in measured.items():
                if one.profile.is_blender:
                    continue
                mesh_object = object_of(name)
                if name not in self._measurements:
                    self._measurements[name] = CauseMeasurements()
                self._of[name, one.profile.id] = Attribution(
                    mesh_object, self._scan.instant, one.profile, self._measurements[name]
                )
        return self

    def __exit__(self, *_: object) -> None:
        for one in self._measurements.values():
            one.free()

    def read(self, subject: Subject, mesh_object: bpy.types.Object, moment: int) -> None:
        """Read what `add` will need of the scan's instant. moment: its number."""
        attribution = self._of.get(subject)
        if attribution is not None:
            attribution.read(mesh_object, self._scan.instant, moment)

    def causes_of(self, subject: Subject) -> tuple[CauseMeasurement, ...]:
        """Return what `read` reads of a subject."""
        attribution = self._of.get(subject)
        return () if attribution is None else attribution.causes

    def add(self, run: SampleRun) -> None:
        """Take samples into account, of instants that were read."""
        attribution = self._of.get((run.mesh, run.profile.id))
        if attribution is not None:
            attribution.add(run, self._scan.poses)

    def forget(self, mesh: str) -> None:
        """Drop what was read of a mesh; it was added."""
        if mesh in self._measurements:
            self._measurements[mesh].forget()

    def take(self) -> dict[Subject, Attributed]:
        """Return what came of the samples so far, and begin anew."""
        return {subject: one.take() for subject, one in self._of.items()}

    def put(self, attributed: Mapping[Subject, Attributed]) -> None:
        """Go on from what came of other samples."""
        for subject, one in attributed.items():
            self._of[subject].put(one)

    def findings(self, worst: WorstFrames) -> Iterator[Finding]:
        """Yield the causes of what deviates, and what the profile's draw calls and importer do besides."""
        subjects = frozenset(worst.subjects())
        for (mesh, profile_id), attribution in self._of.items():
            if (mesh, profile_id) not in subjects:
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


class StackMeasurements:
    """Parts of modifier stacks that a file can't hold: found for every mesh, measured for the meshes that are
    measured.
    """

    def __init__(
        self,
        scene: bpy.types.Scene,
        scan: SceneScan,
        faults: Mapping[str, tuple[StackFault, ...]],
        thresholds: Thresholds,
    ) -> None:
        self._scene, self._scan, self._faults = scene, scan, faults
        self._thresholds = thresholds
        self._of: dict[str, StackEffects] = {}

    def __enter__(self) -> StackMeasurements:
        for name, faults in self._faults.items():
            if faults and name in self._scan.measured:
                self._of[name] = StackEffects(self._scene, object_of(name), faults)
        return self

    def __exit__(self, *_: object) -> None:
        for one in self._of.values():
            one.free()

    def read(
        self, subject: Subject, frame: Frame, blender: BlenderResult, playback: Scanned, at: float
    ) -> None:
        """Take the scan's instant into account, once for all profiles. frame, blender: of the subject there.
        at: the clip's frame.
        """
        mesh, profile_id = subject
        first = self._scan.measured.get(mesh)
        if mesh in self._of and first is not None and profile_id == first.profile.id:
            self._of[mesh].add(frame, blender, playback.name, at, self._scan.instant.depsgraph)

    def take(self) -> dict[str, tuple[Effects, frozenset[int]]]:
        """Return what came of the samples so far, by mesh, and begin anew."""
        return {name: one.take() for name, one in self._of.items()}

    def put(self, effects: Mapping[str, tuple[Effects, frozenset[int]]]) -> None:
        """Go on from what came of other samples."""
        for name, one in effects.items():
            self._of[name].put(*one)

    def findings(self, worst: WorstFrames) -> Iterator[Finding]:
        """Yield the faults, with what they do to measured meshes."""
        subjects = dict(worst.subjects())
        for name, faults in self._faults.items():
            if name in self._of and name in subjects:
                body = worst.body((name, subjects[name]))
                yield from self._of[name].findings(body, self._thresholds)
            else:
                yield from (one.finding for one in faults)
