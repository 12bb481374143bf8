"""The worst frame of every mesh of a scan, under every profile, and how its deviation behaves over time."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...core.skinning.deviation import split_along
from ...core.verdicts.deviation_track import DeviationTrack, TrackEdges
from ...core.verdicts.verdict import USUAL, Thresholds
from ..frame.attribution import furthest, nan_is_most
from ..frame.body_parts import BodyParts, body_parts
from ..frame.measured_run import MeasuredRun, Measurement
from ..frame.sample import Sample, SampleRun
from ..frame.worst_frame import NormalDeviation, WorstFrame, judged, worst_frame
from .normal_deviation import NormalTrack, worse_normals

Subject = tuple[str, str]
"""Identity of the mesh object, and id of the profile."""


@dataclass
class _Followed:
    worst: Sample
    body_of_worst: BodyParts
    body: BodyParts
    track: DeviationTrack
    normals: NormalTrack | None = None
    relative: float = 0.0
    frames: int = 0
    run: int = 0
    pop: float = 0.0


@dataclass(frozen=True, eq=False)
class Followed:
    """What came of following a mesh under a profile over some frames.

    worst: of the frame where it was furthest off, without what is tracked over all. most: how far, in scene
    units. largest: (V,), metres, of each vertex of `body` over all frames. edges: of its track.
    """

    worst: WorstFrame
    most: float
    body: BodyParts
    largest: NDArray[np.float32]
    normals: NormalDeviation | None
    relative: float
    frames: int
    run: int
    pop: float
    edges: TrackEdges | None

    def then(self, later: Followed) -> Followed:
        """Return what comes of these frames and later ones."""
        worse = later if later.most > self.most else self
        same_mesh = len(self.largest) == len(later.largest)
        edges, run, pop = later.edges, 0, 0.0
        if same_mesh and self.edges is not None and later.edges is not None:
            edges, run, pop = self.edges.joined(later.edges)
        return Followed(
            worse.worst,
            worse.most,
            later.body,
            np.maximum(self.largest, later.largest) if same_mesh else later.largest,
            worse_normals(self.normals, later.normals),
            max(self.relative, later.relative),
            self.frames + later.frames,
            max(self.run, later.run, run),
            max(self.pop, later.pop, pop),
            edges,
        )


class WorstFrames:
    """Keeps, for each mesh and profile, the sample in which a vertex lies furthest from Blender's."""

    def __init__(self, height_scales: Mapping[str, float], thresholds: Thresholds = USUAL) -> None:
        """height_scales: by mesh, see `height_scales`. thresholds: in metres, for a figure of the usual
        height.
        """
        self._scales = height_scales
        self._thresholds = thresholds
        self._followed: dict[Subject, _Followed] = {}
        self._bodies: dict[Hashable, BodyParts] = {}
        self._taken: dict[Subject, Followed] = {}

    def add(self, run: SampleRun) -> None:
        """Take samples into account."""
        one = self._of(run)
        deviations = run.measured.deviations
        one.frames += len(run.frames)
        one.relative = max(one.relative, *map(nan_is_most, deviations.relative))
        at = furthest(deviations.largest, _largest(one.worst))
        if at is not None:
            one.worst, one.body_of_worst = run.at(at), one.body
        offsets = _nan_is_far(_offsets_in_world(run.measured) * deviations.metres_per_unit)
        one.track.add(offsets.swapaxes(0, 1), run.playback.name, run.frames)
        if one.normals is not None:
            one.normals.add(run)
        one.run, one.pop = max(one.run, one.track.run), max(one.pop, one.track.pop)

    def take(self, order: Sequence[Subject]) -> dict[Subject, Followed]:
        """Return what came of the samples so far, in this order, and start over."""
        followed, self._followed = self._followed, {}
        self._bodies.clear()
        return {subject: self._settled(followed[subject]) for subject in order if subject in followed}

    def put(self, followed: Mapping[Subject, Followed]) -> None:
        """Take what came of all samples; the rest is about that."""
        self._taken = dict(followed)

    def subjects(self) -> tuple[Subject, ...]:
        """Return the measured meshes and profiles."""
        return tuple(self._taken)

    def good(self, mesh: str) -> float:
        """Return the deviation in metres up to which a mesh counts as good: 1 mm at 1.8 m if not chosen, scaled
        by height.
        """
        return self._thresholds.good * self._scales[mesh]

    def body(self, subject: Subject) -> BodyParts:
        """Return the parts of a measured mesh."""
        return self._taken[subject].body

    def frame(self, subject: Subject) -> WorstFrame:
        """Describe the worst frame of a mesh under a profile."""
        one = self._taken[subject]
        return replace(
            one.worst,
            frames=one.frames,
            relative=one.relative,
            normals=one.normals,
            run=one.run,
            pop=one.pop,
            parts=one.body.deviations(one.largest, self._thresholds.good),
        )

    def _settled(self, one: _Followed) -> Followed:
        sample = one.worst
        measurement = sample.measurement
        deviation = measurement.deviation
        normal, tangential = split_along(
            world_offsets(measurement), measurement.blender.normals, measurement.frame.mesh_to_world
        )
        worst = judged(
            worst_frame(deviation, sample.playback.name, sample.frame, frames=one.frames),
            deviation,
            one.body_of_worst,
            split=(deviation.metres(normal), deviation.metres(tangential)),
            run=one.run,
            pop=one.pop,
            parts=(),
            thresholds=self._thresholds,
        )
        return Followed(
            worst,
            _largest(sample),
            one.body,
            one.track.largest,
            one.normals.worst if one.normals is not None else None,
            one.relative,
            one.frames,
            one.run,
            one.pop,
            one.track.edges,
        )

    def _of(self, run: SampleRun) -> _Followed:
        subject = run.mesh, run.profile.id
        followed = self._followed.get(subject)
        if followed is None or len(followed.body.bones) != run.measured.deviations.distance.shape[1]:
            body = self._body(run)
            track = DeviationTrack(body.limits(self._thresholds.good))
            if followed is None:
                followed = self._followed[subject] = _Followed(
                    run.at(0),
                    body,
                    body,
                    track,
                    None if run.profile.is_blender else NormalTrack(run.profile),
                )
            else:
                # Modifiers before the armature turned it into a different mesh.
                followed.body, followed.track = body, track
        return followed

    def _body(self, run: SampleRun) -> BodyParts:
        """Return the parts of a mesh: the same ones under all profiles that leave its weights alike."""
        binding = run.measured.binding
        moved_by = tuple((one.skin, one.joints, one.armature) for one in binding.passes)
        key = run.mesh, binding.mesh.vertex_count, moved_by
        if key not in self._bodies:
            self._bodies[key] = body_parts(binding, self._scales[run.mesh])
        return self._bodies[key]


def world_offsets(measurement: Measurement) -> NDArray[np.float64]:
    """Return how far each vertex lies from Blender's, (V, 3), in world space and scene units."""
    with np.errstate(invalid="ignore", over="ignore"):
        offsets = measurement.skinned.positions.astype(np.float64) - measurement.blender.positions
        return offsets @ measurement.frame.mesh_to_world[:3, :3]


def _offsets_in_world(run: MeasuredRun) -> NDArray[np.float64]:
    """Return how far each vertex lies from Blender's at each frame, (F, V, 3), as `world_offsets` does."""
    with np.errstate(invalid="ignore", over="ignore"):
        return (run.skinned.positions.astype(np.float64) - run.references) @ run.mesh_to_world[:, :3, :3]


def _nan_is_far(offsets: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return offsets with NaN replaced by the largest distance that can still be squared."""
    far = 1e18
    return np.nan_to_num(offsets, nan=far).clip(-far, far).astype(np.float32)


def _largest(sample: Sample) -> float:
    return nan_is_most(sample.measurement.deviation.max)
